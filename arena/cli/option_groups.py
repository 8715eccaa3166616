"""Option groups: a command declares options as the fields of a dataclass and takes them as one value.

The text below a field, in such a class or in that of settings or rules, can be read as its help.
"""

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from textwrap import dedent
from typing import Annotated, Any, get_args, get_type_hints

from typer.models import OptionInfo

Command = Callable[..., int | None]


def with_option_groups(command: Command) -> Command:
    """Let a command take dataclasses of options. Typer sees an option for each of their fields, in order.

    A field may itself be a group. A group may have a class variable `PANEL`. This is the title under which the help
    lists the group's options.
    """
    hints = get_type_hints(command, include_extras=True)
    declared = inspect.signature(command).parameters
    parameters = [
        expanded for name, each in declared.items() for expanded in _expand(name, hints[name], each.default, None)
    ]

    @wraps(command)
    def run(**values: Any) -> int | None:
        return command(**{name: _build(name, hints[name], values) for name in declared})

    run.__signature__ = inspect.Signature(parameters, return_annotation=int | None)  # type: ignore[attr-defined]  # `inspect` looks there, and the type of functions does not say so
    return run


def _expand(name: str, kind: Any, default: Any, panel: str | None) -> Iterator[inspect.Parameter]:
    """Yield the parameters that Typer sees for one parameter of the command or one field of a group."""
    if not is_dataclass(kind):
        yield inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_in_panel(kind, panel)
        )
        return
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        field_default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield from _expand(each.name, hints[each.name], field_default, getattr(kind, "PANEL", panel))


def _in_panel(kind: Any, panel: str | None) -> Any:
    """Return the annotation of an option. Its help panel is `panel`, unless the annotation names another."""
    base, *infos = get_args(kind) or (kind,)
    (info,) = (each for each in infos if isinstance(each, OptionInfo)) if panel else (None,)
    if info is None or info.rich_help_panel:
        return kind
    info = copy(info)
    info.rich_help_panel = panel
    annotated: Any = Annotated
    return annotated[base, info]


def _build(name: str, kind: Any, values: Mapping[str, Any]) -> Any:
    """Return the value of an option, or the group built from the values of its options."""
    if not isinstance(kind, type) or not is_dataclass(kind):
        return values[name]
    hints = get_type_hints(kind, include_extras=True)
    return kind(**{each.name: _build(each.name, hints[each.name], values) for each in fields(kind)})


def field_texts(kind: type) -> dict[str, str]:
    """Return the docstrings under the attributes of a class or the members of an enum, each on one line."""
    (body,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for statement, below in zip(body.body, body.body[1:], strict=False):
        match statement, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=text)),
            ):
                texts[name] = " ".join(str(text).split())
            case _:
                pass
    return texts
