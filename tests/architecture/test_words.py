"""Names and docstrings use the field's words: a short list of words does not come back."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

RETIRED = {
    "hall": "match registry",
    "shoe": "ready deals",
    "furnishing": "node ports",
    "easing": "disk credit",
    "eased": "disk credit",
    "desk": "prompt log",
    "bench": "bot pool",
    "spoilt": "void",
    "reckon": "compute, estimate",
    "reckoned": "computed, estimated",
    "whoever": "name the subject",
    "thereof": "of it",
    "begun": "started",
    "wishes": "request",
}
"""Words that names no longer use, and what to say instead. Metaphors that nobody can search for."""

IRREGULAR = frozenset(
    [
        "begun",
        "bound",
        "broken",
        "brought",
        "built",
        "chosen",
        "cut",
        "dealt",
        "drawn",
        "driven",
        "found",
        "given",
        "gone",
        "heard",
        "held",
        "hidden",
        "kept",
        "known",
        "laid",
        "led",
        "left",
        "lent",
        "lost",
        "made",
        "meant",
        "met",
        "paid",
        "sat",
        "said",
        "seen",
        "sent",
        "shown",
        "sold",
        "spent",
        "spoilt",
        "stood",
        "struck",
        "taken",
        "taught",
        "thought",
        "told",
        "understood",
        "won",
        "written",
    ]
)
"""Participles without -ed. A function is named by a verb phrase or, if it is a query, by a noun."""

VERBS = frozenset({"cut", "bound", "feed", "seed", "speed", "need", "embed", "shed", "proceed", "exceed"})
"""Words that look like participles and are verbs in their own right, or nouns."""

PUBLIC = frozenset({"wanted"})
"""Methods of the SDK that bots depend on: `PickOptions.wanted`."""


def sources() -> list[Path]:
    """Return the hand-written Python files of everything that is shipped."""
    found = [path for folder in ("arena", "sample_bots", "sdk/cheatarena") for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "v1" not in path.parts and "node_modules" not in path.parts)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method, nested ones too, except properties."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not any("property" in ast.unparse(each) for each in node.decorator_list):
            yield node


def is_participle(name: str) -> bool:
    """Return whether a function's name is a bare participle, such as `told` or `_joined`."""
    word = name.strip("_")
    if not word.isalpha() or not word.islower() or word in VERBS | PUBLIC:
        return False
    return word in IRREGULAR or (word.endswith("ed") and len(word) > 4)


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of each definition: functions, classes and their parameters."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.arg(arg=name):
                yield node.lineno, name
            case _:
                pass


def words_of(name: str) -> list[str]:
    """Split a name into lower-case words.

    >>> words_of("MatchRegistry"), words_of("_ready_deals")
    (['match', 'registry'], ['ready', 'deals'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


@cache
def is_retired(name: str) -> bool:
    """Return whether a name is or has a retired word."""
    return not RETIRED.keys().isdisjoint([*words_of(name), name.lower()])


def find_faults(text: str) -> list[str]:
    """List the retired words, the functions named by a bare participle and the docstrings that begin with 'Of'."""
    faults = [line.strip() for line in text.splitlines() if line.strip().startswith('"""Of ')]
    if any(map(is_retired, set(re.findall(r"\w+", text)))) or any(map(is_participle, re.findall(r"\bdef (\w+)", text))):
        tree = ast.parse(text)
        faults += [f"{line}: {name}" for line, name in names(tree) if is_retired(name)]
        faults += [f"{node.lineno}: {node.name}" for node in functions(tree) if is_participle(node.name)]
    return faults


def test_names_use_the_words_of_the_field():
    """No retired word, no function named by a bare participle, no docstring that begins with 'Of'."""
    found = {
        str(path.relative_to(ROOT)): faults
        for path in sources()
        if (faults := find_faults(path.read_text(encoding="utf-8")))
    }

    assert found == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("class MatchHall:\n    pass\n", "1: MatchHall"),
        ("def find(shoe):\n    pass\n", "1: shoe"),
        ("async def _joined():\n    pass\n", "1: _joined"),
        ('def find():\n    """Of a bot."""\n', '"""Of a bot."""'),
    ],
)
def test_a_planted_fault_is_found(text: str, fault: str):
    assert find_faults(text) == [fault]


@pytest.mark.parametrize("name", ["told", "_joined", "reckoned", "lost"])
def test_a_planted_participle_is_found(name: str):
    """The check knows what it looks for."""
    assert is_participle(name)


@pytest.mark.parametrize("name", ["seed", "cut", "on_lost", "feed", "is_done", "Called"])
def test_a_verb_is_no_participle(name: str):
    """The check does not cry wolf."""
    assert not is_participle(name)


def test_file_names_use_the_words_of_the_field():
    """A stranger finds a feature by its file name."""
    found = [str(path.relative_to(ROOT)) for path in sources() if RETIRED.keys() & {*words_of(path.stem)}]

    assert found == []


def test_glossary_is_short():
    """A reader can learn it; a word that one page explains stays out."""
    words = re.findall(r"^\| \*\*(.+?)\*\*", (ROOT / "docs/glossary.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert 0 < len(words) == len(set(words)) <= 40
