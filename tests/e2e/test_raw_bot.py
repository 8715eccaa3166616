"""The protocol guide is enough: a bot written from it plays real matches in a process of its own, without a fault."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import grpc.aio
import pytest

from arena.fleet.assembly.node import run_node_loop
from arena.fleet.assembly.server import RunningServer, start_server
from arena.server.config.server_config import ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector
from cheatarena.v1 import error_reason_pb2, event_pb2, match_pb2, match_pb2_grpc, play_pb2, ruleset_pb2
from tests.support.paces import pace_request_fields

PACE = ruleset_pb2.Pace(
    style=ruleset_pb2.PACE_STYLE_SEALED,
    turn_ms=5000,
    call_ms=5000,
    intermission_ms=60_000,  # both bots have to say that they are ready
    max_auto_moves=3,
    reconnect_grace_ms=30_000,
)
RAW_BOT = Path(__file__).with_name("raw_bot.py")
SMALL_BOT = Path(__file__).with_name("small_bot.py")
SMALL_CHEATER_BOT = Path(__file__).with_name("small_cheater_bot.py")
GUIDE = Path(__file__).parents[2] / "proto" / "README.md"


def serve(data: Path, scenario: Callable[[RunningServer], Awaitable[None]]) -> None:
    """Run a scenario beside a real server, in the server's own loop."""

    async def main(clock: NodeClock, selector: StampingSelector) -> int:
        async with start_server(ServerConfig(data, grace_s=0), clock, selector) as server:
            await scenario(server)
        return 0

    assert run_node_loop(main) == 0


@asynccontextmanager
async def bot(
    server: RunningServer, name: str, address: str = "", program: Path = RAW_BOT
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A raw bot that has dialled in; `address`: where it dials, if not at the server itself."""
    told = {
        "CHEATARENA_ADDRESS": address or server.address,
        "CHEATARENA_TOKEN": await server.store.tokens.create(name, ["play"]),
        "CHEATARENA_INSTANCE": "one",
    }
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(program), env={"PATH": os.defpath} | told, stdout=pipe, stderr=pipe
    )
    try:
        while (name, "one") not in server.node.sessions:
            assert process.returncode is None, "the bot has ended"
            await asyncio.sleep(0.02)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def play_match(server: RunningServer, game_count: int, decks: int = 1, game: str = "cheat") -> match_pb2.Match:
    """A match of the raw bot against a rival with two seats, after its end."""
    options = {"cheat": [match_pb2.OptionSetting(name="decks", value=str(decks))]}
    token = await server.store.tokens.create("organizer", ["organize"])
    metadata = (("authorization", f"Bearer {token}"),)
    wanted = match_pb2.CreateMatchRequest(
        entrants=["raw", "rival", "rival"],
        game=game,
        preset={"cheat": "standard"}.get(game, game),
        options=options.get(game, []),
        **pace_request_fields(PACE),
        game_count=game_count,
        unrated=True,
    )
    async with grpc.aio.insecure_channel(server.address) as channel:
        organizer = match_pb2_grpc.MatchServiceStub(channel)
        made = await organizer.CreateMatch(wanted, metadata=metadata)
        over = match_pb2.WaitForResultRequest(match_id=made.match.match_id)
        result = await organizer.WaitForResult(over, metadata=metadata, timeout=60)
    return result.match


async def stderr_of(process: asyncio.subprocess.Process) -> str:
    """What a bot has written to stderr, after ending it: every fault and every refusal."""
    process.terminate()
    _, errors = await process.communicate()
    return errors.decode()


async def next_line_of(process: asyncio.subprocess.Process) -> str:
    """The next line of a bot."""
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), 10)).decode().strip()


def assert_clean(match: match_pb2.Match) -> None:
    """Every game has its places, and nobody did anything wrong."""
    assert match.termination == "finished"
    for game in match.games:
        assert game.termination in ("finished", "max_turns", "spelled")
        assert (len(game.places), min(game.places)) == (3, 1)
    assert list(match.strikes) == [match_pb2.Strikes()] * 3


@pytest.mark.slow
def test_bot_written_from_the_guide_plays_a_complete_match(tmp_path):
    async def scenario(server: RunningServer) -> None:
        async with bot(server, "raw") as raw, bot(server, "rival") as rival:
            match = await play_match(server, game_count=3)

            assert_clean(match)
            assert len(match.games) == 3
            sums = [sum(game.places[entrant] for game in match.games) for entrant in range(3)]
            assert await next_line_of(raw) == f"place sums: {sums[0]} {sums[1]} {sums[2]}"
            assert await stderr_of(raw) == ""
            assert await stderr_of(rival) == ""

    serve(tmp_path, scenario)


def test_sixty_line_bot_plays_a_complete_match(tmp_path):
    """The minimum that a bot has to do is small."""

    async def scenario(server: RunningServer) -> None:
        async with bot(server, "raw", program=SMALL_BOT) as small, bot(server, "rival"):
            match = await play_match(server, game_count=1)

            assert_clean(match)
            assert await next_line_of(small) == f"place sums: {' '.join(map(str, match.games[0].places))}"

    code = [line for line in SMALL_BOT.read_text().splitlines() if line.strip()]
    assert len(code) <= 70
    serve(tmp_path, scenario)


@pytest.mark.slow
def test_small_bot_of_the_other_game_plays_a_match_too(tmp_path):
    """It plays CHEATER with the generated messages alone, without a fault. Whether cards change hands is chance."""

    async def scenario(server: RunningServer) -> None:
        async with (
            bot(server, "raw", program=SMALL_CHEATER_BOT) as small,
            bot(server, "rival", program=SMALL_CHEATER_BOT) as rival,
        ):
            match = await play_match(server, game_count=1, game="cheater")

            assert_clean(match)
            assert await next_line_of(small) == f"place sums: {' '.join(map(str, match.games[0].places))}"
            assert all(figures.values["decisions"] > 0 for figures in match.figures)
            assert await stderr_of(small) == await stderr_of(rival) == ""

    serve(tmp_path, scenario)


class BreakingProxy:
    """A way to the server that breaks: connection n after `breaks[n]` bytes from the server."""

    def __init__(self, address: str, breaks: list[int]) -> None:
        self._host, _, port = address.rpartition(":")
        self._port = int(port)
        self._breaks = breaks
        self.connection_count = 0

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection."""
        allowed = dict(enumerate(self._breaks)).get(self.connection_count, sys.maxsize)
        self.connection_count += 1
        far_reader, far_writer = await asyncio.open_connection(self._host, self._port)
        ways = [
            asyncio.create_task(_pour(reader, far_writer, sys.maxsize)),
            asyncio.create_task(_pour(far_reader, writer, allowed)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for end in (writer, far_writer):
            end.transport.abort()
        await asyncio.wait(ways)


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, allowed: int) -> None:
    """Carry bytes one way, until the end of the connection or of what is allowed."""
    try:
        while allowed > 0 and (some := await reader.read(min(allowed, 65536))):
            allowed -= len(some)
            writer.write(some)
            await writer.drain()
    except ConnectionError:
        return


@pytest.mark.slow
def test_guide_bot_survives_lost_connections_without_a_fault(tmp_path):
    """With four decks, hands above 54 cards are sent as pairs."""

    async def scenario(server: RunningServer) -> None:
        wire = BreakingProxy(server.address, breaks=[2000, 2000, 2000])
        listener = await asyncio.start_server(wire.forward, "127.0.0.1", 0)
        address = f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        async with bot(server, "raw", address) as raw, bot(server, "rival"):
            match = await play_match(server, game_count=1, decks=4)

            assert_clean(match)
            assert wire.connection_count == 4
            assert (await next_line_of(raw)).startswith("place sums: ")
            assert await stderr_of(raw) == ""
        listener.close()
        await listener.wait_closed()

    serve(tmp_path, scenario)


def test_guide_names_every_reason_fact_and_notice():
    reasons = [name.removeprefix("ERROR_REASON_") for name, number in error_reason_pb2.ErrorReason.items() if number]
    choices = (event_pb2.Event.DESCRIPTOR, play_pb2.BotNotice.DESCRIPTOR, play_pb2.ServerNotice.DESCRIPTOR)
    messages = [field.message_type.name for choice in choices for field in choice.fields if field.message_type]

    told = set(re.findall(r"\w+", GUIDE.read_text(encoding="utf-8")))

    assert {*reasons, *messages} - told == set()
