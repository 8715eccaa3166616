"""The sample bots in other languages come back over every broken line, and no proxy or stray character stops them."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Self

import pytest

from arena.competition.pools.pool_settings import PoolSettings
from arena.fleet.assembly.server import start_server
from arena.server.config.server_config import ServerConfig
from arena.server.rpc.local_authority import LocalAuthority
from arena.server.rpc.play_relay import PlayRelay, RelayedStream, StreamTap
from cheatarena.v1 import play_pb2
from tests.sample_bots.bot_process import (
    assert_clean,
    connected_bot,
    playing_bot,
    read_end,
    start_bot,
    stop_bot,
    wait_for_result,
)
from tests.support.server import open_server, slow_pace
from tests.support.stamping import loop_parts

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the builds are for a Unix shell"),
]

PROXY_VARIABLES = ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy")


class DeafLine(StreamTap):
    """A tap that loses the decisions of the first stream, and passes on all else: the server is content."""

    def __init__(self) -> None:
        self.stream_count = 0

    def on_opened(self, stream: RelayedStream) -> None:
        """Count the stream."""
        self.stream_count = stream.number

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Pass the frame on, on the first stream without its decisions."""
        if stream.number == 1:
            del frame.decisions[:]
        return [frame] if frame.decisions or frame.notices else ()


@pytest.mark.slow
@pytest.mark.timeout(90)
async def test_a_line_that_is_dead_one_way_is_left_for_another(language, tmp_path):
    """Frames arrive, and a decision gets no answer. The bot notices it before its turn is over."""
    tap = DeafLine()
    async with (
        open_server(tmp_path) as site,
        PlayRelay(site.address, tap) as relay,
        playing_bot(site, language, relay.address),
    ):
        match = await site.create_match("bot", "bot", pace=slow_pace())
        while tap.stream_count == 1:
            await asyncio.sleep(0.05)
        assert_clean(await wait_for_result(site, match), 1)
    assert tap.stream_count == 2


class RudeLine:
    """Forwards connections to a server, and for a while does something else with each new one."""

    def __init__(self, target: str) -> None:
        self.address = ""
        self.way = "forward"
        """`cut` closes a connection when something has come, `web` answers as a web server, `silent` never answers."""
        self.rude_count = 0
        """How many connections were not forwarded."""
        self._target = target.rsplit(":", 1)
        self._open = set[asyncio.StreamWriter]()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """Reset all connections."""
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        if self.way == "forward":
            far_reader, far_writer = await asyncio.open_connection(*self._target)
            await asyncio.gather(_forward(reader, far_writer), _forward(far_reader, writer))
            return
        self.rude_count += 1
        await reader.read(100)
        if self.way == "web":
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        if self.way != "silent":
            writer.close()


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


@pytest.mark.parametrize("uses_tls", [False, True], ids=["plaintext", "tls"])
@pytest.mark.parametrize("way", ["cut", "web", pytest.param("silent", marks=pytest.mark.slow)])
async def test_after_a_welcome_it_comes_back_whatever_answers_meanwhile(language, tmp_path, way, uses_tls):
    """On the first attempt, each of these would mean that no arena is there or that TLS fails."""
    authority = LocalAuthority(tmp_path / "authority")
    pair = authority.issue_server_certificate(["localhost", "127.0.0.1"])
    tls = {"tls_cert": pair.certificate, "tls_key": pair.key, "tls_on_loopback": True} if uses_tls else {}
    pool = PoolSettings(name="pair", seats=2)
    config = ServerConfig(tmp_path / "data", grace_s=0, pools=(pool,), **tls)  # type: ignore[arg-type]  # of three types
    told = {"CHEATARENA_CA": str(authority.certificate)} if uses_tls else {}
    clock, selector = loop_parts()

    async with start_server(config, clock, selector) as server, RudeLine(server.address) as line:
        token = await server.store.tokens.create("bot", ["play"])
        told |= {
            "CHEATARENA_ADDRESS": line.address,
            "CHEATARENA_TOKEN": token,
            "CHEATARENA_INSTANCE": "one",
            "CHEATARENA_PATIENCE": "120",
            "CHEATARENA_POOLS": "pair",
        }
        process = await start_bot(language, **told)

        async def wait_for_session(*, is_there: bool) -> None:
            while (("bot", "one") in server.node.sessions) is not is_there:
                assert process.returncode is None, await read_end(process)
                await asyncio.sleep(0.02)

        await wait_for_session(is_there=True)
        assert process.stderr is not None
        assert b"pool pair" in await process.stderr.readline()  # it has read Welcome, which comes before
        line.way = way
        line.cut()
        await wait_for_session(is_there=False)
        while line.rude_count < (2 if way == "silent" else 7):
            assert process.returncode is None, await read_end(process)
            await asyncio.sleep(0.02)
        line.way = "forward"
        await wait_for_session(is_there=True)
        code, log = await stop_bot(process)
        assert (code, [entry for entry in log if "pool pair" not in entry]) == (0, [])


async def test_no_proxy_stands_between_it_and_this_machine(language, tmp_path):
    proxies = {name: "http://127.0.0.1:1" for each in PROXY_VARIABLES for name in (each, each.upper())}
    async with open_server(tmp_path) as site, playing_bot(site, language, **proxies):
        match = await site.create_match("bot", "bot", pace=slow_pace())
        assert_clean(await wait_for_result(site, match), 1)


@pytest.mark.parametrize("form", ["{}\r\n", "\ufeff{}\n", "\u00a0 {}\t"], ids=["line-end", "mark", "spaces"])
async def test_what_an_editor_adds_to_a_token_does_no_harm(language, tmp_path, form):
    async with open_server(tmp_path) as site:
        token = form.format(await site.create_token("bot"))
        async with connected_bot(site, language, CHEATARENA_TOKEN=token) as process:
            assert await stop_bot(process) == (0, [])


@pytest.mark.parametrize("token", ["cat_\u00e9", "cat_a\rb", "cat_a b", "\u201ccat_a\u201d"])
async def test_a_character_that_no_token_has_is_refused_before_the_first_connection(language, token):
    told = {"CHEATARENA_ADDRESS": "127.0.0.1:1", "CHEATARENA_TOKEN": token}
    code, errors = await read_end(await start_bot(language, **told))

    assert (code, len(errors.splitlines())) == (64, 1), errors
    assert "CHEATARENA_TOKEN" in errors
    assert token not in errors
