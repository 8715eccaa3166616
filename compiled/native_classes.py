"""Rewrites dataclasses as plain classes, because mypyc makes plain classes faster.

mypyc compiles a dataclass as a native class, but `dataclass` adds an interpreted `__init__`, `__eq__` and `__hash__`.
Here they are written out. Only the copy that is compiled is rewritten, and every line keeps its number, so a traceback
through compiled code names the line of the source:

* `__init__`, `__eq__`, `__hash__` and `__repr__` are one line each. They replace docstrings and blank lines of the
  class.
* At the end of the module, `register` gives each class what `dataclasses.fields`, `replace` and msgspec read.

Instances of a frozen dataclass are not frozen in the compiled copy, just as those of a `value_class` are not frozen in
the source. The type checker has already made sure that nobody changes them.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Final, TypeGuard

Fields = tuple["ValueField", ...]
_DECORATORS: Final = ("dataclass", "value_class")
_RUNTIME: Final = "arena.native_values"
_SUBSTITUTES: Final = ("asdict", "fields", "replace")
"""Functions of `dataclasses` that the type checker accepts only for dataclasses. The copy imports others."""
_OPTIONS: Final[Mapping[str, bool]] = {
    "eq": True, "repr": True, "frozen": False, "unsafe_hash": False, "slots": False
}  # fmt: skip
"""The known options of the decorators, with their defaults."""
_FIELD_OPTIONS: Final = frozenset({"default", "default_factory", "compare", "repr", "hash"})


class RewriteError(Exception):
    """A dataclass uses something that this module cannot rewrite."""


@dataclass(frozen=True, slots=True)
class ValueField:
    """One field of a dataclass. Annotation, default and factory are expressions of the source."""

    name: str
    annotation: str
    default: str | None = None
    factory: str | None = None
    is_compared: bool = True
    is_shown: bool = True

    @property
    def parameter(self) -> str:
        """Return the parameter of `__init__`."""
        if self.factory is not None:
            return f"{self.name}: {self.annotation} | None = None"
        return f"{self.name}: {self.annotation}" + ("" if self.default is None else f" = {self.default}")

    @property
    def statement(self) -> str:
        """Return the statement of `__init__` that sets the field."""
        made = f"({self.factory})() if {self.name} is None else {self.name}"
        return f"self.{self.name} = {self.name if self.factory is None else made}"

    @property
    def specification(self) -> str:
        """Return the field as `register` expects it."""
        options = {"compare": str(self.is_compared), "repr": str(self.is_shown)}
        if self.factory is not None:
            options["default_factory"] = self.factory
        if self.default is not None:
            options["default"] = self.default
        values = ", ".join(f"{key!r}: {value}" for key, value in options.items())
        return f"({self.name!r}, {self.annotation}, {{{values}}})"


@dataclass(frozen=True, slots=True)
class ValueClass:
    """A dataclass of the source."""

    node: ast.ClassDef
    fields: Fields
    """The fields of its bases and its own, in the order of the parameters."""
    options: Mapping[str, bool] = dataclass_field(hash=False)
    """The options of the decorator."""

    def methods(self) -> Iterator[str]:
        """Yield the methods that the decorator would add, one line each."""
        name = self.node.name
        defined = {each.name for each in self.node.body if isinstance(each, ast.FunctionDef)}
        compared = [each.name for each in self.fields if each.is_compared]
        if self.fields:
            parameters = ", ".join(["self", *(each.parameter for each in self.fields)])
            statements = "; ".join(each.statement for each in self.fields)
            yield f"def __init__({parameters}) -> None: {statements}"
        if self.options["eq"] and "__eq__" not in defined:
            tests = [f"type(other) is {name}", *(f"self.{each} == other.{each}" for each in compared)]
            yield f"def __eq__(self, other: object) -> bool: return {' and '.join(tests)}"
        is_hashed = self.options["eq"] and (self.options["frozen"] or self.options["unsafe_hash"])
        if is_hashed and "__hash__" not in defined:
            yield f"def __hash__(self) -> int: return hash(({''.join(f'self.{each}, ' for each in compared)}))"
        if self.options["repr"] and "__repr__" not in defined:
            shown = ", ".join(f"{each.name}={{self.{each.name}!r}}" for each in self.fields if each.is_shown)
            yield f'def __repr__(self) -> str: return f"{name}({shown})"'

    @property
    def registration(self) -> str:
        """Return the statement that registers the class."""
        doc = ast.get_docstring(self.node, clean=False)
        return f"register({self.node.name}, {doc!r}, [{', '.join(each.specification for each in self.fields)}])"


def rewrite_module(source: str, known: dict[str, Fields]) -> str:
    """Return a module with its dataclasses as plain classes. Raises RewriteError.

    `known` has the fields of the dataclasses rewritten so far, by name of the class, and gets those of this module.
    """
    lines = [*source.splitlines(), ""]
    tree = ast.parse(source)
    classes = list(_find_value_classes(tree, known))
    for each in classes:
        _write_class(each, lines)
    _replace_imports(tree, lines)
    if classes:
        first_import = next(node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
        row = first_import.lineno - 1
        lines[row] = f"from typing import Final; {lines[row]}"
        lines += [f"from {_RUNTIME} import register", *(each.registration for each in classes)]
    return "\n".join(lines) + "\n"


def _find_value_classes(tree: ast.Module, known: dict[str, Fields]) -> Iterator[ValueClass]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        for decorator in node.decorator_list:
            function = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(function, ast.Name) and function.id in _DECORATORS:
                inherited = [each for base in node.bases for each in known.get(ast.unparse(base), ())]
                known[node.name] = (*inherited, *_read_fields(node))
                yield ValueClass(node, known[node.name], _read_options(decorator, function.id))


def _read_options(decorator: ast.expr, name: str) -> Mapping[str, bool]:
    options = dict(_OPTIONS)
    for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
        if keyword.arg not in options or not isinstance(keyword.value, ast.Constant):
            raise RewriteError(f"line {decorator.lineno}: the option {keyword.arg} of {name} is not known")
        options[keyword.arg] = bool(keyword.value.value)
    return options | {"unsafe_hash": options["eq"]} if name == "value_class" else options


def _read_fields(node: ast.ClassDef) -> Iterator[ValueField]:
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name in ("__init__", "__post_init__"):
            raise RewriteError(f"line {each.lineno}: {node.name} has its own {each.name}")
        if _is_field(each):
            name, annotation, value = ast.unparse(each.target), ast.unparse(each.annotation), each.value
            if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
                yield _read_field_call(name, annotation, value)
            else:
                yield ValueField(name, annotation, None if value is None else ast.unparse(value))


def _read_field_call(name: str, annotation: str, call: ast.Call) -> ValueField:
    options = {str(keyword.arg): ast.unparse(keyword.value) for keyword in call.keywords}
    if unknown := options.keys() - _FIELD_OPTIONS:
        raise RewriteError(f"line {call.lineno}: the field {name} has unknown options: {', '.join(sorted(unknown))}")
    is_compared = "False" not in (options.get("compare"), options.get("hash"))
    is_shown = options.get("repr") != "False"
    return ValueField(name, annotation, options.get("default"), options.get("default_factory"), is_compared, is_shown)


def _is_field(node: ast.stmt) -> TypeGuard[ast.AnnAssign]:
    return isinstance(node, ast.AnnAssign) and not ast.unparse(node.annotation).startswith("ClassVar")


def _write_class(each: ValueClass, lines: list[str]) -> None:
    """Replace the decorator, the fields and the docstrings of a class, and put its methods into the empty lines."""
    node = each.node
    for decorator in node.decorator_list:
        _clear(decorator, lines)
    matched = f"; __match_args__: Final = ({''.join(f'{field.name!r}, ' for field in each.fields)})"
    for child in node.body:
        if isinstance(child, ast.Expr):
            _clear(child, lines)
        elif _is_field(child):
            row = _clear(child, lines)
            lines[row] = f"    {ast.unparse(child.target)}: {ast.unparse(child.annotation)}{matched}"
            matched = ""
    rows, methods = _empty_rows(node, lines), list(each.methods())
    if len(rows) < len(methods):
        rows_text = f"has only {len(rows)} empty lines for its methods; a docstring makes room"
        raise RewriteError(f"line {node.lineno}: {node.name} {rows_text}")
    for row, method in zip(rows, methods, strict=False):
        lines[row] = f"    {method}"


def _clear(node: ast.expr | ast.stmt, lines: list[str]) -> int:
    """Empty the lines of a node, and return the index of the first."""
    for row in range(node.lineno - 1, node.end_lineno or node.lineno):
        lines[row] = ""
    return node.lineno - 1


def _empty_rows(node: ast.ClassDef, lines: list[str]) -> list[int]:
    """Return the empty lines of a class that are not inside a method, and those that follow the class."""
    taken: set[int] = set()
    for child in node.body:
        if not isinstance(child, ast.Expr):
            taken.update(range(child.lineno - 1, child.end_lineno or child.lineno))
    end = node.end_lineno or node.lineno
    while end < len(lines) and not lines[end].strip():
        end += 1
    return [row for row in range(node.body[0].lineno - 1, end) if row not in taken and not lines[row].strip()]


def _replace_imports(tree: ast.Module, lines: list[str]) -> None:
    """Import the functions of `dataclasses` that need real dataclasses from the module of substitutes instead."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
            names = [each.name for each in node.names]
            kept = [name for name in names if name not in _SUBSTITUTES]
            substituted = [name for name in names if name in _SUBSTITUTES]
            imports = (("dataclasses", kept), (_RUNTIME, substituted))
            lines[node.lineno - 1] = "; ".join(
                f"from {room} import {', '.join(each)}" for room, each in imports if each
            )
