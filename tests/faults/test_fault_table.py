"""The table of faults names a test for each fault, and every test in it exists."""

import ast
import re
from functools import cache
from pathlib import Path

from arena.server import guards

FOLDER = Path(__file__).parent
ROWS = [line for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines() if re.match(r"\| \d", line)]
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def test_every_fault_has_a_row_with_tests_and_an_outcome():
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in ROWS]

    assert len(cells) >= 39
    assert [int(number) for number, *_ in cells] == [*range(1, len(cells) + 1)]
    assert all(fault and NAMED.search(tests) and outcome for _, fault, tests, outcome in cells)


def test_every_test_in_the_table_exists():
    named = {match.groups() for row in ROWS for match in NAMED.finditer(row)}

    assert [f"{path}::{test}" for path, test in sorted(named) if test not in functions_in(FOLDER.parent / path)] == []


def test_every_test_that_a_guard_names_exists():
    named = re.findall(r"tests/([\w/]+\.py)(?:::(\w+))?", guards.__doc__ or "")

    assert len(named) >= 8
    assert [f"{path}::{test}" for path, test in named if not functions_in(FOLDER.parent / path) >= {test} - {""}] == []


@cache
def functions_in(path: Path) -> set[str]:
    """Return the names of the functions of a file; empty if there is none."""
    if not path.is_file():
        return set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
