"""Hostile clients: each does one thing that no honest client does, again and again, until it is cancelled.

They come from addresses of their own (127.0.0.0/8 has many), so that a server whose limits bind loopback treats them as
strangers. They know the tokens of bots without seats: an attacker may have an account.
"""

import asyncio
import gzip
import itertools
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from h2.exceptions import H2Error

from cheatarena.v1 import cheat_pb2, decision_pb2, play_pb2
from tests.faults.http2 import (
    CANCEL,
    CONTINUATION,
    END_HEADERS,
    HEADERS,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    RawConnection,
    call_headers,
    frame,
    grpc_message,
    header_block,
    hello_message,
)

PLAY = "/cheatarena.v1.PlayService/Play"
GET_MATCH = "/cheatarena.v1.MatchService/GetMatch"
BURST = 100
"""How many frames, streams or messages are sent at a time."""
PAUSE_S = 0.02
"""The pause after each burst, unless another is asked for."""
IDLE_CONNECTIONS = 200
"""How many silent connections one client holds."""


@dataclass
class Attack:
    """What the clients of one kind know and count."""

    address: str
    """HOST:PORT of the server."""
    tokens: list[str]
    """Tokens of bots without seats."""
    counts: Counter[str] = field(default_factory=Counter)
    """What was done so far, by kind."""
    pause_s: float = PAUSE_S
    random: Random = field(default_factory=lambda: Random(1))

    def connect(self) -> RawConnection:
        """Return a new connection, from one of 16 addresses."""
        return RawConnection(self.address, f"127.0.1.{self.random.randrange(1, 17)}")


async def reset_streams(attack: Attack) -> None:
    """Open calls and reset each at once (CVE-2023-44487)."""
    block = header_block(call_headers(PLAY, attack.tokens[0]))
    async with attack.connect() as connection:
        await connection.write(PREFACE + frame(SETTINGS, 0, 0))
        reading = asyncio.create_task(connection.read_to_end())
        streams = itertools.count(1, 2)
        while not reading.done():
            opened = list(itertools.islice(streams, BURST))
            await connection.write(
                b"".join(
                    frame(HEADERS, END_HEADERS, each, block) + frame(RST_STREAM, 0, each, CANCEL) for each in opened
                )
            )
            attack.counts["reset_streams"] += BURST
            await asyncio.sleep(attack.pause_s)


async def guess_tokens(attack: Attack) -> None:
    """Call with tokens that do not exist."""
    async with attack.connect() as connection:
        await connection.greet()
        while True:
            for _ in range(BURST // 4):
                stream = connection.call(GET_MATCH, "cat_" + os.urandom(16).hex())
                connection.send(stream, b"", is_last=True)
            await connection.flush()
            attack.counts["guess_tokens"] += BURST // 4
            await connection.receive()
            await asyncio.sleep(attack.pause_s)


async def send_garbage_bytes(attack: Attack) -> None:
    """Send bytes that are no frames, with or without a preface before them."""
    async with attack.connect() as connection:
        await connection.write(PREFACE * attack.random.randrange(2) + os.urandom(BURST * 10))
        attack.counts["send_garbage_bytes"] += 1
        async with asyncio.timeout(1):
            await connection.read_to_end()
    await asyncio.sleep(attack.pause_s)


async def send_unreadable_messages(attack: Attack) -> None:
    """Open sessions, and send bytes that are no message."""
    await _misplay(attack, "send_unreadable_messages", lambda _: os.urandom(200))


async def answer_wrongly(attack: Attack) -> None:
    """Send decisions for foreign matches and prompts, all with the same action id."""

    def wrong(number: int) -> bytes:
        declined = cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_DECLINE)
        decision = decision_pb2.Decision(
            match=number % 12, entrant=number % 4, prompt_id=number, action_id=1, cheat=declined
        )
        return play_pb2.PlayRequest(decisions=[decision] * 20).SerializeToString()

    await _misplay(attack, "answer_wrongly", wrong)


async def _misplay(attack: Attack, kind: str, message: Callable[[int], bytes]) -> None:
    """Open a session, and send messages until the server ends the stream."""
    async with attack.connect() as connection:
        await connection.greet()
        stream = connection.call(PLAY, attack.random.choice(attack.tokens))
        connection.send(stream, hello_message(kind))
        await connection.flush()
        for number in range(10 * BURST):
            raw = message(number)
            while connection.http.local_flow_control_window(stream) < len(raw) + 5:
                await connection.receive()
            connection.send(stream, raw)
            await connection.flush()
            attack.counts[kind] += 1
            await asyncio.sleep(attack.pause_s / 4)


async def send_oversize_messages(attack: Attack) -> None:
    """Announce messages of 256 MiB, and send compressed ones that would become so large."""
    bomb = gzip.compress(bytes(1 << 24))
    async with attack.connect() as connection:
        await connection.greet()
        for compressed in (False, True):
            encoding = [("grpc-encoding", "gzip")] * compressed
            stream = connection.call(GET_MATCH, attack.tokens[0], *encoding)
            raw = grpc_message(bomb, is_compressed=True) if compressed else b"\0" + (1 << 28).to_bytes(4) + bytes(1000)
            connection.http.send_data(stream, raw[: 1 << 14], end_stream=compressed)
            attack.counts["send_oversize_messages"] += 1
        await connection.flush()
        await connection.receive()
    await asyncio.sleep(attack.pause_s)


async def read_nothing(attack: Attack) -> None:
    """Ask for refusals by the thousand, and leave them unread."""
    async with attack.connect() as connection:
        connection.http.initiate_connection()
        await connection.flush()
        stream = connection.call(PLAY, attack.random.choice(attack.tokens))
        connection.send(stream, hello_message("deaf"))
        decision = decision_pb2.Decision(match=1, prompt_id=1, action_id=1)
        raw = play_pb2.PlayRequest(decisions=[decision] * 10).SerializeToString()
        while connection.http.local_flow_control_window(stream) > len(raw) + 5:
            connection.send(stream, raw)
            await connection.flush()
            attack.counts["read_nothing"] += 1
            await asyncio.sleep(attack.pause_s)


async def read_slowly(attack: Attack) -> None:
    """Open a session with a window of one byte, and widen it by one byte at a time."""
    async with attack.connect() as connection:
        connection.http.local_settings.initial_window_size = 1
        connection.http.initiate_connection()
        stream = connection.call(PLAY, attack.random.choice(attack.tokens))
        connection.send(stream, hello_message("slow"))
        await connection.flush()
        while True:
            await connection.receive()
            connection.http.increment_flow_control_window(1, stream)
            await connection.flush()
            attack.counts["read_slowly"] += 1
            await asyncio.sleep(attack.pause_s)


async def join_and_leave(attack: Attack) -> None:
    """Open a session under a new name of instance, and break the connection off."""
    async with attack.connect() as connection:
        await connection.greet()
        stream = connection.call(PLAY, attack.random.choice(attack.tokens))
        connection.send(stream, hello_message(os.urandom(8).hex()))
        await connection.flush()
        attack.counts["join_and_leave"] += 1
        if attack.random.randrange(2):
            await connection.receive()
    await asyncio.sleep(attack.pause_s)


async def connect_silently(attack: Attack) -> None:
    """Hold connections that say nothing; replace those that the server closes."""
    held: list[asyncio.Task[None]] = []
    try:
        while True:
            held = [each for each in held if not each.done()]
            while len(held) < IDLE_CONNECTIONS:
                held.append(asyncio.create_task(_wait_silently(attack)))
            await asyncio.sleep(0.1)
    finally:
        for each in held:
            each.cancel()
        await asyncio.gather(*held, return_exceptions=True)


async def _wait_silently(attack: Attack) -> None:
    async with attack.connect() as connection:
        attack.counts["connect_silently"] += 1
        await connection.read_to_end()


async def send_endless_headers(attack: Attack) -> None:
    """Send header blocks of 200 kB, and blocks that never end (the CONTINUATION flood)."""
    large = header_block([("x-large", "a" * 12_000)])
    async with attack.connect() as connection:
        await connection.write(PREFACE + frame(SETTINGS, 0, 0))
        reading = asyncio.create_task(connection.read_to_end())
        await connection.write(frame(HEADERS, 0, 1, header_block(call_headers(PLAY))))
        while not reading.done():
            await connection.write(frame(CONTINUATION, 0, 1, large) * 4)
            attack.counts["send_endless_headers"] += 4
            await asyncio.sleep(attack.pause_s)


async def send_control_frames(attack: Attack) -> None:
    """Send pings and settings, each of which wants an answer (CVE-2019-9512, CVE-2019-9515)."""
    async with attack.connect() as connection:
        await connection.write(PREFACE + frame(SETTINGS, 0, 0))
        reading = asyncio.create_task(connection.read_to_end())
        while not reading.done():
            await connection.write((frame(PING, 0, 0, bytes(8)) + frame(SETTINGS, 0, 0)) * BURST)
            attack.counts["send_control_frames"] += 2 * BURST
            await asyncio.sleep(attack.pause_s)


KINDS: Mapping[str, Callable[[Attack], Awaitable[None]]] = {
    each.__name__: each
    for each in (
        reset_streams, guess_tokens, send_garbage_bytes, send_unreadable_messages, answer_wrongly,
        send_oversize_messages, read_nothing, read_slowly, join_and_leave, connect_silently, send_endless_headers,
        send_control_frames,
    )
}  # fmt: skip
"""Every kind of hostile client, by name."""


async def attack_forever(kind: str, attack: Attack) -> None:
    """Be a hostile client of one kind, which comes back whenever the server is rid of it."""
    while True:
        try:
            async with asyncio.timeout(10):
                await KINDS[kind](attack)
        except (OSError, TimeoutError, H2Error):
            attack.counts[f"{kind} thrown out"] += 1
            await asyncio.sleep(attack.pause_s)
