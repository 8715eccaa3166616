"""Measures honest matches beside a bad bot: it reads slowly, floods the server, burns a core, or never answers."""

import asyncio
from contextlib import AsyncExitStack

from tools.benchmarks.row import Figure
from tools.benchmarks.site import SEATS, Play, Site, Span, site, start

RATE_GOAL = 0.9
"""The share of the honest matches' rate that must be left."""
TURN_GOAL = 2.0
"""How many times longer the slowest turns of the honest matches may take."""
KINDS = {
    "slow": "slow reader",
    "flood": "flood, 50 a frame",
    "flood-singly": "flood, one a frame",
    "burn": "burner",
    "silent": "silent bot",
}
MATCHES = 8
"""The number of matches in which the bad bot has all seats."""
PACES = {"slow": {"turn_ms": 50, "call_ms": 50}, "silent": {"turn_ms": 2_000, "call_ms": 1_000}}
"""Short paces. A slow reader never answers, but its tables go on, so many messages wait for it."""


async def neighbours(matches: int, seconds: float) -> list[Figure]:
    """Measure the same honest matches beside each kind of bad bot, and alone before and after each kind."""
    figures = []
    async with site() as place:
        await place.play(matches, Play())
        await asyncio.sleep(seconds / 4)
        before = await place.watch(seconds / 2, matches)
        for kind, words in KINDS.items():
            beside, thrown_out = await _beside(place, kind, matches, seconds)
            after = await place.watch(seconds / 2, matches)
            figures += _figures(f"beside a {words}:", beside, before, after, thrown_out)
            before = after
    return figures


async def _beside(place: Site, kind: str, matches: int, seconds: float) -> tuple[Span, int]:
    """Measure the honest matches beside a bad bot. Also return how often the server ended its stream."""
    async with AsyncExitStack() as stack:
        neighbour = await start(stack, "neighbour", kind, place.address, place.tokens["guest"])
        pace = {**PACES.get(kind, {}), "max_auto_moves": 0}
        await place.play(MATCHES, Play(pace=pace), ["guest"] * SEATS)
        await neighbour.ask("begin", seconds=2 * seconds)
        await asyncio.sleep(seconds / 4)
        span = await place.watch(seconds, matches)
        thrown_out = 0 if kind == "burn" else (await neighbour.ask("count"))["streams"] - 1
    await place.server.ask("cancel", after=matches)
    return span, thrown_out


def _figures(name: str, beside: Span, before: Span, after: Span, thrown_out: int) -> list[Figure]:
    rate = (before.rate + after.rate) / 2
    turn_ms = (before.turn_ms(0.99) + after.turn_ms(0.99)) / 2
    return [
        Figure(f"{name} rate", "x", beside.rate / max(1, rate), RATE_GOAL, True),
        Figure(f"{name} turn p99", "x", beside.turn_ms(0.99) / max(1e-9, turn_ms), TURN_GOAL),
        Figure(f"{name} lost", "", beside.strikes + beside.troubles, 0, remark=beside.remark),
        Figure(f"{name} thrown out", "", thrown_out),
    ]
