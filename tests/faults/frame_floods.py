"""Floods of each type of HTTP/2 frame, and of TLS, by strangers who acknowledge nothing and read nothing.

`python -m tests.faults.frame_floods` prints a table: how far the memory of a server grows in each flood, and how long
the honest matches on it stand. Names of floods after it restrict the table to these.
"""

import asyncio
import itertools
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.server.rpc.local_authority import LocalAuthority
from tests.faults.http2 import (
    CANCEL,
    CONTINUATION,
    DATA,
    END_HEADERS,
    GOAWAY,
    HEADERS,
    PING,
    PREFACE,
    PRIORITY,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    UNKNOWN,
    WINDOW_UPDATE,
    call_headers,
    frame,
    header_block,
)
from tests.faults.soak import attacked_arena
from tools.benchmarks.child import Child, obey

CONNECTIONS, MOST_BYTES, RUNS = 16, 1 << 20, 3
"""How many connections send a flood, how many bytes each sends, and how often each flood is measured."""
THINK_MS = 5
"""How long honest bots think."""
HELD_S, FLOOD_S, WATCHED_S = 1.0, 3.0, 5.0
"""How long a connection is held after its flood, how long the flood may take, and how long the matches are watched."""
HEAD = header_block(call_headers("/cheatarena.v1.PlayService/Play")) + b"\x40\x05xx-aa\x05bbbbb"
"""The headers of a call; HPACK's table keeps the last one (RFC 7541, section 6.2.1)."""
REFERENCE = b"\xbe"
"""The header that the table has got last, once more."""
FULL = 1 << 14
"""The most bytes in a frame that a server has to accept."""
OPENED = frame(HEADERS, END_HEADERS, 1, HEAD)


def _repeat(chunk: bytes, opening: bytes = OPENED) -> Iterator[bytes]:
    yield opening
    many = chunk * max(1, FULL // len(chunk))
    while True:
        yield many


def _open_streams(block: bytes, also: Callable[[int], bytes] = lambda _: b"") -> Iterator[bytes]:
    yield OPENED
    count = max(1, FULL // len(block))
    for first in itertools.count(1, count):
        streams = range(2 * first + 1, 2 * (first + count) + 1, 2)
        yield b"".join(frame(HEADERS, END_HEADERS, each, block) + also(each) for each in streams)


def _literals() -> bytes:
    return b"".join(b"\0\x04x%03d\1a" % (each % 1000) for each in range(FULL // 8 - len(HEAD)))


FLOODS: Mapping[str, Callable[[], Iterator[bytes]]] = {
    "HEADERS, references": lambda: _open_streams(HEAD + REFERENCE * (FULL - len(HEAD))),
    "HEADERS, short headers": lambda: _open_streams(HEAD + _literals()),
    "HEADERS, calls": lambda: _open_streams(HEAD),
    "CONTINUATION, references": lambda: _repeat(
        frame(CONTINUATION, 0, 1, REFERENCE * FULL), frame(HEADERS, 0, 1, HEAD)
    ),
    "DATA, empty": lambda: _repeat(frame(DATA, 0, 1)),
    "DATA, one byte": lambda: _repeat(frame(DATA, 0, 1, b"\0")),
    "DATA, full": lambda: _repeat(frame(DATA, 0, 1, bytes(FULL))),
    "PRIORITY": lambda: _repeat(frame(PRIORITY, 0, 1, bytes(4) + b"\x10")),
    "RST_STREAM": lambda: _open_streams(HEAD, also=lambda stream: frame(RST_STREAM, 0, stream, CANCEL)),
    "SETTINGS": lambda: _repeat(frame(SETTINGS, 0, 0)),
    "PUSH_PROMISE": lambda: _repeat(frame(PUSH_PROMISE, END_HEADERS, 1, (2).to_bytes(4) + REFERENCE * 8000)),
    "PING": lambda: _repeat(frame(PING, 0, 0, bytes(8))),
    "GOAWAY": lambda: _repeat(frame(GOAWAY, 0, 0, bytes(FULL))),
    "WINDOW_UPDATE": lambda: _repeat(frame(WINDOW_UPDATE, 0, 1, (1).to_bytes(4))),
    "unknown type": lambda: _repeat(frame(UNKNOWN, 0, 0, bytes(FULL))),
    "TLS, handshake": lambda: _repeat(b"\x16\x03\1" + (FULL).to_bytes(2) + bytes(FULL), b"\x16\3\1\x40\0\1\0\xff\xff"),
}
"""What a connection sends after the preface, by type of frame; TLS has no preface."""


def send_flood(address: str, kind: str) -> int:
    """Send a flood on some connections at once, and return the bytes that were sent."""
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        return sum(threads.map(lambda _: _flood_connection(address, kind), range(CONNECTIONS)))


def _flood_connection(address: str, kind: str) -> int:
    host, _, port = address.rpartition(":")
    sent, until = 0, time.monotonic() + FLOOD_S
    with suppress(OSError), socket.create_connection((host, int(port)), timeout=FLOOD_S) as connection:
        if not kind.startswith("TLS"):
            connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
        for chunk in FLOODS[kind]() if kind else ():
            if sent > MOST_BYTES or time.monotonic() > until:
                break
            connection.sendall(chunk)
            sent += len(chunk)
        time.sleep(HELD_S)
    return sent


@dataclass(frozen=True, slots=True)
class Effect:
    """What a flood did to a server."""

    sent: int
    grown: int
    """How many bytes the memory grew at most."""
    pause_s: float
    """The longest time without a decision in ten honest matches."""
    join_s: float
    """How long the slowest bot took that joined."""


async def measure(kind: str) -> Effect:
    """Let a flood meet a new server; nothing if `kind` is empty."""
    with tempfile.TemporaryDirectory() as folder:
        pair = LocalAuthority(Path(folder, "tls")).issue_server_certificate(["localhost"])
        listen = ("--listen", "127.0.0.1:0", "--listen", "0.0.0.0:0")
        tls = ("--tls-cert", pair.certificate, "--tls-key", pair.key)
        async with attacked_arena(Path(folder, "data"), THINK_MS, *listen, *tls) as arena:
            flooder = await Child.start("tests.faults.frame_floods", "flood")
            before = peak = arena.memory
            watching = asyncio.create_task(arena.watch(WATCHED_S))
            address = arena.tls_address if kind.startswith("TLS") else arena.address
            flooding = asyncio.create_task(flooder.ask("flood", address=address, kind=kind))
            while not (watching.done() and flooding.done()):
                peak = max(peak, arena.memory)
                await asyncio.sleep(0.01)
            await flooder.end()
            span = watching.result()
            if span.failed_joins:
                print(kind, span.failed_joins, file=sys.stderr)
            return Effect(flooding.result()["sent"], peak - before, span.longest_pause_s, max(span.joins_s, default=0))


async def main(kinds: Sequence[str]) -> None:
    """Print the table: the median of each figure."""
    print(f"{'flood':26} {'sent':>9} {'memory':>9} {'a byte':>7} {'pause':>8} {'join':>7}")
    for kind in kinds:
        effects = [await measure(kind) for _ in range(RUNS)]
        figures = ((each.sent, each.grown, each.pause_s, each.join_s) for each in effects)
        sent, grown, pause_s, join_s = map(statistics.median, zip(*figures, strict=True))
        print(
            f"{kind or 'none':26} {sent / 2**20:6.1f} MB {grown / 2**20:6.0f} MB {grown / max(sent, 1):7.1f}"
            f" {pause_s:6.2f} s {join_s:5.2f} s",
            flush=True,
        )


async def obey_measurer() -> None:
    """Be the process that floods."""

    async def answer(command: dict[str, Any]) -> dict[str, Any]:
        return {"sent": await asyncio.to_thread(send_flood, command["address"], command["kind"])}

    await obey({}, answer)


if __name__ == "__main__":
    asyncio.run(obey_measurer() if sys.argv[1:] == ["flood"] else main(sys.argv[1:] or ["", *FLOODS]))
