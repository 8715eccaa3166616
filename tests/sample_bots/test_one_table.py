"""The sample bots of all languages sit at one table, and nobody gets a strike, on good lines and on lines that break.

A short run is part of `make bots`. `make one-table` plays twenty games of each ruleset in each pace.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import pytest

from arena.author.trouble.proxy import Proxy
from arena.bots.launch.programs import BotProgram, find_bot
from cheatarena.v1 import match_pb2, ruleset_pb2
from tests.sample_bots.bot_process import StartableBot, assert_clean, playing_bot, wait_for_result
from tests.sample_bots.other_languages import list_languages
from tests.support.server import LocalServer, open_server, slow_pace

GAMES = int(os.environ.get("GAMES", "2"))
"""Games of each ruleset in each pace."""
LIVE_TURNS = 4 if GAMES < 20 else 30
"""The number of turns after which a live game ends. Each turn takes two seconds."""
MIN_SEATS = 4
"""The fewest seats of the preset `ascending`."""
CUT_S = 1.0
"""Seconds between two cuts of a line."""
RULESETS = (
    ("cheat", "standard"), ("cheat", "folk"), ("cheat", "rank_lock"), ("cheat", "ascending"), ("cheater", "cheater"),
)  # fmt: skip
PYTHON = {"cheat": "honest", "cheater": "set_chaser"}
"""The sample in Python that plays each game."""
PATIENT = {"reconnect_grace_ms": 600_000}
LIVE = slow_pace(style=ruleset_pb2.PACE_STYLE_LIVE, call_ms=2_000, min_call_ms=500, **PATIENT)

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the builds are for a Unix shell"),
    pytest.mark.timeout(900),
]


def all_bots() -> dict[str, StartableBot]:
    """Return the bots of all languages that are built, by name. `make bots` builds them."""
    built = [each for each in list_languages() if not each.missing and each.is_built]
    found: dict[str, StartableBot] = {each.name: each for each in built}
    if not found:
        pytest.skip("no bot in another language is built; `make bots` builds them")
    for name in PYTHON.values():
        program = find_bot(f"sample:{name}")
        assert isinstance(program, BotProgram)
        found[name] = program
    return found


@asynccontextmanager
async def broken_lines(proxies: list[Proxy]) -> AsyncIterator[None]:
    """Cut each line every second, one after the other."""

    async def cut_on() -> None:
        while True:
            for proxy in proxies:
                await asyncio.sleep(CUT_S / len(proxies))
                proxy.cut()

    cutting = asyncio.create_task(cut_on())
    try:
        yield
    finally:
        cutting.cancel()
        with suppress(asyncio.CancelledError):
            await cutting


async def create_matches(site: LocalServer, languages: list[str]) -> list[tuple[match_pb2.Match, int]]:
    """Begin all matches, and return each with its number of games. Live games run side by side, since they are slow."""
    matches = []
    for game, preset in RULESETS:
        entrants = [*languages, *[PYTHON[game]] * max(1, MIN_SEATS - len(languages))]
        # Some presets allow fewer seats than there are languages.
        options = [match_pb2.OptionSetting(name="players_max", value="10")]
        asked: dict[str, Any] = {"game": game, "preset": preset}
        sealed = slow_pace(**PATIENT)
        match = await site.create_match(*entrants, pace=sealed, options=options, game_count=GAMES, **asked)
        matches.append((match, GAMES))
        if game == "cheat":
            options.append(match_pb2.OptionSetting(name="max_turns", value=str(LIVE_TURNS)))
        for number in range(GAMES):
            seed = bytes([number]) * 32
            match = await site.create_match(*entrants, pace=LIVE, options=options, seed=seed, **asked)
            matches.append((match, 1))
    return matches


@pytest.mark.parametrize(
    ("resume", "is_cut"),
    [("", False), ("", True), ("exact", True)],
    ids=["quiet", "from-snapshots", "from-positions"],
)
async def test_all_languages_play_at_one_table_without_a_fault(tmp_path, resume, is_cut):
    bots = all_bots()
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(open_server(tmp_path))
        proxies = []
        for name, bot in bots.items():
            proxy = await stack.enter_async_context(Proxy(site.address))
            proxies.append(proxy)
            told = {"CHEATARENA_RESUME": resume, "CHEATARENA_LOG": "ERROR"}
            await stack.enter_async_context(playing_bot(site, bot, proxy.address, name, **told))
        matches = await create_matches(site, [name for name in bots if name not in PYTHON.values()])
        if is_cut:
            await stack.enter_async_context(broken_lines(proxies))
        for match, game_count in matches:
            assert_clean(await wait_for_result(site, match), game_count)

        assert min(proxy.connection_count for proxy in proxies) > (3 if is_cut else 0)
