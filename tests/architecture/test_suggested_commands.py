"""Messages suggest commands through one helper, which writes the program as the user typed it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from arena.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
_COMMAND = re.compile(rf"\barena ({'|'.join(COMMANDS)}) \S")
"""A command with its arguments. The bare name of a command may stand in a title."""

_PERHAPS = re.compile(r"""\barena [a-z"']""")
"""What every file with such a text has, perhaps with the command in the next string."""


def message_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string that is neither a docstring nor help, which describe commands in general."""
    described = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) or (isinstance(node, ast.keyword) and node.arg in ("help", "summary"))
        for part in ast.walk(node.value)
        if isinstance(part, ast.Constant) and (isinstance(node, ast.keyword) or part is node.value)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            yield node.lineno, node.value


def test_no_message_spells_out_a_command():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text!r}"
        for path in sorted((ROOT / "arena").rglob("*.py"))
        if _PERHAPS.search(source := path.read_text(encoding="utf-8"))
        for line, text in message_texts(ast.parse(source))
        if _COMMAND.search(text)
    ]

    assert found == [], "use arena.typed_command.arena_command"


def test_spelled_out_command_would_be_found():
    tree = ast.parse('"""Try `arena replay show ID`."""\nprint(f"to see it: arena replay show {match}")\n')

    assert [line for line, text in message_texts(tree) if _COMMAND.search(text)] == [2]


def test_only_texts_for_this_machine_have_its_paths():
    """Other rooms serve callers on other machines, whom the path of the server's program would reach."""
    found = [
        f"{path.relative_to(ROOT)}"
        for path in sorted((ROOT / "arena").rglob("*.py"))
        if path.relative_to(ROOT).parts[1] not in ("cli", "organizer", "typed_command.py")
        if re.search(r"\b(arena|python)_command\b", path.read_text(encoding="utf-8"))
    ]

    assert found == [], "use arena.typed_command.plain_command"
