"""The sample bots in other languages: all presets and both games without a fault, and one clear line if they cannot."""

import asyncio
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.author.trouble.proxy import Proxy
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram, find_bot
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.competition.pools.pool_settings import PoolSettings
from arena.fleet.assembly.server import start_server
from arena.server.config.server_config import ServerConfig
from arena.server.node.session import ChallengePolicy
from arena.server.rpc.listeners import make_socket_path
from arena.server.rpc.local_authority import LocalAuthority
from arena.server.rpc.play_relay import PlayRelay, RelayedStream, StreamTap
from cheatarena.v1 import match_pb2, play_pb2, ruleset_pb2
from tests.sample_bots.bot_process import (
    assert_clean,
    connected_bot,
    playing_bot,
    read_end,
    start_bot,
    stop_bot,
    wait_for_result,
)
from tests.sample_bots.other_languages import FOLDER
from tests.support.boxes import skip_without_boxes
from tests.support.server import open_server, slow_pace
from tests.support.stamping import loop_parts

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the builds are for a Unix shell"),
]

PRESETS = ("standard", "folk", "rank_lock", "ascending")
SEATS = 4
LIVE = slow_pace(style=ruleset_pb2.PACE_STYLE_LIVE, call_ms=2_000, min_call_ms=500)
CUT_GAP = 150
"""The number of decisions between two cuts of a line."""
WITH_BREAKS = slow_pace(intermission_ms=60_000)
POOL = PoolSettings(name="pair", seats=2, rules={"max_turns": 4}, pace_settings={"turn_ms": 60_000, "call_ms": 500})
"""A call window of a pool always lasts for all of its time, so it is short here."""


def option(name: str, value: object) -> match_pb2.OptionSetting:
    return match_pb2.OptionSetting(name=name, value=str(value))


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


async def test_it_plays_in_a_box_over_the_socket_of_the_server(language, tmp_path):
    """A box has no network, but it shows the socket, at an address of the form unix:PATH."""
    skip_without_boxes()
    program = find_bot(str(language.folder))
    assert isinstance(program, BotProgram)
    boxed = replace(program, is_boxed=True)
    with make_socket_path() as socket:
        async with open_server(tmp_path / "data", listen=(f"unix:{socket}",)) as site:
            with Launcher(tmp_path / "output", open_boxes=BubblewrapBackend) as launcher:
                token = await site.create_token("bot")
                process = launcher.start(boxed, address=f"unix:{socket}", token=token, instance="one", name="bot")
                while ("bot", "one") not in site.node.sessions:
                    assert process.exit_code is None, (process.describe_state(), process.tail(20))
                    await asyncio.sleep(0.02)
                match = await site.create_match("bot", "bot", pace=slow_pace(), options=())
                assert_clean(await wait_for_result(site, match), 1)
                await asyncio.to_thread(launcher.close)
    assert process.exit_code == 0


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


class CutAtDecisions(StreamTap):
    """A tap that cuts the bot's line again and again, each time when the bot has sent some more decisions.

    Decisions wait until `start`, so that no match is over before the first cut, on a slow machine neither.
    """

    def __init__(self) -> None:
        self.cuts_left = 0
        self._line: Proxy | None = None
        self._count = 0
        self._held: list[tuple[RelayedStream, play_pb2.PlayRequest]] = []

    def start(self, line: Proxy, cuts: int) -> None:
        """Release the decisions, and cut the line from now on. It has to lead to this tap's relay."""
        self._line, self.cuts_left = line, cuts
        for stream, frame in self._held:
            stream.to_server.put_nowait(frame)

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Pass the frame on. If the line is cut, the frame may still arrive; the bot gets no answer to it."""
        if self._line is None and frame.decisions:
            self._held.append((stream, play_pb2.PlayRequest(decisions=frame.decisions)))
            del frame.decisions[:]
            return [frame] if frame.notices else ()
        self._count += len(frame.decisions)
        if self._line is not None and self._count >= CUT_GAP and self.cuts_left:
            self._count = 0
            self.cuts_left -= 1
            self._line.cut()
        return [frame]


@pytest.mark.parametrize("resume", ["", "exact"], ids=["from-snapshots", "from-positions"])
async def test_it_survives_lost_connections_without_a_fault(language, tmp_path, resume):
    """The line is cut six times while eight matches run. Their games have about 2,400 decisions."""
    tap = CutAtDecisions()
    pace = slow_pace(reconnect_grace_ms=60_000)
    cases = [("cheat", "standard"), ("cheat", "folk"), ("cheat", "rank_lock"), ("cheater", "cheater")] * 2
    async with (
        open_server(tmp_path) as site,
        PlayRelay(site.address, tap) as relay,
        Proxy(relay.address) as proxy,
        playing_bot(site, language, proxy.address, CHEATARENA_RESUME=resume),
    ):
        matches = [
            await site.create_match(*["bot"] * SEATS, game=game, preset=preset, pace=pace, options=(), game_count=3)
            for game, preset in cases
        ]
        tap.start(proxy, cuts=6)
        for match in matches:
            assert_clean(await wait_for_result(site, match), 3)
        assert tap.cuts_left == 0
        assert proxy.connection_count > 6


async def test_it_enters_the_pools_of_its_environment_and_is_seated(language, tmp_path):
    """Two owners' bots enter. The log of each says in one line what it gets in each pool."""
    told = {"CHEATARENA_POOLS": "pair,other:3", "CHEATARENA_VERSION": "2.1", "CHEATARENA_CHALLENGES": "everybody"}
    async with (
        open_server(tmp_path, pools=(POOL,)) as site,
        connected_bot(site, language, name="ann", **told) as ann,
        connected_bot(site, language, name="bob", **told) as bob,
    ):
        while not await site.store.pools.seatings("pair", 1):
            await asyncio.sleep(0.05)
        (seating,) = await site.store.pools.seatings("pair", 1)
        match = await wait_for_result(site, match_pb2.Match(match_id=seating.match_id))
        policies = {site.node.sessions[name, "one"].challenges for name in ("ann", "bob")}
        ends = [await stop_bot(process) for process in (ann, bob)]

    assert {(each.bot, each.version) for each in seating.seated} == {("ann", "2.1"), ("bob", "2.1")}
    assert (match.termination, len(match.games)) == ("finished", 1)
    assert policies == {ChallengePolicy.EVERYBODY}
    for code, log in ends:
        assert code == 0
        entered, unknown, *_ = log  # a bot that is told to stop in mid-match may hear that it has left
        assert entered.endswith("pool pair: up to 1 seat at once")
        assert unknown.endswith("pool other: 0 seats, because the pools of this server are: pair")


async def test_wrong_address_ends_with_one_line(language):
    """Nothing listens at the port of an unused socket."""
    process = await start_bot(
        language, CHEATARENA_ADDRESS="127.0.0.1:1", CHEATARENA_TOKEN="cat_x", CHEATARENA_PATIENCE="1"
    )
    code, errors = await read_end(process)

    assert (code, len(errors.splitlines())) == (69, 1), errors
    assert "127.0.0.1:1" in errors


async def test_it_says_once_that_it_still_looks_for_a_server(language):
    process = await start_bot(
        language, CHEATARENA_ADDRESS="127.0.0.1:1", CHEATARENA_TOKEN="cat_x", CHEATARENA_PATIENCE="6"
    )
    code, errors = await read_end(process)

    assert code == 69
    first, last = errors.splitlines()
    assert "still trying 127.0.0.1:1 (" in first
    assert last.startswith("no server at 127.0.0.1:1 for 6")


async def test_refused_token_ends_with_one_line(language, tmp_path):
    async with open_server(tmp_path) as site:
        code, errors = await read_end(
            await start_bot(language, CHEATARENA_ADDRESS=site.address, CHEATARENA_TOKEN="cat_planted")
        )

    assert (code, len(errors.splitlines())) == (77, 1), errors
    assert "token" in errors
    assert "cat_planted" not in errors


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CHEATARENA_TOKEN", ""),
        ("CHEATARENA_ADDRESS", "no port"),
        ("CHEATARENA_POOLS", "standard:0"),
        ("CHEATARENA_VERSION", "v" * 33),
        ("CHEATARENA_CHALLENGES", "friends"),
    ],
)
async def test_bad_setting_ends_with_one_line(language, name, value):
    settings = {"CHEATARENA_ADDRESS": "127.0.0.1:1", "CHEATARENA_TOKEN": "cat_x"}
    code, errors = await read_end(await start_bot(language, **(settings | {name: value})))

    assert (code, len(errors.splitlines())) == (64, 1), errors
    assert name in errors


def test_cpp_build_generates_all_files_of_the_contract_that_a_stream_needs():
    """The other builds find them by themselves; that of C++ lists their names."""
    needed, unread = set[str](), [play_pb2.DESCRIPTOR]
    while unread:
        file = unread.pop()
        needed.add(Path(file.name).stem)
        unread += [each for each in file.dependencies if Path(each.name).stem not in needed]

    listed = re.search(r"foreach\(NAME ([^)]*)\)", (FOLDER / "cpp" / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert listed is not None
    assert set(listed[1].split()) == needed


# ---- servers that do not fit


class OtherVersion(StreamTap):
    """A tap that makes a server speak another version: it refuses every stream, or welcomes it with its version."""

    def __init__(self, version: int, *, refuses: bool) -> None:
        self._version = version
        self._refuses = refuses

    def on_opened(self, stream: RelayedStream) -> None:
        """Refuse the stream, as a server does that does not speak the bot's version."""
        if self._refuses:
            text = f"this server speaks version {self._version} of the protocol, not version 1"
            stream.refuse("unsupported_version", text)

    def on_server_frame(self, stream: RelayedStream, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Pass the frame on, with the other version in Welcome."""
        for notice in frame.notices:
            if notice.HasField("welcome"):
                notice.welcome.protocol_version = self._version
        return [frame]


@pytest.mark.parametrize(
    ("version", "refuses"), [(2, True), (0, False), (2, False)], ids=["refused-by-newer", "older", "newer"]
)
async def test_other_version_ends_with_one_line(language, tmp_path, version, refuses):
    async with open_server(tmp_path) as site, PlayRelay(site.address, OtherVersion(version, refuses=refuses)) as relay:
        token = await site.create_token("bot")
        code, errors = await read_end(
            await start_bot(language, CHEATARENA_ADDRESS=relay.address, CHEATARENA_TOKEN=token)
        )

    assert (code, len(errors.splitlines())) == (76, 1), errors
    assert f"version {version}" in errors


@pytest.mark.parametrize(
    ("is_server_tls", "needs_client_certificate", "authority", "words"),
    [
        pytest.param(True, False, None, r"only one side uses TLS|plaintext", id="plaintext-to-tls"),
        pytest.param(False, False, "right", r"no secure connection|plaintext", id="tls-to-plaintext"),
        pytest.param(True, False, "wrong", r"certificate", id="wrong-authority"),
        pytest.param(True, True, "right", r"certificate", id="no-client-certificate"),
    ],
)
async def test_tls_that_does_not_fit_ends_with_one_line(
    language, tmp_path, is_server_tls, needs_client_certificate, authority, words
):
    authorities = {name: LocalAuthority(tmp_path / name) for name in ("right", "wrong")}
    pair = authorities["right"].issue_server_certificate(["localhost", "127.0.0.1"])
    tls: dict[str, Any] = {"tls_cert": pair.certificate, "tls_key": pair.key, "tls_on_loopback": True}
    if needs_client_certificate:
        tls["tls_client_ca"] = authorities["right"].certificate
    config = ServerConfig(tmp_path / "data", grace_s=0, **(tls if is_server_tls else {}))
    environment = {"CHEATARENA_CA": str(authorities[authority].certificate)} if authority else {}

    async with start_server(config, *loop_parts()) as server:
        token = await server.store.tokens.create("bot", ["play"])
        process = await start_bot(language, CHEATARENA_ADDRESS=server.address, CHEATARENA_TOKEN=token, **environment)
        code, errors = await read_end(process)

    assert (code, len(errors.splitlines())) == (76, 1), errors
    assert re.search(words, errors), errors
