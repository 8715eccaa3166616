"""One match with nobody else on the server, all four seats of it in one process of bots."""

import asyncio

from tests.benchmarks.row import Figure, quantile
from tests.benchmarks.site import Play, site

ANSWER = "alone answer to question p50"
TURN_GOAL_MS = 1.0
ECHOES, BESIDE_MS = 1.2, 0.1
"""The goal of an answer: so many round trips of a bare echo, and so much besides."""


async def alone(seconds: float) -> list[Figure]:
    """How long until a bot is asked again.

    From the last answer that the process gave, on which the table goes on, to the arrival of the next question at
    whichever of its bots: encoding and sending in the SDK, both ways on the wire, and all that the server does. A turn
    of four seats goes from one landed play to the next, two such steps with what the bots think.
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
    """What an answer may take where a bare echo takes so long."""
    return ECHOES * echo_ms + BESIDE_MS
