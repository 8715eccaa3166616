"""Deadlines under full load: how late the default action comes, and whether answers are judged by when they arrived."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.row import Figure, quantile
from tests.benchmarks.site import SEATS, Play, site, start

LATE_GOAL_MS = 25.0
EARLY_US, LATE_US = 5_000, 20_000
"""So early an answer must count, so late it must not."""
ANSWER_US = 100_000
PACE = {"turn_ms": ANSWER_US // 1000, "call_ms": ANSWER_US // 1000, "max_auto_moves": 0}
"""Short, so that many deadlines pass; and nobody leaves for missing them."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """Answers that were judged against the truth: away from gaps of the loop, and in them."""

    clear: int
    in_gaps: int


async def deadlines(matches: int, probes: int, seconds: float) -> list[Figure]:
    """So many matches of honest bots, and beside them others whose bot answers around its deadlines.

    The instants at which its process began and had finished sending an answer are the truth about its arrival, as all
    processes of a machine share its monotonic clock.
    """
    async with site() as place, AsyncExitStack() as stack:
        probe = await start(stack, "probe", place.address, place.tokens["guest"])
        await place.play(matches, Play())
        clock = await place.server.ask("clock")
        await probe.ask("aim", started_us=clock["started_us"])
        await place.play(probes, Play(pace=PACE), ["guest"] * SEATS)
        await asyncio.sleep(seconds)
        await probe.wait_for(lambda heard: heard["answers"] and heard["defaults"])
        heard = await probe.ask("count")
        gaps = (await place.server.ask("clock"))["gaps"]
    started_us = clock["started_us"]
    defaults, answers = heard["defaults"], heard["answers"]
    told_ms = [(told - deadline) / 1e3 for deadline, told, _ in defaults]
    heard_ms = [(arrived - started_us - deadline) / 1e3 for deadline, _, arrived in defaults]
    early, late = wrong_answers(answers, started_us, gaps)
    spans_ms = [(last - first) / 1e3 for first, last in gaps]
    return [
        Figure("default action after its deadline p50", "ms", quantile(told_ms, 0.5)),
        Figure("default action after its deadline p99", "ms", quantile(told_ms, 0.99), LATE_GOAL_MS),
        Figure("default action heard by the bot p99", "ms", quantile(heard_ms, 0.99)),
        Figure("answers around deadlines", "", len(answers), is_more_better=True),
        Figure("answers 5 ms early refused", "", early.clear, 0),
        Figure("answers 5 ms early refused, in loop gaps", "", early.in_gaps),
        Figure("answers 20 ms late counted", "", late.clear, 0),
        Figure("answers 20 ms late counted, in loop gaps", "", late.in_gaps),
        Figure("loop gaps above 5 ms", "", len(gaps)),
        Figure("loop gaps above 5 ms, the longest", "ms", max(spans_ms, default=0.0)),
        Figure("loop gaps above 5 ms, all together", "ms", sum(spans_ms)),
    ]


def wrong_answers(
    answers: Sequence[dict[str, Any]], started_us: int, gaps: Sequence[tuple[int, int]]
) -> tuple[Wrong, Wrong]:
    """Early answers that were refused, and late ones that counted.

    A gap excuses the former from the sending on. The latter it excuses from the question on: a long one is credited,
    so that the deadline moves.
    """
    early, late = [], []
    for each in answers:
        deadline, before, after = each["deadline"], each["before"] - started_us, each["after"] - started_us
        if after <= deadline - EARLY_US and not each["has_counted"]:
            early.append((before, deadline))
        if before >= deadline + LATE_US and each["has_counted"]:
            late.append((deadline - ANSWER_US, before))
    return _split_by_gaps(early, gaps), _split_by_gaps(late, gaps)


def _split_by_gaps(spans: Sequence[tuple[int, int]], gaps: Sequence[tuple[int, int]]) -> Wrong:
    """Part spans of time by whether the loop was away in them."""
    in_gaps = sum(any(begun <= last and first <= ended for begun, ended in gaps) for first, last in spans)
    return Wrong(len(spans) - in_gaps, in_gaps)
