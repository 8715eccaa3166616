"""Measures deadlines under full load: how late automatic actions come, and whether answers are judged correctly."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from tools.benchmarks.row import Figure, quantile
from tools.benchmarks.site import SEATS, Play, site, start

LATE_GOAL_MS = 25.0
EARLY_US, LATE_US = 5_000, 20_000
"""An answer that comes at least this early must count. An answer that comes at least this late must not."""
ANSWER_US = 100_000
PACE = {"turn_ms": ANSWER_US // 1000, "call_ms": ANSWER_US // 1000, "max_auto_moves": 0}
"""A short pace, so that many deadlines pass. No seat is given up for missing them."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """Numbers of answers that were judged wrongly, outside of gaps of the loop and during gaps."""

    clear: int
    in_gaps: int


async def deadlines(matches: int, probes: int, seconds: float) -> list[Figure]:
    """Measure `matches` matches of honest bots beside `probes` matches of a bot that answers around its deadlines.

    An answer arrives between the instants at which the bot's process begins and ends to send it. The server's instants
    can be compared with these, because all processes of a machine share its monotonic clock.
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
    """Return the early answers that were refused, and the late answers that counted.

    A refused early answer is excused by a gap of the loop between its sending and its deadline. A late answer that
    counted is excused by a gap between its question and its sending: a long gap is credited, so it moves the deadline.
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
    """Count the spans of time without a gap of the loop, and those with one."""
    in_gaps = sum(any(begun <= last and first <= ended for begun, ended in gaps) for first, last in spans)
    return Wrong(len(spans) - in_gaps, in_gaps)
