"""Implements PlayService, which opens sessions and serves each stream until it ends."""

import asyncio
from typing import Any

import grpc
import structlog
from google.rpc import code_pb2

from arena.errors import ArenaError, CapacityError, ProtocolError
from arena.match.scalars import EntrantIndex, Instant, StreamSequence
from arena.node.frame_handler import FrameHandler
from arena.node.hosted_match import SessionKey
from arena.node.identity import CallerIdentity, TokenVerifier
from arena.node.match_registry import ShuttingDownError
from arena.node.node import Node
from arena.node.rate_limiter import RateLimiter
from arena.node.session import Session
from arena.rpc.auth import identify
from arena.rpc.caller import Caller, CallerReader
from arena.rpc.hello import read_hello
from arena.rpc.status import make_status, status_from_error
from arena.rpc.stream_end_codes import status_code_of
from arena.wire.proto_codec import NOTICE, build_frame
from arena.wire.protobuf_encoding import encode_delimited
from cheatarena.v1 import play_pb2, session_pb2

log = structlog.get_logger(__name__)

PROTOCOL_VERSION = 1
SERVICE = "cheatarena.v1.PlayService"
FAREWELL_TIMEOUT_S = 1.0
"""Seconds that a bot has to read the reason when the server ends its stream."""


class PlayService:
    """Serves `Play` without generated (de)serializers: frames stay bytes and are encoded and parsed by the node."""

    def __init__(self, node: Node, authority: TokenVerifier, callers: CallerReader, server_version: str) -> None:
        self._node = node
        self._authority = authority
        self._callers = callers
        self._server_version = server_version

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the service's handler for a server."""
        return grpc.method_handlers_generic_handler(
            SERVICE, {"Play": grpc.stream_stream_rpc_method_handler(self._play)}
        )

    async def _play(self, _: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Serve one call. The context never leaves this coroutine and its two tasks."""
        try:
            caller = self._callers.read(context)
            with self._node.admission.admit_stream(caller.connection, caller.address):
                await self._serve_session(caller, context)
        except ArenaError as error:
            reason = "hello_expected" if isinstance(error, ProtocolError) else ""
            await self._abort_with_error(context, error, reason)

    async def _serve_session(self, caller: Caller, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        await identify(caller, self._authority, "play")
        hello = await self._await_hello(context)
        identity = await identify(caller, self._authority, "play")  # it may be revoked by now
        session = self._open_session(identity, hello, caller.address)
        log.info("session opened", bot=session.key[0], instance=session.key[1], label=hello.label)
        await self._run_session(session, hello, context)

    async def _await_hello(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> session_pb2.Hello:
        """Read the first frame. Not `wait_for`: cancelling a pending read leaks native memory."""
        reading = asyncio.ensure_future(_read_frame(context))
        reading.add_done_callback(_retrieve_exception)
        done, _ = await asyncio.wait({reading}, timeout=self._node.limits.hello_s)
        if not done:
            raise ProtocolError(f"no Hello within {self._node.limits.hello_s:g} s")
        raw = reading.result()
        if raw is None:
            raise ProtocolError("the stream ended before Hello")
        return read_hello(raw)

    def _open_session(self, identity: CallerIdentity, hello: session_pb2.Hello, address: str) -> Session:
        node = self._node
        key = (identity.name, hello.instance)
        if hello.protocol_version != PROTOCOL_VERSION:
            raise UnsupportedVersionError(
                f"protocol version {hello.protocol_version} is not spoken here, {PROTOCOL_VERSION} is"
            )
        if node.registry.is_closing and not node.registry.sessions.seats_of(key):
            raise ShuttingDownError("the server is about to stop and opens no new sessions")
        session = Session(node, identity, hello, self._claim_rate_limiter(key, address))
        node.sessions[key] = session
        return session

    def _claim_rate_limiter(self, key: SessionKey, address: str) -> RateLimiter:
        """Make room for a session and return its kept rate limiter, or a new one. Raises CapacityError."""
        node = self._node
        known = node.sessions.get(key)
        if known is not None:
            known.end("session_replaced", "a newer stream with the same token and instance has taken over")
            return known.hand_over_rate_limiter()
        self._check_capacity(key[0])
        kept = node.standings.take(key, node.now())
        if kept is None:
            node.admission.admit_new_session(key[0], address)
        return kept or RateLimiter(node.limits, node.now())

    def _check_capacity(self, name: str) -> None:
        limits = self._node.limits
        if len(self._node.sessions) >= limits.sessions:
            raise CapacityError(f"the server holds {limits.sessions} sessions already, its limit")
        if sum(key[0] == name for key in self._node.sessions) >= limits.sessions_a_token:
            raise CapacityError(f"bot {name!r} has {limits.sessions_a_token} sessions already, the limit of a token")

    async def _run_session(
        self, session: Session, hello: session_pb2.Hello, context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> None:
        node = self._node
        reader = asyncio.ensure_future(self._read_frames(session, context))
        arrived = asyncio.Event()
        writer = asyncio.ensure_future(self._write_frames(session, context, arrived))
        reader.add_done_callback(_retrieve_exception)
        writer.add_done_callback(_retrieve_exception)
        try:
            at, positions = node.arrival_stamp(), _resume_positions(hello, node.name)

            def arrive() -> None:
                node.registry.on_session_connected(session, positions, at, node.now())
                arrived.set()

            node.inbox.put_action(at, arrive, session.fail)
            either: set[asyncio.Future[Any]] = {reader, writer, session.ended}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            reason, detail = session.ended.result() if session.ended.done() else ("", "")
            self._queue_departure(session)
            if reason and not writer.done():
                await asyncio.wait({writer}, timeout=FAREWELL_TIMEOUT_S)
        finally:
            self._queue_departure(session)
            writer.cancel()
            reader.cancel()
        self._raise_fault(session)
        if reason and reason != "goodbye":
            await self._abort_with_reason(context, status_code_of(reason), detail, reason)

    def _raise_fault(self, session: Session) -> None:
        """Raise the internal error of a session, which must not look like an ordinary end of the stream."""
        if session.fault is not None:
            log.error("session failed", bot=session.key[0], instance=session.key[1], exc_info=session.fault)
            raise session.fault

    def _build_welcome(self, session: Session) -> bytes:
        """Return the welcome as a separate frame, so that it is read before anything about a seat."""
        limits = self._node.limits
        welcome = session_pb2.Welcome(
            protocol_version=PROTOCOL_VERSION,
            server_version=self._server_version,
            name=session.key[0],
            node=self._node.name,
            limits=session_pb2.Limits(
                frame_bytes=limits.frame_bytes,
                decision_bytes=limits.decision_bytes,
                note_bytes=limits.note_bytes,
                messages_per_second=limits.messages_a_second,
            ),
            seat_count=len(self._node.registry.sessions.seats_of(session.key)),
        )
        notice = play_pb2.ServerNotice(welcome=welcome).SerializeToString()
        return build_frame([encode_delimited(NOTICE, notice)], self._node.now())

    async def _read_frames(self, session: Session, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Read frames until the stream ends."""
        node, frames = self._node, FrameHandler(self._node, session)
        while not session.ended.done():
            raw = await _read_frame(context)
            if raw is None:
                return
            at = node.arrival_stamp()  # while the journal cannot be written the inbox keeps what comes
            node.frames["in"] += 1
            node.inbox.put_frame(at, frames.frame_steps(raw, at), session.fail)
            await frames.wait_for_room()

    async def _write_frames(
        self, session: Session, context: grpc.aio.ServicerContext[bytes, bytes], arrived: asyncio.Event
    ) -> None:
        """Send the welcome, then what is ready, one frame at a time, until the farewell is sent.

        The welcome is sent once the session is registered, so that matches can be created with it.
        """
        await arrived.wait()
        await context.write(self._build_welcome(session))
        while not session.outbox.is_done:
            await session.ready.wait()
            sent = session.next_frame()
            if sent:
                self._node.frames["out"] += 1
                await context.write(sent)

    def _queue_departure(self, session: Session) -> None:
        at = self._node.arrival_stamp()
        self._node.inbox.put_action(at, lambda: self._close_session(session, at), session.fail)

    def _close_session(self, session: Session, at: Instant) -> None:
        """Close a session after all its input has been handled."""
        node = self._node
        if node.sessions.get(session.key) is session:
            del node.sessions[session.key]
            node.standings.keep(session.key, session.hand_over_rate_limiter(), node.now())
            node.registry.on_session_closed(session, at, node.now(), session.is_leaving)
            log.info(
                "session ended",
                bot=session.key[0],
                instance=session.key[1],
                dropped=session.dropped_count,
                round_trip_us=session.round_trip.shortest_us,
            )

    async def _abort_with_error(
        self, context: grpc.aio.ServicerContext[bytes, bytes], error: ArenaError, reason: str
    ) -> None:
        if isinstance(error, UnsupportedVersionError):
            reason = "unsupported_version"
        if reason:
            await self._abort_with_reason(context, code_pb2.FAILED_PRECONDITION, str(error), reason)
        else:
            await context.abort_with_status(status_from_error(error))

    async def _abort_with_reason(
        self, context: grpc.aio.ServicerContext[bytes, bytes], code: int, text: str, reason: str
    ) -> None:
        await context.abort_with_status(make_status(code, text, reason))


def _resume_positions(hello: session_pb2.Hello, node: str) -> dict[tuple[int, EntrantIndex], StreamSequence]:
    """Return a bot's sequence by match and entrant; empty if its Hello names another node or an earlier start."""
    if hello.node != node:
        return {}
    return {(each.match, EntrantIndex(each.entrant)): StreamSequence(each.sequence) for each in hello.positions}


async def _read_frame(context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes | None:
    """Return the next frame; None at the end of the stream."""
    raw: object = await context.read()
    return raw if isinstance(raw, bytes) else None


def _retrieve_exception(done: "asyncio.Future[Any]") -> None:
    """Retrieve a task's exception, so that asyncio does not report it when the stream ends."""
    if not done.cancelled():
        done.exception()


class UnsupportedVersionError(ProtocolError):
    """Raised when the bot uses another version of the protocol."""
