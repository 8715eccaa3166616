"""Measures the only match of a server. One process of bots has all four seats."""

import asyncio

from tools.benchmarks.row import Figure, quantile
from tools.benchmarks.site import Play, site

ANSWER = "alone answer to question p50"
TURN_GOAL_MS = 1.0
ECHOES, BESIDE_MS = 1.2, 0.1
"""The goal for an answer: this many round trips of a bare echo, plus this many milliseconds."""


async def alone(seconds: float) -> list[Figure]:
    """Measure how long it takes until a bot is asked again.

    The time begins with the last answer of the process, and ends when the next question arrives at any of its bots.
    It includes the SDK's work, both ways on the wire, and the server's work. A turn of four seats takes from one play
    to the next: two such answers, and the time in which the bots think.
    """
    async with site("timed", processes=1) as place:
        await place.play(1, Play())
        await asyncio.sleep(seconds / 4)
        span = await place.watch(seconds)
    return [
        Figure(ANSWER, "ms", quantile(span.waits_s, 0.5) * 1e3, remark=span.remark),
        Figure("alone answer to question p99", "ms", quantile(span.waits_s, 0.99) * 1e3),
        Figure("alone turn of four p50", "ms", span.turn_ms(0.5), TURN_GOAL_MS),
    ]


def answer_goal_ms(echo_ms: float) -> float:
    """Return the goal for an answer, given the time of a bare echo."""
    return ECHOES * echo_ms + BESIDE_MS
