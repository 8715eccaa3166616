"""The session with one node: handles what the server sends, and opens a new stream if the connection is lost."""

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from cheatarena.answer_watch import AnswerWatch
from cheatarena.clock import ServerClock
from cheatarena.connection import open_channel, open_stream
from cheatarena.dialling import DialLog
from cheatarena.encoding import encode_notice
from cheatarena.errors import (
    CheatArenaError,
    ProtocolError,
    RefusedError,
    ServerGoneError,
    SessionReplacedError,
    TlsError,
    TokenRefusedError,
    VersionRefusedError,
)
from cheatarena.instance import Instance
from cheatarena.line_check import LineCheck
from cheatarena.match_table import MatchTable
from cheatarena.plurals import format_count
from cheatarena.pools import CHALLENGE_POLICIES, log_pool_notice
from cheatarena.receipts import EntropyPromises, Receipt, append_receipt
from cheatarena.scanning import split_frame
from cheatarena.seat import Seat
from cheatarena.session_seats import SessionSeats
from cheatarena.settings import Settings
from cheatarena.stream import Stream
from cheatarena.stream_ending import GOODBYE, StreamEnding
from cheatarena.tls_check import explain_refused_handshake
from cheatarena.v1 import lobby_pb2, play_pb2, pool_pb2, session_pb2

logger = logging.getLogger("cheatarena")

PROTOCOL_VERSION = 1
MIN_BACKOFF_S = 0.1
MAX_BACKOFF_S = 5.0


class SessionHost(Protocol):
    """The attributes and functions of the program that a session uses."""

    settings: Settings
    game: str
    """Name of the game that the program offers to play."""
    presets: tuple[str, ...]
    """Names of the presets that the program plays; empty means all."""
    instance: Instance
    """The name of this process among the programs of its bot."""

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
        self._host = host
        self._ticket = ticket
        self._node = ""
        """The server's name for this run of the node; empty until the first welcome."""
        self._token = ""
        """The token of the latest stream."""
        self._replaced: SessionReplacedError | None = None
        """Why this program took a random instance, until the server has welcomed it under that name."""
        self._line_check: LineCheck | None = None
        """Checks whether decisions get their answers; None if the server may let them wait."""
        self._seats = SessionSeats(address, partial(host.make_seat, self))
        self._accepted: dict[int, int] = {}
        """The match of each offer that was accepted and is neither assigned nor closed."""
        self._is_finishing = False
        self._reopens = False
        """Whether this program has ended its stream only to open the next one."""
        self._promises = EntropyPromises()
        self._works: set[asyncio.Task[None]] = set()
        self._stop = asyncio.Event()
        self._stream: Stream | None = None
        """The current stream; None while there is none."""
        self._dial_log = DialLog(address, host.settings.patience_s)
        self._has_warned = False

    async def run(self) -> None:
        """Play until `stop` is called or the server says goodbye.

        Raises RefusedError if connecting again would not help or if what answers is no arena, and ServerGoneError if
        the server cannot be reached for longer than `Settings.patience_s`.
        """
        backoff_s = MIN_BACKOFF_S
        patience_s = self._host.settings.patience_s
        while not self._stop.is_set():
            stream = await self._run_stream()
            ending = stream.ending
            if self._stop.is_set() or ending.reason == GOODBYE:
                break
            if self._reopens:
                self._reopens = False
                continue
            await self._check_ending(ending)
            if stream.is_welcome:
                self._dial_log.begin_again()
                backoff_s = MIN_BACKOFF_S if stream.is_healthy else backoff_s
            if self._dial_log.has_lost_patience:
                raise ServerGoneError(
                    f"no server at {self.address} for {format_count(patience_s, 'second')},"
                    f" so this bot gives up ({ending})"
                )
            if not ending.has_lost_status:  # the next attempt gets it
                self._dial_log.note_failure(str(ending))
            with suppress(TimeoutError):  # a random delay, so that bots do not reconnect all at once
                await asyncio.wait_for(self._stop.wait(), backoff_s * random.uniform(0.5, 1.0))  # noqa: S311  no secret
            backoff_s = min(2 * backoff_s, MAX_BACKOFF_S)
        self._seats.close()

    @property
    def _open_count(self) -> int:
        """The number of seats that are held or accepted."""
        return self._seats.held_count + len(self._accepted)

    def finish(self) -> bool:
        """Take no new seats, and end when the present matches are over. Return False if there is nothing to finish.

        That is so without a pool or a match, and if the session is finishing already.
        """
        count = self._open_count
        if self._is_finishing or not self._host.settings.pools or not count:
            return False
        self._is_finishing = True
        logger.warning(
            "asked to stop: this bot takes no new seats, plays %s to the end, and ends; press Ctrl-C again to end now",
            format_count(count, "match"),
        )
        if self._stream is not None:  # the Hello of the next one leaves the pools
            self._reopens = True
            self._stream.cancel()
        return True

    def stop(self) -> None:
        """Say goodbye and end. By saying goodbye, this process leaves all its seats."""
        self._stop.set()
        if self._stream is not None:
            self._stream.say_goodbye()

    async def _run_stream(self) -> Stream:
        """Run one stream from hello to its end, and return it."""
        settings = self._host.settings
        async with open_channel(settings, self.address) as channel:
            self._token = settings.read_token()
            stream = self._stream = Stream(open_stream(channel, self._token, self._ticket), self.address)
            self._dial_log.await_answer()
            try:
                await stream.run(self._encode_hello(), self._handle_frame)
            finally:
                self._stream = None
                self._dial_log.end_attempt()
        return stream

    def _encode_hello(self) -> bytes:
        """Return hello with the position of each seat.

        The server resumes at this position. A seat without a position gets a snapshot.
        """
        settings = self._host.settings
        positions = [
            session_pb2.Position(match=match, entrant=entrant, sequence=sequence)
            for (match, entrant), sequence in self._seats.positions().items()
        ]
        pools: Mapping[str, int] = {} if self._is_finishing else settings.pools
        hello = session_pb2.Hello(
            protocol_version=PROTOCOL_VERSION,
            instance=self._host.instance.name,
            is_instance_derived=self._host.instance.is_derived,
            label=settings.label,
            games=[session_pb2.GameSupport(game=self._host.game, presets=self._host.presets)],
            capacity=max(1, self._open_count) if self._is_finishing else settings.capacity,
            positions=positions,
            node=self._node,
            takes_joined_acceptances=True,
            pools=[pool_pb2.PoolEntry(pool=pool, seats=seats) for pool, seats in pools.items()],
            version=settings.version,
            challenges=CHALLENGE_POLICIES["nobody" if self._is_finishing else settings.challenges],
        )
        return encode_notice(play_pb2.BotNotice(hello=hello))

    async def _check_ending(self, ending: StreamEnding) -> None:
        """Raise the error that ends this session, if a new stream would end in the same way as the last one."""
        is_known = bool(self._node)
        error = ending.fatal_error(is_known=is_known)
        if error is not None and not self._has_new_token(error) and not self._has_new_instance(error):
            raise self._replaced or error
        if is_known:
            return  # whatever has failed on the way to the arena may pass
        if ending.may_be_tls:
            why = await asyncio.to_thread(explain_refused_handshake, self._host.settings.tls, self.address)
            if why:
                raise TlsError(f"{why} ({self.address})")
        if why := ending.find_foreign_server():
            raise RefusedError(f"{self.address} is no arena: {why}")

    def _has_new_token(self, error: CheatArenaError) -> bool:
        """Return whether the server refused the token and a newer token is known. If so, a new attempt may succeed."""
        return isinstance(error, TokenRefusedError) and self._host.settings.read_token() != self._token

    def _has_new_instance(self, error: CheatArenaError) -> bool:
        """Return whether the server replaced this program, and the program has taken a random instance instead."""
        instance, earlier = self._host.instance, self._host.instance.name
        if not isinstance(error, SessionReplacedError) or not instance.give_way():
            return False
        self._replaced = error
        logger.warning(
            "another program of this bot took over its instance %s and the seats: this one plays on as %s;"
            " to keep them apart, give each its own CHEATARENA_INSTANCE",
            earlier, instance.name,
        )  # fmt: skip
        return True

    # ---- SeatRuntime

    def send(self, request: bytes) -> None:
        """Add an encoded request to the next frame.

        Without a stream it is dropped: a new stream begins with the requests that are still needed.
        """
        if self._stream is not None:
            self._stream.send(request)

    def create_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._works.add(task)
        task.add_done_callback(self._works.discard)
        return task

    def call_later(self, delay_s: float, work: Callable[[], None]) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(delay_s, work)

    def report_protocol_error(self, table: MatchTable, error: ProtocolError) -> None:
        """Reconnect, and ask for the missing messages of one seat or for its snapshot."""
        self._seats.plan_recovery((table.match, table.entrant), error)
        if self._stream is not None:
            self._stream.fail(error)

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
                queued_s * 1000, allowed_s * 1000, format_count(len(self._seats), "match"),
            )  # fmt: skip

    # ---- what the server sends

    async def _handle_frame(self, stream: Stream, data: bytes, arrival_s: float) -> None:
        """Handle a frame: first a welcome, then the messages, then the other notices."""
        messages, rest = split_frame(data)
        frame = play_pb2.PlayResponse.FromString(rest)
        self.clock.observe(frame.now_us, arrival_s)
        if not stream.is_welcome:
            for notice in frame.notices:
                if notice.HasField("welcome"):
                    self._handle_welcome(stream, notice.welcome)
        await self._seats.handle_messages(messages, arrival_s, stream.let_writer_run)
        for notice in frame.notices:
            self._handle_notice(stream, notice)
        sent_s = self.clock.local_s(frame.now_us)
        if self._line_check is not None and self._line_check.is_due(sent_s, arrival_s):
            self._line_check.look(sent_s, self._seats.waiting_since_s())
        if self._is_finishing and not self._open_count:
            self.stop()

    def _handle_welcome(self, stream: Stream, welcome: session_pb2.Welcome) -> None:
        """Begin to play on a stream, and send again what the server may not have read of the last stream."""
        if welcome.protocol_version != PROTOCOL_VERSION:
            raise VersionRefusedError(
                f"{self.address} speaks version {welcome.protocol_version} of the protocol, this package "
                f"speaks {PROTOCOL_VERSION}"
            )
        if self._node and welcome.node != self._node:
            self._forget_earlier_run()
        self._node, self.takes_no_answer = welcome.node, welcome.takes_no_answer
        self._line_check = LineCheck() if welcome.answers_soon else None
        stream.is_pinged = welcome.answers_soon
        self._dial_log.end_attempt()
        self._replaced = None
        if self._host.instance.settle(welcome.instance):
            logger.info(
                "another program of %s is or was connected too, so this one is its instance %s; to choose the names,"
                " give each its own CHEATARENA_INSTANCE",
                welcome.name, welcome.instance,
            )  # fmt: skip
        stream.open(self._seats.begin_stream())
        if not welcome.seat_count:  # what was accepted on an earlier stream did not take place
            self._accepted.clear()
        held = format_count(welcome.seat_count, "seat")
        logger.info("%s: connected as %s, %s held", self.address, welcome.name, held)

    def _forget_earlier_run(self) -> None:
        """Drop everything that belongs to an earlier run of the node."""
        if self._seats:
            logger.warning(
                "%s was restarted: %s again from what the server sends, if it still has them",
                self.address,
                "1 match starts" if len(self._seats) == 1 else f"{len(self._seats)} matches start",
            )
        self._seats.forget_all()
        self._accepted.clear()
        self._promises.clear()
        self.clock = ServerClock()

    def _handle_notice(self, stream: Stream, notice: play_pb2.ServerNotice) -> None:
        match notice.WhichOneof("notice"):
            case "offered":
                offer_id = notice.offered.offer_id
                accept = not self._is_finishing and self._host.should_accept(notice.offered)
                if accept:
                    self._accepted[offer_id] = notice.offered.match
                adds_entropy = accept and self._host.settings.adds_entropy
                promise = self._promises.promise(offer_id) if adds_entropy else b""
                answer = lobby_pb2.OfferAnswer(offer_id=offer_id, accept=accept, entropy_promise=promise)
                stream.send(encode_notice(play_pb2.BotNotice(offer_answer=answer)))
            case "entropy_asked":
                offer_id = notice.entropy_asked.offer_id
                entropy = lobby_pb2.Entropy(offer_id=offer_id, entropy=self._promises.reveal(offer_id))
                stream.send(encode_notice(play_pb2.BotNotice(entropy=entropy)))
            case "assigned":
                self._seats.note_assigned((notice.assigned.match, notice.assigned.entrant))
                match = notice.assigned.match
                self._accepted = {offer: of for offer, of in self._accepted.items() if of != match}
                self._host.on_assigned(self, notice.assigned)
            case "offer_closed":
                self._accepted.pop(notice.offer_closed.offer_id, None)
            case "resumed":
                self._seats.drop_lost()
            case "ping":
                stream.send(encode_notice(play_pb2.BotNotice(pong=session_pb2.Pong(nonce=notice.ping.nonce))))
            case "pool_notice":
                log_pool_notice(notice.pool_notice)
            case "farewell":
                stream.ending.read_farewell(notice.farewell)
            case _:
                pass
