"""Formats rows as a table: the rows of one benchmark, or of two benchmarks side by side."""

import statistics
from collections.abc import Iterable, Iterator, Sequence

from tools.benchmarks.row import Row


def table(rows: Sequence[Row]) -> str:
    """Return a line for each row: median, spread of the runs, goal, ratio to the goal, noise."""
    width = max((len(row.name) for row in rows), default=0)
    head = (
        f"{'row':{width}}  {'median':>10} {'unit':4} {'from':>10} {'to':>10} {'goal':>10} {'goal x':>7}"
        f" {'others':>7} {'cal us':>7}"
    )
    return "\n".join([head, *(_line(row, width) for row in rows)])


def _line(row: Row, width: int) -> str:
    others = statistics.median(row.others) if row.others else None
    return (
        f"{row.name:{width}}  {number(row.median):>10} {row.unit:4} {number(min(row.runs)):>10}"
        f" {number(max(row.runs)):>10} {number(row.goal):>10} {number(row.to_goal):>7} {number(others):>7}"
        f" {number(statistics.median(row.calibration_us)):>7}  {row.remark}"
    ).rstrip()


def comparison(before: Iterable[Row], after: Iterable[Row]) -> str:
    """Return a line for each pair of rows with the same name, with the verdict on the pair."""
    return "\n".join(_compare_rows(list(before), {row.name: row for row in after}))


def _compare_rows(before: Sequence[Row], after: dict[str, Row]) -> Iterator[str]:
    width = max((len(row.name) for row in before), default=0)
    yield f"{'row':{width}}  {'before':>10} {'after':>10} {'unit':4} {'ratio':>7}  what can be said"
    for row in before:
        other = after.pop(row.name, None)
        if other is None:
            yield f"{row.name:{width}}  only before"
            continue
        ratio = other.median / row.median if row.median else None
        yield (
            f"{row.name:{width}}  {number(row.median):>10} {number(other.median):>10} {row.unit:4}"
            f" {number(ratio):>7}  {verdict(row, other)}"
        ).rstrip()
    yield from (f"{name:{width}}  only after" for name in after)


def verdict(before: Row, after: Row) -> str:
    """Return `better` or `worse` if all runs of one row are above all runs of the other; otherwise an empty text.

    With fewer than three runs of a row, return `too few runs`.
    """
    if min(len(before.runs), len(after.runs)) < 3:
        return "too few runs"
    if max(before.runs) < min(after.runs):
        return "better" if before.is_more_better else "worse"
    if max(after.runs) < min(before.runs):
        return "worse" if before.is_more_better else "better"
    return ""


def number(value: float | None) -> str:
    """Return a number with three or four significant digits.

    >>> [number(each) for each in (None, 0.0, 0.0123, 1.234, 123.4, 40000.0)]
    ['-', '0', '0.012', '1.23', '123.4', '40,000']
    """
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1000:
        return str(int(value))
    digits = next((d for limit, d in ((0.1, 3), (10, 2), (1000, 1)) if abs(value) < limit), 0)
    return f"{value:,.{digits}f}"
