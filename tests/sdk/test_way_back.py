"""Once an arena has answered at an address, a bot tries again whatever fails on the way back to it."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import grpc
import pytest

from arena.author.trouble.proxy import Proxy, Reception
from arena.author.trouble.tls_trouble import make_tls_context
from arena.server.rpc.local_authority import LocalAuthority
from cheatarena import dialling, session, stream
from cheatarena.errors import RefusedError, TlsError
from tests.sdk.fake_arena import FakeArena, Stream, read_to_end, run_fake_arena
from tests.sdk.test_session import client_of

FAILURES = [Reception.RESET, Reception.CUT, Reception.SILENT, Reception.PAGE]


async def greet(served: Stream) -> None:
    await served.welcome()
    await read_to_end(served)


@asynccontextmanager
async def line_to(arena: FakeArena, tls: Path | None):
    """Open a line to an arena, and return it with the settings of a bot. With TLS, the line's far end speaks it."""
    async with AsyncExitStack() as stack:
        if tls is None:
            yield await stack.enter_async_context(Proxy(arena.address)), {}
            return
        authority = LocalAuthority(tls)
        front = await stack.enter_async_context(Proxy(arena.address, tls=make_tls_context(authority)))
        yield await stack.enter_async_context(Proxy(front.address)), {"ca": authority.certificate}


@pytest.mark.parametrize("speaks_tls", [True, False], ids=["TLS", "plaintext"])
@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: each.name)
async def test_bot_that_was_welcome_comes_back_after_any_failure(tmp_path, monkeypatch, caplog, failure, speaks_tls):
    monkeypatch.setattr(stream, "HELLO_TIMEOUT_S", 0.5)
    monkeypatch.setattr(session, "MAX_BACKOFF_S", 0.1)
    monkeypatch.setattr(dialling, "FIRST_PAUSE_S", 0.0)
    async with (
        run_fake_arena(greet, greet) as arena,
        line_to(arena, tmp_path if speaks_tls else None) as (line, settings),
    ):
        client = client_of(line.address, patience_s=60, **settings)
        playing = asyncio.create_task(client.play())
        await arena.has_begun()

        line.turn_away(failure)
        async with asyncio.timeout(30):
            while caplog.text.count("still trying") < 3:
                assert not playing.done()
                await asyncio.sleep(0.01)
        line.turn_away(Reception.FORWARDED)

        async with asyncio.timeout(30):
            while len(arena.streams) < 2 or not arena.streams[-1].has_begun.is_set():
                await asyncio.sleep(0.01)
        client.stop()
        await asyncio.wait_for(playing, 10)


async def test_bot_that_no_arena_has_answered_is_told_at_once_what_is_wrong(tmp_path):
    async with run_fake_arena() as arena, line_to(arena, tmp_path) as (line, settings):
        line.turn_away(Reception.CUT)
        with pytest.raises(TlsError, match="the TLS handshake failed"):
            await client_of(line.address, patience_s=0.2, **settings).play()


async def test_status_without_a_reason_is_final_only_for_a_bot_that_was_never_welcome():
    async def turn_away(served: Stream) -> None:
        await served.refuse(grpc.StatusCode.PERMISSION_DENIED, "a proxy says no")

    async def end(served: Stream) -> None:
        await served.welcome()
        await served.farewell("GOODBYE")

    async def greet_once(served: Stream) -> None:
        await served.welcome()

    async with run_fake_arena(greet_once, turn_away, end) as arena:
        await client_of(arena.address, patience_s=30).play()
    assert len(arena.streams) == 3

    async with run_fake_arena(turn_away) as arena:
        with pytest.raises(RefusedError, match="a proxy says no"):
            await client_of(arena.address, patience_s=30).play()


async def test_bot_leaves_a_line_on_which_nothing_arrives(monkeypatch, caplog):
    """Only from a server that pings at all times. An older one is silent while it waits for its disk."""
    monkeypatch.setattr(stream, "SILENCE_STEP_S", 0.05)

    async def fall_silent(served: Stream) -> None:
        await served.welcome(answers_soon=len(arena.streams) == 1)
        await read_to_end(served)

    async with run_fake_arena(fall_silent, fall_silent) as arena:
        client = client_of(arena.address, patience_s=30)
        playing = asyncio.create_task(client.play())
        async with asyncio.timeout(20):
            while len(arena.streams) < 2:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.6)
        client.stop()
        await asyncio.wait_for(playing, 10)

    assert len(arena.streams) == 2
    assert "nothing has come from the server" in caplog.text


async def test_bot_waits_for_its_welcome_while_the_server_has_its_hello(monkeypatch):
    monkeypatch.setattr(stream, "HELLO_TIMEOUT_S", 0.2)

    async def wait_for_disk(served: Stream) -> None:
        await served.context.send_initial_metadata(())
        await asyncio.sleep(0.6)
        await served.welcome()
        await served.farewell("GOODBYE")

    async with run_fake_arena(wait_for_disk) as arena:
        await client_of(arena.address, patience_s=30).play()

    assert len(arena.streams) == 1
