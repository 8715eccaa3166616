"""Measures decisions over the wire. Each of two processes of bots has two of the four seats of every match."""

import asyncio

from tools.benchmarks.row import Figure
from tools.benchmarks.site import Play, Site, Span, site

RATE_GOAL = 40_000.0
SERVER_GOAL_US = 20.0
DISK_RATE_GOAL = 25_000.0
FAR_S = 0.05
"""One-way delay of distant bots in seconds: half of a round trip between continents."""
GOAL_FROM = 64
"""The smallest number of matches for which rate and cost have goals."""


async def decisions(name: str, matches: int, seconds: float, play: Play | None = None) -> list[Figure]:
    """Measure the rate and cost of decisions, the length of turns, and how full the frames are."""
    span = await _span(matches, seconds, play or Play())
    has_goal = play is None and matches >= GOAL_FROM
    return [
        Figure(f"{name} rate", "/s", span.rate, RATE_GOAL if has_goal else None, True, span.remark),
        Figure(f"{name} server", "us", span.server_us, SERVER_GOAL_US if has_goal else None),
        Figure(f"{name} server a message", "us", span.message_us),
        Figure(f"{name} bots", "us", span.bots_us),
        Figure(f"{name} turn p50", "ms", span.turn_ms(0.5)),
        Figure(f"{name} turn p99", "ms", span.turn_ms(0.99)),
        Figure(f"{name} decisions a frame in", "", span.per_frame_in, is_more_better=True),
        Figure(f"{name} messages a frame out", "", span.per_frame_out, is_more_better=True),
    ]


async def ruleset(name: str, matches: int, seconds: float, play: Play) -> list[Figure]:
    """Measure what a decision and a message under another ruleset cost the server."""
    span = await _span(matches, seconds, play, bot=play.game)
    return [
        Figure(f"{name} server", "us", span.server_us, remark=span.remark),
        Figure(f"{name} server a message", "us", span.message_us),
    ]


async def single(name: str, matches: int, seconds: float) -> list[Figure]:
    """Measure matches with a session and a stream for each seat and a frame for each message, as in a simple server."""
    span = await _span(matches, seconds, Play(), single=matches)
    return [
        Figure(f"{name} rate", "/s", span.rate, is_more_better=True, remark=span.remark),
        Figure(f"{name} server", "us", span.server_us),
    ]


async def on_disk(name: str, matches: int, seconds: float) -> list[Figure]:
    """Measure a server that syncs its journal before it sends messages."""
    span = await _span(matches, seconds, Play(), journal="disk")
    return [
        Figure(f"{name} rate", "/s", span.rate, DISK_RATE_GOAL, True, span.remark),
        Figure(f"{name} server", "us", span.server_us),
        Figure(f"{name} turn p50", "ms", span.turn_ms(0.5)),
    ]


async def over_tls(name: str, matches: int, seconds: float) -> list[Figure]:
    """Measure a server with TLS between the server and its bots."""
    async with site(tls=True) as place:
        span = await _watch(place, matches, seconds, Play())
    return [
        Figure(f"{name} rate", "/s", span.rate, is_more_better=True, remark=span.remark),
        Figure(f"{name} server", "us", span.server_us),
        Figure(f"{name} turn p50", "ms", span.turn_ms(0.5)),
    ]


async def far_away(name: str, matches: int, seconds: float) -> list[Figure]:
    """Measure bots whose messages take `FAR_S` each way."""
    async with site(delay_s=FAR_S) as place:
        span = await _watch(place, matches, max(seconds, 20 * FAR_S), Play())
    return [
        Figure(f"{name} rate", "/s", span.rate, is_more_better=True, remark=span.remark),
        Figure(f"{name} turn p50", "ms", span.turn_ms(0.5)),
    ]


async def _span(
    matches: int, seconds: float, play: Play, bot: str = "cheat", journal: str = "process", single: int = 0
) -> Span:
    async with site(bot, journal=journal, single=single) as place:
        return await _watch(place, matches, seconds, play)


async def _watch(place: Site, matches: int, seconds: float, play: Play) -> Span:
    """Begin matches, wait for a quarter of the span to warm up, and then measure."""
    await place.play(matches, play)
    await asyncio.sleep(seconds / 4)
    return await place.watch(seconds)
