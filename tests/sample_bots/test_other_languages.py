"""The sample bots in other languages: all presets and both games without a fault, and one clear line if they cannot."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cheatarena.v1 import match_pb2, ruleset_pb2
from tests.faults.proxy import Proxy
from tests.sample_bots.other_languages import Language, list_languages
from tests.support.server import LocalServer, open_server, slow_pace

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the builds are for a Unix shell"),
]

PRESETS = ("standard", "folk", "rank_lock", "ascending")
SEATS = 4
END_TIME_S = 60
"""How long a bot may look for a server that is not there."""
LIVE = slow_pace(style=ruleset_pb2.PACE_STYLE_LIVE, call_ms=2_000, min_call_ms=500)
WITH_BREAKS = slow_pace(intermission_ms=60_000)


def option(name: str, value: object) -> match_pb2.OptionSetting:
    return match_pb2.OptionSetting(name=name, value=str(value))


@pytest.fixture(scope="module", params=list_languages(), ids=lambda language: language.name)
def language(request: pytest.FixtureRequest) -> Language:
    """A language whose bot is built. `make bots` builds all whose programs are installed, and then runs these tests."""
    found: Language = request.param
    if found.missing:
        pytest.skip(f"{' and '.join(found.missing)} is not installed")
    if not found.is_built:
        pytest.skip("the bot is not built; `make bots` builds it")
    return found


def start(language: Language, **environment: str) -> Any:
    """Start the bot with these variables alone."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return asyncio.create_subprocess_exec(
        *language.command, cwd=language.folder, env=inherited | environment, stdout=PIPE, stderr=PIPE
    )


async def read_end(process: Process) -> tuple[int | None, str]:
    """Return the exit code and what the bot has written to stderr."""
    _, errors = await asyncio.wait_for(process.communicate(), END_TIME_S)
    return process.returncode, errors.decode()


@asynccontextmanager
async def playing_bot(
    site: LocalServer, language: Language, address: str = "", **environment: str
) -> AsyncIterator[None]:
    """Connect the bot. At the end it is told to stop: it says goodbye, and had nothing to complain of."""
    told = {
        "CHEATARENA_ADDRESS": address or site.address,
        "CHEATARENA_TOKEN": await site.create_token("bot"),
        "CHEATARENA_INSTANCE": "one",
    }
    process = await start(language, **told, **environment)
    try:
        while ("bot", "one") not in site.node.sessions:
            assert process.returncode is None, await read_end(process)
            await asyncio.sleep(0.02)
        yield
        process.send_signal(signal.SIGTERM)
        assert await read_end(process) == (0, "")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def wait_for_result(site: LocalServer, match: match_pb2.Match) -> match_pb2.Match:
    request = match_pb2.WaitForResultRequest(match_id=match.match_id)
    ended: match_pb2.Match = (await site.matches.WaitForResult(request, metadata=site.organizing, timeout=300)).match
    return ended


def assert_clean(match: match_pb2.Match, game_count: int) -> None:
    """Every game was played to its end, and nobody has a strike."""
    assert (match.termination, len(match.games)) == ("finished", game_count)
    assert [*match.strikes] == [match_pb2.Strikes()] * len(match.strikes)


async def test_it_plays_every_preset_in_both_paces_without_a_fault(language, tmp_path):
    """All matches run at the same time on one stream, and the bot has all seats. Breaks wait until it is ready."""
    wanted: list[Mapping[str, Any]] = [
        *({"preset": preset, "pace": WITH_BREAKS, "options": (), "game_count": 2} for preset in PRESETS),
        *({"preset": preset, "pace": LIVE, "options": (option("max_turns", 4),)} for preset in PRESETS),
        *({"game": "cheater", "preset": "cheater", "pace": pace, "options": ()} for pace in (slow_pace(), LIVE)),
    ]
    async with open_server(tmp_path) as site, playing_bot(site, language):
        matches = [await site.create_match(*["bot"] * SEATS, **request) for request in wanted]
        for request, match in zip(wanted, matches, strict=True):
            assert_clean(await wait_for_result(site, match), request.get("game_count", 1))


async def test_it_plays_hands_of_many_packs_and_cuts_them(language, tmp_path):
    """Hands above 54 cards are sent in another form. The moves of a believed claim leave the game."""
    options = (
        option("decks", 12),
        option("deal", "cut_and_choose"),
        option("believe", "true"),
        option("max_turns", 200),
    )
    async with open_server(tmp_path) as site, playing_bot(site, language):
        match = await site.create_match(*["bot"] * 3, pace=slow_pace(), options=options)
        assert_clean(await wait_for_result(site, match), 1)


@pytest.mark.parametrize("resume", ["", "exact"], ids=["from-snapshots", "from-positions"])
async def test_it_survives_lost_connections_without_a_fault(language, tmp_path, resume):
    """The line is cut six times while eight matches run."""
    pace = slow_pace(reconnect_grace_ms=60_000)
    cases = [("cheat", "standard"), ("cheat", "folk"), ("cheat", "rank_lock"), ("cheater", "cheater")] * 2
    async with (
        open_server(tmp_path) as site,
        Proxy(site.address) as proxy,
        playing_bot(site, language, proxy.address, CHEATARENA_RESUME=resume),
    ):
        matches = [
            await site.create_match(*["bot"] * SEATS, game=game, preset=preset, pace=pace, options=(), game_count=3)
            for game, preset in cases
        ]
        for _ in range(6):
            await asyncio.sleep(0.6)
            proxy.cut()
        for match in matches:
            assert_clean(await wait_for_result(site, match), 3)
        assert proxy.connection_count >= 4


async def test_wrong_address_ends_with_one_line(language):
    """Nothing listens at the port of an unused socket."""
    process = await start(language, CHEATARENA_ADDRESS="127.0.0.1:1", CHEATARENA_TOKEN="cat_x", CHEATARENA_PATIENCE="1")
    code, errors = await read_end(process)

    assert (code, len(errors.splitlines())) == (69, 1), errors
    assert "127.0.0.1:1" in errors


async def test_refused_token_ends_with_one_line(language, tmp_path):
    async with open_server(tmp_path) as site:
        code, errors = await read_end(
            await start(language, CHEATARENA_ADDRESS=site.address, CHEATARENA_TOKEN="cat_planted")
        )

    assert (code, len(errors.splitlines())) == (77, 1), errors
    assert "token" in errors
    assert "cat_planted" not in errors


@pytest.mark.parametrize(("name", "value"), [("CHEATARENA_TOKEN", ""), ("CHEATARENA_ADDRESS", "no port")])
async def test_bad_setting_ends_with_one_line(language, name, value):
    settings = {"CHEATARENA_ADDRESS": "127.0.0.1:1", "CHEATARENA_TOKEN": "cat_x"}
    code, errors = await read_end(await start(language, **(settings | {name: value})))

    assert (code, len(errors.splitlines())) == (64, 1), errors
    assert name in errors
