"""Reads in the output of bots where a method was that had not returned at its deadline.

The SDK logs this from a thread of its own (`cheatarena.answer_watch`), because the bot itself is stuck.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from arena.bots.launch.output import read_errors

StuckReports: TypeAlias = Mapping[tuple[int, int], str]
"""By the number of the match on its node and the id of the prompt: `turn() at bot.py:12, in turn()`."""

_STUCK: Final = re.compile(
    r" ERROR match (\d{1,9}): (\w+\(\)) has not returned at its deadline; it is (.+) \(prompt (\d{1,18})\)$"
)


def read_stuck_reports(outputs: Iterable[Path]) -> StuckReports:
    """Return what the output files of one bot say about methods that had not returned at their deadlines."""
    found = [stuck for path in outputs for line in read_errors(path) if (stuck := _STUCK.search(line)) is not None]
    return {(int(each[1]), int(each[4])): f"{each[2]} {each[3]}" for each in found}
