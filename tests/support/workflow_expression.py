"""Evaluates the expressions of workflows and actions: contexts, texts, functions, comparisons, `&&` and `||`.

It is stricter than GitHub: a name that no context has is an error, and not an empty text. Only an output that a step
did not set is empty.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

Functions = Mapping[str, Callable[..., Any]]
_IN_TEXT: Final = re.compile(r"\$\{\{(.*?)\}\}")
_TOKEN: Final = re.compile(r"\s*('(?:[^']|'')*'|[A-Za-z_][\w.-]*|==|!=|&&|\|\||[(),!])")


def fill_in(text: str, contexts: Mapping[str, Any], functions: Functions) -> str:
    """Return a text with the value of each expression in its place."""
    return _IN_TEXT.sub(lambda found: str(evaluate(found[1], contexts, functions)), text)


def evaluate(expression: str, contexts: Mapping[str, Any], functions: Functions) -> Any:
    """Return the value of an expression: a text or a truth value. Raises KeyError for an unknown name."""
    parser = _Parser(expression.strip(), contexts, functions)
    value = parser.read_alternatives()
    assert not parser.tokens, f"{expression!r}: left over: {parser.tokens}"
    return value


class _Parser:
    def __init__(self, expression: str, contexts: Mapping[str, Any], functions: Functions) -> None:
        self.tokens = _TOKEN.findall(expression)
        assert _TOKEN.sub("", expression).strip() == "", f"cannot be read: {expression!r}"
        self._contexts = contexts
        self._functions = functions

    def read_alternatives(self) -> Any:
        value = self._read_conditions()
        while self._skip("||"):
            other = self._read_conditions()
            value = value or other
        return value

    def _read_conditions(self) -> Any:
        value = self._read_comparison()
        while self._skip("&&"):
            other = self._read_comparison()
            value = value and other
        return value

    def _read_comparison(self) -> Any:
        value = self._read_term()
        if self._skip("=="):
            return value == self._read_term()
        if self._skip("!="):
            return value != self._read_term()
        return value

    def _read_term(self) -> Any:
        token = self.tokens.pop(0)
        if token == "!":
            return not self._read_term()
        if token == "(":
            value = self.read_alternatives()
            assert self._skip(")")
            return value
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if self._skip("("):
            arguments = []
            while not self._skip(")"):
                arguments.append(self.read_alternatives())
                self._skip(",")
            return self._functions[token](*arguments)
        return self._look_up(token.split("."))

    def _look_up(self, path: list[str]) -> Any:
        match path:
            case ["steps", step, "outputs", name]:
                return self._contexts["steps"][step].get(name, "")
            case [context, name]:
                return self._contexts[context][name]
            case _:
                raise KeyError(".".join(path))

    def _skip(self, token: str) -> bool:
        """Return whether `token` comes next, and go past it if so."""
        if self.tokens[:1] != [token]:
            return False
        del self.tokens[0]
        return True
