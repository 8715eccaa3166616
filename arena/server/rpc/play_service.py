"""PlayService: opens a session for each stream and serves the session until the stream ends."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from google.rpc import code_pb2

from arena.errors import ArenaError, CapacityError, ProtocolError
from arena.log_lines import get_logger
from arena.match.referee.scalars import EntrantIndex, Instant, StreamSequence
from arena.plurals import format_count
from arena.server.node.frame_handler import FrameHandler
from arena.server.node.identity import TokenVerifier, instance_of
from arena.server.node.match_registry import ShuttingDownError
from arena.server.node.node import Node
from arena.server.node.rate_limits import RateLimiter
from arena.server.node.session import Session
from arena.server.rpc.caller import Caller, CallerReader, identify
from arena.server.rpc.hello import read_hello
from arena.server.rpc.refusals import QuietIfCallerIsGone, make_status, refuse_call, retrieve_exception, status_code_of
from arena.server.store.account_values import TokenIdentity
from arena.server.wire.proto_codec import NOTICE, build_frame
from arena.server.wire.protobuf_encoding import encode_delimited
from cheatarena.v1 import play_pb2, session_pb2

log = get_logger(__name__)

PROTOCOL_VERSION = 1
SERVICE = "cheatarena.v1.PlayService"
FAREWELL_TIMEOUT_S = 1.0
"""Seconds that a bot has to read the reason when the server ends its stream."""


class UnsupportedVersionError(ProtocolError):
    """The bot uses another version of the protocol."""


class PlayService:
    """Serves `Play`. gRPC passes frames on as bytes; the node parses and encodes them."""

    def __init__(
        self,
        node: Node,
        authority: TokenVerifier,
        callers: CallerReader,
        server_version: str,
        has_version: Callable[[str, str], Awaitable[bool]] | None = None,
    ) -> None:
        """`has_version` says whether a version of a bot was submitted; None if the server takes no submissions."""
        self._node = node
        self._authority = authority
        self._callers = callers
        self._server_version = server_version
        self._has_version = has_version

    def handler(self) -> grpc.GenericRpcHandler:
        return grpc.method_handlers_generic_handler(
            SERVICE, {"Play": grpc.stream_stream_rpc_method_handler(self._play)}
        )

    async def _play(self, _: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Serve one call. The context never leaves this coroutine and its two tasks."""
        caller = None
        with QuietIfCallerIsGone():
            try:
                caller = self._callers.read(context)
                await self._serve(caller, context)
            except ProtocolError as error:
                reason = "unsupported_version" if isinstance(error, UnsupportedVersionError) else "hello_expected"
                await context.abort_with_status(make_status(code_pb2.FAILED_PRECONDITION, str(error), reason))
            except ArenaError as error:
                await refuse_call(context, error, self._node.admission, caller)

    async def _serve(self, caller: Caller, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Raises ArenaError if the caller is refused."""
        with self._node.admission.admit_stream(caller.stream_group, caller.address):
            identity = await identify(caller, self._authority, "play")
            admission, address = self._node.admission, caller.address
            while delay_s := admission.delay_opening(identity.name, address):  # noqa: ASYNC110  only time ends it
                await asyncio.sleep(delay_s)
            hello = await self._await_hello(context)
            await self._refuse_borrowed_version(identity, hello.version)
            # The token may have been revoked while the bot sent its Hello.
            identity = await identify(caller, self._authority, "play")
            session = self._open_session(identity, hello, caller.address)
            log.info("session opened", bot=session.key[0], instance=session.key[1], label=hello.label)
            await self._run_session(session, hello, context)

    async def _await_hello(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> session_pb2.Hello:
        """Raises ProtocolError if no Hello arrives in time."""
        # `wait_for` is not used, because it would cancel the pending read, which leaks native memory.
        reading = asyncio.create_task(read_frame(context))
        reading.add_done_callback(retrieve_exception)
        done, _ = await asyncio.wait({reading}, timeout=self._node.limits.hello_s)
        if not done:
            raise ProtocolError(f"expected a Hello within {self._node.limits.hello_s:g} s, got none")
        raw = reading.result()
        if raw is None:
            raise ProtocolError("expected a Hello, but the stream ended")
        return read_hello(raw)

    def _open_session(self, identity: TokenIdentity, hello: session_pb2.Hello, address: str) -> Session:
        """The session replaces one with the same bot name and instance, and inherits its rate limiter.

        Raises UnsupportedVersionError, ProtocolError for an instance that the bot cannot have, ShuttingDownError, and
        CapacityError if there is no room for a new session.
        """
        node = self._node
        if hello.protocol_version != PROTOCOL_VERSION:
            raise UnsupportedVersionError(
                f"this server speaks version {PROTOCOL_VERSION} of the protocol, not version {hello.protocol_version}"
            )
        key = (identity.name, instance_of(identity, hello.instance))
        if hello.is_instance_derived and identity.version is None:
            key = node.instances.find_free(*key)
        elif key not in node.sessions:
            key = node.instances.find_abandoned(key) or key
        if node.registry.is_closing and not node.registry.sessions.seats_of(key):
            raise ShuttingDownError("the server is about to stop and opens no new sessions")
        predecessor = node.sessions.get(key)
        if predecessor is not None:
            predecessor.end("session_replaced", "a newer stream with the same token and instance has taken over")
            rate_limiter = predecessor.hand_over_rate_limiter()
        else:
            self._check_capacity(identity.name)
            earlier = node.standings.take(key, node.now())
            if earlier is None:
                node.admission.admit_new_session(identity.name, address)
            rate_limiter = earlier or RateLimiter(node.limits, node.now())
        session = node.sessions[key] = Session(
            identity, key[1], hello, rate_limiter, node.limits, node.gate, node.game_codecs, node.now
        )
        return session

    async def _refuse_borrowed_version(self, identity: TokenIdentity, version: str) -> None:
        """Raise ProtocolError if a program that the arena does not run names a version that was submitted."""
        if identity.version is not None or not version or self._has_version is None:
            return
        if await self._has_version(identity.name, version):
            known = f"version {version!r} of {identity.name!r} was submitted, so the arena runs it"
            raise ProtocolError(f"{known}: give yours another one")

    def _check_capacity(self, name: str) -> None:
        """Raises CapacityError if the server, or the bot with this name, may open no further session."""
        limits = self._node.limits
        if len(self._node.sessions) >= limits.sessions:
            raise CapacityError(f"the server already has {format_count(limits.sessions, 'session')}, the most allowed")
        if sum(key[0] == name for key in self._node.sessions) >= limits.sessions_a_token:
            held = format_count(limits.sessions_a_token, "session")
            raise CapacityError(f"bot {name!r} already has {held}, the most allowed")

    async def _run_session(
        self, session: Session, hello: session_pb2.Hello, context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> None:
        node = self._node
        reader = asyncio.create_task(self._read_frames(session, context))
        opened, arrived = asyncio.Event(), asyncio.Event()
        writer = asyncio.create_task(self._write_frames(session, context, opened, arrived))
        reader.add_done_callback(retrieve_exception)
        writer.add_done_callback(retrieve_exception)
        try:
            at, positions = node.arrival_stamp(), _resume_positions(hello, node.name)

            def arrive() -> None:
                node.registry.on_session_connected(session, positions, at, node.now())
                arrived.set()

            node.inbox.put_action(at, arrive, session.fail)
            either: set[asyncio.Future[Any]] = {reader, writer, session.ended}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            self._queue_departure(session)
            if session.ended.done() or not session.is_welcomed:  # a bot may say all that it has to say with its Hello
                await asyncio.wait({writer}, timeout=FAREWELL_TIMEOUT_S)
            reason, detail = session.ended.result() if session.ended.done() else ("", "")
        finally:
            self._queue_departure(session)
            writer.cancel()
            reader.cancel()
        self._raise_fault(session)
        if not opened.is_set() or (arrived.is_set() and not session.is_welcomed):
            # The bot reads nothing. gRPC cannot send a status while the first write is pending; it would log an error.
            raise asyncio.CancelledError("the bot has not read its welcome")
        if reason and reason != "goodbye":
            await context.abort_with_status(make_status(status_code_of(reason), detail, reason))

    def _raise_fault(self, session: Session) -> None:
        """Otherwise the stream would seem to end normally."""
        if session.fault is not None:
            log.error("session failed", bot=session.key[0], instance=session.key[1], exc_info=session.fault)
            raise session.fault

    def _build_welcome(self, session: Session) -> bytes:
        """The welcome is a frame of its own, so that the bot reads it before anything about a seat."""
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
            takes_no_answer=True,
            answers_soon=True,
            instance=session.key[1],
        )
        notice = play_pb2.ServerNotice(welcome=welcome).SerializeToString()
        return build_frame([encode_delimited(NOTICE, notice)], self._node.now())

    async def _read_frames(self, session: Session, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        node, pause = self._node, session.read_pause
        frames = FrameHandler(node, session, pause)
        while not session.ended.done():
            raw = await read_frame(context)
            if raw is None:
                return
            at = node.arrival_stamp()
            session.silence.end(at)
            node.frames["in"] += 1
            # While the journal cannot be written, frames wait in the inbox.
            node.inbox.put_frame(at, frames.frame_steps(raw, at), session.fail)
            await pause.wait()

    async def _write_frames(
        self,
        session: Session,
        context: grpc.aio.ServicerContext[bytes, bytes],
        opened: asyncio.Event,
        arrived: asyncio.Event,
    ) -> None:
        """Send the welcome, then whatever is ready, one frame at a time, until the farewell is sent.

        The stream is `opened` first, so that the bot need not wait for the welcome to know of it. The welcome waits
        until the session has `arrived` at the match registry, because the bot can be given seats from the welcome on.
        """
        await context.send_initial_metadata(())
        opened.set()
        await arrived.wait()
        await context.write(self._build_welcome(session))
        session.is_welcomed = True
        while not session.outbox.is_done:
            await session.ready.wait()
            frame = session.next_frame()
            if frame:
                self._node.frames["out"] += 1
                await context.write(frame)

    def _queue_departure(self, session: Session) -> None:
        """Close a session as soon as all its input so far has been handled."""
        at = self._node.arrival_stamp()
        self._node.inbox.put_action(at, lambda: self._close_session(session, at), session.fail)

    def _close_session(self, session: Session, at: Instant) -> None:
        """Do nothing if the session is closed already or has been replaced."""
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
                round_trip_us=session.round_trip_us,
            )


def _resume_positions(hello: session_pb2.Hello, node: str) -> dict[tuple[int, EntrantIndex], StreamSequence]:
    """Return the last sequence that the bot has received, by match and entrant.

    Return nothing if the Hello names another node: a node has a new name after each start.
    """
    if hello.node != node:
        return {}
    return {(each.match, EntrantIndex(each.entrant)): StreamSequence(each.sequence) for each in hello.positions}


async def read_frame(context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes | None:
    """Return None at the end of the stream."""
    raw: object = await context.read()
    return raw if isinstance(raw, bytes) else None
