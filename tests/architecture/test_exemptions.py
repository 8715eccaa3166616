"""Every comment that silences a check says why."""

import re
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FOLDERS = ("arena", "proto", "sample_bots", "sdk", "tests", "tools")

EXEMPTION = re.compile(
    r"# (?:ruff: )?(?:noqa|type: ignore|mypy: ignore-errors|mypy: disable-error-code|pragma: no cover)"
    r"(?:: ?[A-Z]+\d+(?:, ?[A-Z]+\d+)*|=\S+|\[[\w, -]+\])*"
)
"""A comment for ruff, mypy or coverage, with the rules that it names. What follows is the reason."""


def sources() -> Iterator[Path]:
    """Yield the hand-written Python files; what generators write is in a folder `v1`."""
    found = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return (path for path in found if not {"v1", "node_modules", "__pycache__"} & {*path.parts})


def list_unexplained(text: str) -> list[int]:
    """Return the lines of a program with an exemption that has a reason neither behind it nor on the line above."""
    if not EXEMPTION.search(text):  # to take a file apart takes long, and most have none
        return []
    tokens = tokenize.generate_tokens(StringIO(text).readline)
    comments = {token.start[0]: token for token in tokens if token.type == tokenize.COMMENT}
    own_lines = {line for line, token in comments.items() if token.line.strip().startswith("#")}
    return [
        line
        for line, token in comments.items()
        if EXEMPTION.search(token.string) and not re.search(r"\w", EXEMPTION.sub("", token.string))
        if line - 1 not in own_lines
    ]


def test_every_exemption_has_a_reason():
    """A reader can judge whether the exemption still holds."""
    paths = list(sources())

    assert {path.relative_to(ROOT).parts[0] for path in paths} >= {"arena", "sample_bots", "sdk", "tests", "tools"}
    unexplained = {str(path): lines for path in paths if (lines := list_unexplained(path.read_text(encoding="utf-8")))}
    assert unexplained == {}


@pytest.mark.parametrize(
    "line",
    [
        "a()  # noqa",
        "a()  # noqa: S311",
        "a()  # noqa: S311, E501",
        "a()  # noqa: S311  # type: ignore[arg-type]",
        "a()  # type: ignore",
        "a()  # type: ignore[arg-type, list-item]",
        "# ruff: noqa: E501",
    ],
)
def test_an_exemption_without_a_reason_is_found(line: str):
    """A reason on a line of code above is none."""
    assert list_unexplained(f"b()  # b comes first\n{line}\n") == [2]


@pytest.mark.parametrize(
    "text",
    [
        "a()  # noqa: S311  no secret",
        "a()  # type: ignore[arg-type]  # a list in memory",
        "# The dice need not be secret.\na()  # noqa: S311",
        "a('# noqa')",
        "a()  # fmt: skip",
    ],
)
def test_an_exemption_with_a_reason_is_accepted(text: str):
    """The reason is behind the exemption or above it; `fmt: skip` silences no check."""
    assert list_unexplained(text + "\n") == []
