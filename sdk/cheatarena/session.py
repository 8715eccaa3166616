"""The session with one node. It sends hello, reads and writes frames, and opens a new stream if the connection is lost.

One task reads. After each frame, it writes the seats' answers itself before it reads the next frame. This saves one
pass of the event loop, and messages that the server sends in the meantime arrive as one frame. A second task writes
everything else. The reading task is never cancelled. To stop it, the session cancels the gRPC call, which ends the
reading.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from cheatarena.answer_watch import AnswerWatch
from cheatarena.clock import ServerClock
from cheatarena.connection import MAX_FRAME_BYTES, StreamCall, open_channel, open_stream
from cheatarena.dialling import DialLog
from cheatarena.encoding import encode_notice, encode_ready
from cheatarena.errors import (
    CheatArenaError,
    ProtocolError,
    RefusedError,
    ServerGoneError,
    TlsError,
    TokenRefusedError,
    VersionRefusedError,
)
from cheatarena.match_table import MatchTable
from cheatarena.plurals import format_count
from cheatarena.receipts import EntropyPromises, Receipt, append_receipt
from cheatarena.scanning import split_frame, split_message
from cheatarena.seat import GapError, Seat
from cheatarena.settings import Settings
from cheatarena.stream_ending import GOODBYE, StreamEnding
from cheatarena.tls_check import explain_refused_handshake
from cheatarena.v1 import lobby_pb2, play_pb2, session_pb2

logger = logging.getLogger("cheatarena")

PROTOCOL_VERSION = 1
MIN_BACKOFF_S = 0.1
MAX_BACKOFF_S = 5.0
GOODBYE_TIMEOUT_S = 2.0
"""Seconds that the server has for its answer to a goodbye."""
WRITER_YIELD_S = 0.005
"""If handling a frame takes longer than this, the writer may run before the rest of the frame is handled."""
MAX_FINISHED_SEATS = 256
"""How many seats of ended matches are remembered, because a new stream may repeat messages to these seats."""

SUPPRESS_STREAM_END = suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError)
"""Used around writes. It ignores the error of an ended stream, because the reader learns why the stream ended."""

SEQUENCE_INDEX: Final = 2
PROMPTS_INDEX: Final = 4
"""Indexes into `MessageParts`."""

SeatKey = tuple[int, int]
"""Match and entrant."""


class SessionHost(Protocol):
    """The attributes and functions of the program that a session uses."""

    settings: Settings
    game: str
    """Name of the game that the program offers to play."""
    presets: tuple[str, ...]
    """Names of the presets that the program plays; empty means all."""

    def make_seat(self, session: "Session", match: int, entrant: int) -> Seat:
        """Return a new seat for a match that begins."""

    def should_accept(self, offered: lobby_pb2.Offered) -> bool:
        """Return whether to accept an offer."""

    def on_assigned(self, session: "Session", assigned: lobby_pb2.Assigned) -> None:
        """Called when the server says which node hosts an accepted seat."""


class Session:
    """All seats of this process on one node; implements `SeatRuntime` for each of them."""

    is_strict = False
    takes_no_answer = False
    """Whether the server of the current stream wants to be told that a bot has no answer."""

    def __init__(self, host: SessionHost, address: str, ticket: str = "") -> None:
        self.address = address
        self.clock = ServerClock()
        self.watch = AnswerWatch(self)
        self.seats: dict[SeatKey, Seat] = {}
        self._host = host
        self._ticket = ticket
        self._node = ""
        self._token = ""
        """The token of the current stream."""
        self._finished: dict[SeatKey, int] = {}
        self._gaps: dict[SeatKey, int] = {}
        self._needs_snapshot: set[SeatKey] = set()
        self._assigned: set[SeatKey] = set()
        """The seats that were assigned on the current stream."""
        self._promises = EntropyPromises()
        self._works: set[asyncio.Task[None]] = set()
        self._out: list[bytes] = []
        self._wake = asyncio.Event()
        self._stop = asyncio.Event()
        self._write_lock = asyncio.Lock()
        """Held while writing, because a gRPC call takes one write at a time."""
        self._is_reading = False
        """True while a frame is handled. The reader itself sends the requests afterwards, so the writer can sleep."""
        self._call: StreamCall | None = None
        self._ending = StreamEnding(address)
        self._dial_log = DialLog(address, host.settings.patience_s)
        self._is_welcome = False
        self._is_healthy = False
        self._has_warned = False

    async def run(self) -> None:
        """Play until `stop` is called or the server says goodbye.

        Raises RefusedError if connecting again would not help or if what answers is no arena, and ServerGoneError if
        the server cannot be reached for longer than `Settings.patience_s`.
        """
        backoff_s = MIN_BACKOFF_S
        patience_s = self._host.settings.patience_s
        while not self._stop.is_set():
            await self._run_stream()
            if self._stop.is_set() or self._ending.reason == GOODBYE:
                break
            if (error := self._ending.fatal_error()) is not None and not self._has_new_token(error):
                raise error
            await self._check_tls()
            self._check_foreign_server()
            if self._is_welcome:
                self._dial_log.begin_again()
                backoff_s = MIN_BACKOFF_S if self._is_healthy else backoff_s
            if self._dial_log.has_lost_patience:
                raise ServerGoneError(
                    f"no server at {self.address} for {format_count(patience_s, 'second')},"
                    f" so this bot gives up ({self._ending})"
                )
            if not self._ending.has_lost_status:  # the next attempt gets it
                self._dial_log.note_failure(str(self._ending))
            with suppress(TimeoutError):  # a random delay, so that bots do not reconnect all at once
                await asyncio.wait_for(self._stop.wait(), backoff_s * random.uniform(0.5, 1.0))  # noqa: S311  no secret
            backoff_s = min(2 * backoff_s, MAX_BACKOFF_S)
        for seat in self.seats.values():
            seat.close()

    def stop(self) -> None:
        """Say goodbye and end. By saying goodbye, this process leaves all its seats."""
        self._stop.set()
        self._wake.set()
        if self._call is not None:
            asyncio.get_running_loop().call_later(GOODBYE_TIMEOUT_S, self._call.cancel)

    # ---- SeatRuntime

    def send(self, request: bytes) -> None:
        """Add an encoded request to the next frame."""
        if not self._is_reading:
            self._wake.set()
        self._out.append(request)

    def create_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine of a bot."""
        task = asyncio.get_running_loop().create_task(work)
        self._works.add(task)
        task.add_done_callback(self._works.discard)
        return task

    def call_later(self, delay_s: float, work: Callable[[], None]) -> asyncio.TimerHandle:
        """Run `work` after a delay in seconds."""
        return asyncio.get_running_loop().call_later(delay_s, work)

    def report_protocol_error(self, table: MatchTable, error: ProtocolError) -> None:
        """Reconnect, and ask for the missing messages of one seat or for its snapshot."""
        self._plan_recovery((table.match, table.entrant), error)
        self._ending.detail = str(error)
        if self._call is not None:
            self._call.cancel()

    def on_receipt(self, table: MatchTable, receipt: Receipt) -> None:
        """Append a receipt to the file in the folder `Settings.receipts`. If there is no such setting, do nothing."""
        folder = self._host.settings.receipts
        if folder is not None:
            try:
                append_receipt(folder, receipt, self.address, table.match, table.entrant)
            except OSError as error:
                table.log.warning("the receipt cannot be written to %s: %s", folder, error.strerror)

    def on_queue_delay(self, queued_s: float, allowed_s: float) -> None:
        """Warn once that the bots of this process are too slow for this number of matches."""
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "a question waited %.0f ms in this process, of the %.0f ms that it may take: the bots here are "
                "too slow for %s at once (logged once)",
                queued_s * 1000, allowed_s * 1000, format_count(len(self.seats), "match"),
            )  # fmt: skip

    # ---- one stream

    def _has_new_token(self, error: CheatArenaError) -> bool:
        """Return whether the server refused the token and a newer token is known. If so, a new attempt may succeed."""
        return isinstance(error, TokenRefusedError) and self._host.settings.read_token() != self._token

    async def _run_stream(self) -> None:
        """Run one stream from hello to its end; `_ending` says why it ended."""
        self._ending = StreamEnding(self.address)
        self._is_welcome, self._is_healthy, self._is_reading = False, True, False
        async with open_channel(self._host.settings, self.address) as channel:
            self._token = self._host.settings.read_token()
            call = self._call = open_stream(channel, self._token, self._ticket)
            reader = asyncio.create_task(self._read_loop(call))
            writer = asyncio.create_task(self._write_loop(call))
            self._dial_log.await_answer()
            try:
                await asyncio.wait({reader})
            finally:
                self._call = None
                self._dial_log.end_attempt()
                call.cancel()
                self._wake.set()
                await asyncio.wait({reader, writer})
        if not reader.cancelled():
            reader.result()
        if not writer.cancelled():
            writer.result()

    async def _read_loop(self, call: StreamCall) -> None:
        try:
            while isinstance(data := await call.read(), bytes):
                arrival_s = time.monotonic()
                await self._handle_frame(data, arrival_s)
                if self._out and not self._write_lock.locked():
                    await self._flush(call)
        except grpc.aio.AioRpcError as error:
            self._ending.read_error(error)
        except (ProtocolError, DecodeError) as error:
            self._is_healthy = False
            self._ending.detail = str(error)

    async def _write_loop(self, call: StreamCall) -> None:
        """Write hello first, then every request that the reader does not write itself, and goodbye at the end."""
        with SUPPRESS_STREAM_END:
            await call.write(self._encode_hello())
            while not self._stop.is_set():
                await self._wake.wait()
                self._wake.clear()
                if call.done():
                    return
                await self._flush(call)
            async with self._write_lock:
                await call.write(encode_notice(play_pb2.BotNotice(goodbye=session_pb2.Goodbye())))
                await call.done_writing()

    async def _flush(self, call: StreamCall) -> None:
        """Write all queued requests."""
        async with self._write_lock:
            with SUPPRESS_STREAM_END:
                while self._out and self._is_welcome:
                    await call.write(self._next_frame())

    def _next_frame(self) -> bytes:
        """Return the next frame: as many queued requests as fit."""
        out = self._out
        frame = b"".join(out)
        count = len(out)
        while len(frame) > MAX_FRAME_BYTES and count > 1:
            count //= 2
            frame = b"".join(out[:count])
        del out[:count]
        return frame

    def _encode_hello(self) -> bytes:
        """Return hello with the position of each seat.

        The server resumes at this position. A seat without a position gets a snapshot.
        """
        settings = self._host.settings
        known = {key: seat.sequence for key, seat in self.seats.items() if key not in self._needs_snapshot}
        positions = [
            session_pb2.Position(match=match, entrant=entrant, sequence=sequence)
            for (match, entrant), sequence in (self._finished | known).items()
        ]
        hello = session_pb2.Hello(
            protocol_version=PROTOCOL_VERSION,
            instance=settings.instance,
            label=settings.label,
            games=[session_pb2.GameSupport(game=self._host.game, presets=self._host.presets)],
            capacity=settings.capacity,
            positions=positions,
            node=self._node,
        )
        return encode_notice(play_pb2.BotNotice(hello=hello))

    async def _handle_frame(self, data: bytes, arrival_s: float) -> None:
        """Handle a frame: first a welcome, then the messages, then the other notices."""
        messages, rest = split_frame(data)
        frame = play_pb2.PlayResponse.FromString(rest)
        self.clock.observe(frame.now_us, arrival_s)
        if not self._is_welcome:
            for notice in frame.notices:
                if notice.HasField("welcome"):
                    self._handle_welcome(notice.welcome)
        self._is_reading = True
        await self._handle_messages(messages, arrival_s)
        for notice in frame.notices:
            self._handle_notice(notice)
        self._is_reading = False

    async def _handle_messages(self, messages: Sequence[bytes], arrival_s: float) -> None:
        """Pass each message to its seat. If this takes long, let the writer send the answers that are ready."""
        seats = self.seats
        yield_s = arrival_s + WRITER_YIELD_S
        for message in messages:
            parts = split_message(message)
            key = parts[:2]
            seat = seats.get(key)
            if seat is None:
                if parts[SEQUENCE_INDEX] <= self._finished.get(key, 0):
                    continue  # a new stream repeats a message of an ended match
                seat = seats[key] = self._host.make_seat(self, *key)
            try:
                seat.handle_message(parts, arrival_s)
            except ProtocolError as error:
                self._plan_recovery(key, error)
                raise
            if self._needs_snapshot:
                self._needs_snapshot.discard(key)
            if seat.is_over:
                self._finish_seat(key, seat)
            if parts[PROMPTS_INDEX] and time.monotonic() > yield_s:
                self._wake.set()
                await asyncio.sleep(0)
                yield_s = time.monotonic() + WRITER_YIELD_S

    def _finish_seat(self, key: SeatKey, seat: Seat) -> None:
        del self.seats[key]
        self._finished[key] = seat.sequence
        if len(self._finished) > MAX_FINISHED_SEATS:
            del self._finished[next(iter(self._finished))]
        seat.close()

    def _drop_lost_seats(self) -> None:
        """Drop the seats whose matches ended while the connection was lost: the server has not assigned them again."""
        for key in self.seats.keys() - self._assigned:
            logger.warning("%s: match %d ended while the connection was lost", self.address, key[0])
            self._finish_seat(key, self.seats[key])

    def _plan_recovery(self, key: SeatKey, error: ProtocolError) -> None:
        """Plan how the next stream recovers a seat.

        After a gap, the next stream asks for the missing messages. After a second gap at the same place, or after any
        other error, it asks for a snapshot.
        """
        self._is_healthy = False
        seat = self.seats[key]
        if isinstance(error, GapError) and self._gaps.get(key) != seat.sequence:
            self._gaps[key] = seat.sequence
        else:
            self._needs_snapshot.add(key)

    def _handle_notice(self, notice: play_pb2.ServerNotice) -> None:
        match notice.WhichOneof("notice"):
            case "offered":
                offer_id = notice.offered.offer_id
                accept = self._host.should_accept(notice.offered)
                adds_entropy = accept and self._host.settings.adds_entropy
                promise = self._promises.promise(offer_id) if adds_entropy else b""
                answer = lobby_pb2.OfferAnswer(offer_id=offer_id, accept=accept, entropy_promise=promise)
                self.send(encode_notice(play_pb2.BotNotice(offer_answer=answer)))
            case "entropy_asked":
                offer_id = notice.entropy_asked.offer_id
                entropy = lobby_pb2.Entropy(offer_id=offer_id, entropy=self._promises.reveal(offer_id))
                self.send(encode_notice(play_pb2.BotNotice(entropy=entropy)))
            case "assigned":
                self._assigned.add((notice.assigned.match, notice.assigned.entrant))
                self._host.on_assigned(self, notice.assigned)
            case "resumed":
                self._drop_lost_seats()
            case "ping":
                self.send(encode_notice(play_pb2.BotNotice(pong=session_pb2.Pong(nonce=notice.ping.nonce))))
            case "farewell":
                self._ending.read_farewell(notice.farewell)
            case _:
                pass

    def _handle_welcome(self, welcome: session_pb2.Welcome) -> None:
        """Begin the session, and send again what the server may not have read of the last stream."""
        if welcome.protocol_version != PROTOCOL_VERSION:
            raise VersionRefusedError(
                f"{self.address} speaks version {welcome.protocol_version} of the protocol, this package "
                f"speaks {PROTOCOL_VERSION}"
            )
        if self._node and welcome.node != self._node:
            self._forget_earlier_run()
        self._node, self.takes_no_answer = welcome.node, welcome.takes_no_answer
        self._is_welcome = True
        self._assigned.clear()
        self._dial_log.end_attempt()
        self._out[:] = [request for seat in self.seats.values() for _, _, request in seat.sent.values()]
        self._out += [encode_ready(*key) for key, seat in self.seats.items() if seat.is_in_break]
        self._wake.set()
        held = format_count(welcome.seat_count, "seat")
        logger.info("%s: connected as %s, %s held", self.address, welcome.name, held)

    def _forget_earlier_run(self) -> None:
        """Drop everything that belongs to an earlier run of the node."""
        if self.seats:
            logger.warning(
                "%s was restarted: %s again from what the server sends, if it still has them",
                self.address,
                "1 match starts" if len(self.seats) == 1 else f"{len(self.seats)} matches start",
            )
        for seat in self.seats.values():
            seat.close()
        self.seats.clear()
        self._finished.clear()
        self._gaps.clear()
        self._needs_snapshot.clear()
        self._promises.clear()
        self.clock = ServerClock()

    async def _check_tls(self) -> None:
        """Raise TlsError if the stream failed because no secure connection can be made."""
        if self._is_welcome or not self._ending.may_be_tls:
            return
        why = await asyncio.to_thread(explain_refused_handshake, self._host.settings.tls, self.address)
        if why:
            raise TlsError(f"{why} ({self.address})")

    def _check_foreign_server(self) -> None:
        """Raise RefusedError if another program answers at an address where no arena has answered yet."""
        if not self._node and (why := self._ending.find_foreign_server()):
            raise RefusedError(f"{self.address} is no arena: {why}")
