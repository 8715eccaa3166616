"""`arena watch`: a spectator in a terminal or in a pipe, at a real server."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from cheatarena.v1 import match_pb2
from tests.e2e.test_restart import reconnect
from tests.support.commands import CommandProcess, run_arena, run_on_terminal, start_command
from tests.support.server import ServerClients, slow_pace, visit_server
from tests.support.wire_bot import WireBot, play_lowest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and terminals are otherwise there")


@asynccontextmanager
async def running(data: Path) -> AsyncIterator[ServerClients]:
    """Run a server process, and connect clients to it."""
    with start_command("serve", "--data", data, "--grace", 0) as server:
        async with visit_server(data, server.wait_for_line("READY").split()[1]) as clients:
            yield clients


async def offer_match(clients: ServerClients, *names: str, **request: object) -> tuple[match_pb2.Match, list[WireBot]]:
    """Offer seats to bots that have not accepted yet."""
    bots = await clients.connect_bots(*names)
    return await clients.create_match(*names, pace=slow_pace(), **request), bots


def write_token(clients: ServerClients, folder: Path) -> Path:
    """Write the token of a spectator to a file."""
    file = folder / "token"
    file.write_text(clients.watching[0][1].removeprefix("Bearer ") + "\n")
    return file


@contextmanager
def watching(clients: ServerClients, match: match_pb2.Match, folder: Path) -> Iterator[CommandProcess]:
    """Watch a match in a process whose output goes to a pipe."""
    token = write_token(clients, folder)
    with start_command("watch", match.match_id, "--server", clients.address, "--token-file", token) as command:
        yield command


async def play_past(bots: list[WireBot], sequence: int) -> None:
    """Let bots play until each has a message after this one. They then wait, for a minute if need be."""
    await asyncio.gather(*(bot.play(play_lowest, stop=lambda message: message.sequence > sequence) for bot in bots))


async def wait_for_line(command: CommandProcess, start: str) -> str:
    return await asyncio.to_thread(command.wait_for_line, start)


@pytest.mark.slow
async def test_match_is_told_line_by_line_until_its_end(tmp_path):
    """Each line is there as soon as it has happened; the last one has the result."""
    async with running(tmp_path / "data") as clients:
        match, bots = await offer_match(clients, "ann", "bob", game_count=2)
        with watching(clients, match, tmp_path) as command:
            await play_past(bots, 12)
            await wait_for_line(command, "game 0")
            await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
            code = await asyncio.to_thread(command.wait_for_exit)

    assert code == ExitCode.YES, command.err
    first, *_, last = command.out
    assert first.startswith("game 0")
    assert sum(line.startswith("game ") and " is over, " in line for line in command.out) == 2
    assert last.startswith("the match is over, finished; sums of places: ")
    assert command.err == []


@pytest.mark.slow
async def test_table_is_drawn_in_place_on_a_terminal(tmp_path):
    """The last drawing stays on the screen: the seats, the score, and the last lines."""
    async with running(tmp_path / "data") as clients:
        match, bots = await offer_match(clients, "ann", "bob")
        asked = ("watch", match.match_id, "--server", clients.address, "--token-file", write_token(clients, tmp_path))
        output: list[bytes] = []
        watched = asyncio.ensure_future(asyncio.to_thread(run_on_terminal, asked, 100, output=output))
        await play_past(bots, 6)
        while b"from turn" not in b"".join(output) and not watched.done():
            await asyncio.sleep(0.02)
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        code, text = await watched

    assert code == ExitCode.YES, text
    last = text.rpartition("cheat standard · game 0, turn ")[2]
    assert "1 of 1 game over · the match is over, finished" in last
    assert "place 1" in last
    assert "the match is over, finished; sums of places: " in last


@pytest.mark.slow
async def test_watching_goes_on_when_the_server_is_back(tmp_path):
    """It is killed during a game, and started again at the same address."""
    data = tmp_path / "data"
    with start_command("serve", "--data", data, "--grace", 0) as server:
        address = server.wait_for_line("READY").split()[1]
        async with visit_server(data, address) as clients:
            match, bots = await offer_match(clients, "ann", "bob", game_count=3)
            tokens, token = clients.tokens, write_token(clients, tmp_path)
            with start_command("watch", match.match_id, "--server", address, "--token-file", token) as command:
                await play_past(bots, 12)
                await wait_for_line(command, "game 0")
                server.signal(signal.SIGKILL)
                await asyncio.to_thread(server.wait_for_exit)
                await wait_for_line(command, "the connection is lost")
                told = len(command.out)
                with start_command("serve", "--data", data, "--grace", 0, "--listen", address) as again:
                    again.wait_for_line("READY")
                    async with visit_server(data, address) as new:
                        back = await reconnect(new, tokens)
                        await play_past(back, 40)
                        while len(command.out) == told:
                            await asyncio.sleep(0.02)
                        await asyncio.gather(*(bot.play(play_lowest) for bot in back))
                        code = await asyncio.to_thread(command.wait_for_exit)

    assert code == ExitCode.YES, command.err
    assert command.out[-1].startswith("the match is over, finished; sums of places: ")
    assert len(command.err) == 1


@pytest.mark.slow
async def test_interrupt_stops_watching_and_not_the_match(tmp_path):
    async with running(tmp_path / "data") as clients:
        match, bots = await offer_match(clients, "ann", "bob")
        with watching(clients, match, tmp_path) as command:
            await play_past(bots, 4)
            await wait_for_line(command, "game 0")
            command.signal(signal.SIGINT)
            code = await asyncio.to_thread(command.wait_for_exit)
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        ended = await clients.wait_for_result(match)

    assert code == ExitCode.INTERRUPTED
    assert command.err == ["arena: stopped; the match goes on\n"]
    assert ended.termination == "finished"


@pytest.mark.slow
async def test_match_that_is_over_is_named_with_the_command_that_shows_it(tmp_path):
    async with running(tmp_path / "data") as clients:
        match, bots = await offer_match(clients, "ann", "bob")
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        await clients.wait_for_result(match)
        with watching(clients, match, tmp_path) as command:
            code = await asyncio.to_thread(command.wait_for_exit)

    assert code == ExitCode.USAGE
    (said,) = command.err
    assert said.startswith(f"arena: no match {match.match_id} runs at {clients.address}; if it is over, `")
    assert f"arena replay show {match.match_id}`" in said
    assert command.out == []


# ---- what is missing


@pytest.fixture(autouse=True)
def _without_access(monkeypatch, tmp_path):
    monkeypatch.setenv("CHEATARENA_CREDENTIALS", str(tmp_path / "none.json"))
    for name in ("CHEATARENA_ADDRESS", "CHEATARENA_TOKEN", "ARENA_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def test_missing_server_is_one_sentence(capsys, monkeypatch):
    monkeypatch.setenv("CHEATARENA_TOKEN", "cat_x")

    ended = run_arena(capsys, "watch", "M")

    assert ended.code == ExitCode.USAGE
    assert ended.err == "arena: no server is named: set CHEATARENA_ADDRESS to host:port\n"


def test_missing_token_is_one_sentence(capsys, monkeypatch):
    monkeypatch.setenv("CHEATARENA_ADDRESS", "127.0.0.1:1")

    ended = run_arena(capsys, "watch", "M")

    assert ended.code == ExitCode.USAGE
    assert "there is no token: use --token-file" in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot be read: No such file"), (b"", "is empty"), ("cat_x".encode("utf-16"), "save it as UTF-8")],
)
def test_bad_token_file_is_one_sentence(capsys, tmp_path, content, words):
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)

    ended = run_arena(capsys, "watch", "M", "--server", "127.0.0.1:1", "--token-file", file)

    assert ended.code == ExitCode.USAGE
    assert str(file) in ended.err
    assert words in ended.err
    assert len(ended.err.splitlines()) == 1


def test_server_that_is_away_is_one_sentence(capsys, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "t")

    ended = run_arena(capsys, "watch", "M", "--server", "127.0.0.1:1")

    assert ended.code == ExitCode.UNSTEADY
    assert "127.0.0.1:1" in ended.err
