"""Measures the time from the request for a match to the arrival of its first question. All bots are connected."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from arena.match.referee.match_order import MatchOrder
from arena.server.rpc.client import OrganizerClient
from tools.benchmarks.row import Figure, quantile
from tools.benchmarks.server_process import PACE
from tools.benchmarks.site import Play, Site, site

ALONE_GOAL_MS = 3.0
AT_ONCE_GOAL_MS = 25.0
IN_FLIGHT = 4
"""The most calls at the same time."""
ORDER = MatchOrder(("one", "one", "two", "two"), pace=PACE, is_rated=False)

Ask = Callable[[int], Awaitable[float]]
"""Requests a number of matches. Returns the instant at which the first request began."""


async def creation(alone: int, at_once: int) -> list[Figure]:
    """Measure `alone` matches one after another, then `at_once` matches together.

    The matches are created in three ways: by an organizer's call for each match, which stores the deal before it offers
    a seat; by one call for all matches; and by the registry alone. The bots never answer, so nothing else runs.
    """
    async with (
        site("mute", keeps_records=True) as place,
        OrganizerClient(place.address, place.tokens["organizer"]) as organizer,
    ):

        async def call(places: asyncio.Semaphore) -> None:
            async with places:
                await organizer.create_match(replace(ORDER, key=secrets.token_hex(16)))

        async def by_call(count: int) -> float:
            asked_s, places = time.monotonic(), asyncio.Semaphore(IN_FLIGHT)
            await asyncio.gather(*(call(places) for _ in range(count)))
            return asked_s

        async def in_one_call(count: int) -> float:
            asked_s = time.monotonic()
            await organizer.create_matches([replace(ORDER, key=secrets.token_hex(16)) for _ in range(count)])
            return asked_s

        async def in_the_hall(count: int) -> float:
            return (await place.play(count, Play()))[0]

        return [
            *await _figures(place, "create by call", by_call, alone, at_once, has_goal=True),
            *await _figures(place, "create in one call", in_one_call, alone, at_once, has_goal=True),
            *await _figures(place, "create in the registry", in_the_hall, alone, at_once, has_goal=False),
        ]


async def _figures(place: Site, name: str, ask: Ask, alone: int, at_once: int, *, has_goal: bool) -> list[Figure]:
    single_ms = [took for _ in range(alone) for took in await _took_ms(place, ask, 1)]
    many_ms = await _took_ms(place, ask, at_once)
    return [
        Figure(f"{name}, alone p50", "ms", quantile(single_ms, 0.5), ALONE_GOAL_MS if has_goal else None),
        Figure(f"{name}, alone p99", "ms", quantile(single_ms, 0.99)),
        Figure(f"{name}, {at_once} at once p50", "ms", quantile(many_ms, 0.5), AT_ONCE_GOAL_MS if has_goal else None),
        Figure(f"{name}, {at_once} at once p99", "ms", quantile(many_ms, 0.99)),
    ]


async def _took_ms(place: Site, ask: Ask, count: int) -> Sequence[float]:
    """Request `count` matches. Return the milliseconds until the first question of each, and cancel the matches."""
    seen = await _first_s(place)
    asked_s = await ask(count)
    while len(first_s := await _first_s(place)) < len(seen) + count:
        await asyncio.sleep(0.01)
    await place.server.ask("cancel", after=0)
    return [(first_s[match] - asked_s) * 1e3 for match in first_s.keys() - seen.keys()]


async def _first_s(place: Site) -> dict[int, float]:
    """Return, by match, when its first question arrived, in seconds of the clock that all processes share."""
    first_s: dict[int, float] = {}
    for each in place.bots:
        for match, arrived_s in (await each.ask("count"))["first_s"]:
            first_s[match] = min(arrived_s, first_s.get(match, arrived_s))
    return first_s
