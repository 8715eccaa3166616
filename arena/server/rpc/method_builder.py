"""Builds the methods of services: they identify the caller, decode the request, and act on it.

Every refusal becomes a status.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from arena.errors import ArenaError, CapacityError, OptionError, ProtocolError
from arena.ids import id_time
from arena.match.referee.ports import MatchId
from arena.server.guards.calls import UnreadAnswers
from arena.server.node.admission import AdmissionControl
from arena.server.node.identity import TokenVerifier, account_of
from arena.server.rpc.caller import Caller, CallerReader, identify
from arena.server.rpc.refusals import QuietIfCallerIsGone, refuse_call
from arena.server.store.account_values import TokenIdentity

Request = TypeVar("Request", bound=Message)
Sent = TypeVar("Sent")
Result = TypeVar("Result")
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

MAX_OPEN_REQUEST_BYTES = 16 * 1024
"""The largest request of a method that needs no token."""


@dataclass(frozen=True, slots=True)
class MethodBuilder:
    callers: CallerReader
    authority: TokenVerifier
    admission: AdmissionControl
    unread: UnreadAnswers = field(default_factory=UnreadAnswers)

    def build(
        self,
        kind: type[Request],
        scope: str | None,
        act: Callable[[TokenIdentity, Request], Awaitable[Message | bytes]],
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """`kind` is that of the requests; `scope` may be ANY_SCOPE.

        `act` returns the response, either as a message or already encoded.
        """

        async def serve(caller: Caller, raw: bytes, context: Context) -> None:
            identity = await identify(caller, self.authority, scope)
            self.unread.check(account_of(identity))
            answer = await act(identity, decode_request(kind, raw))
            message = answer if isinstance(answer, bytes) else answer.SerializeToString()
            with self.unread.count(account_of(identity), len(message)):
                await context.write(message)

        # A stream says when its message was read.
        return grpc.unary_stream_rpc_method_handler(self._refuse_errors(serve))

    def build_stream(
        self, kind: type[Request], scope: str, act: Callable[[TokenIdentity, Request], AsyncIterator[Message]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a method that takes a request of this kind, needs this scope and streams responses.

        What `act` yields before it raises an ArenaError is sent before the status.
        """

        async def serve(caller: Caller, raw: bytes, context: Context) -> None:
            identity = await identify(caller, self.authority, scope)
            async for answer in act(identity, decode_request(kind, raw)):
                await context.write(answer.SerializeToString())

        return grpc.unary_stream_rpc_method_handler(self._refuse_errors(serve))

    def build_open(
        self,
        kind: type[Request],
        admit: Callable[[Caller], None],
        act: Callable[[Request], Awaitable[Message]],
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a method that needs no token.

        `admit` raises CapacityError for a caller who asks too often. Anybody may call such a method. So `admit` is
        called before the request is decoded, and the size of the request is limited.
        """

        async def serve(caller: Caller, raw: bytes, _: Context) -> bytes:
            admit(caller)
            if len(raw) > MAX_OPEN_REQUEST_BYTES:
                raise CapacityError(f"the request must be at most {MAX_OPEN_REQUEST_BYTES} bytes, got {len(raw)}")
            return (await act(decode_request(kind, raw))).SerializeToString()

        return grpc.unary_unary_rpc_method_handler(self._refuse_errors(serve))

    def build_counted(
        self, serve: Callable[[Caller, Sent, Context], Awaitable[Result]]
    ) -> Callable[[Sent, Context], Awaitable[Result]]:
        """Return a method as gRPC calls it, whose calls count as streams of their caller while `serve` serves them.

        `serve` identifies the caller, and an ArenaError that it raises is refused.
        """

        async def count(caller: Caller, sent: Sent, context: Context) -> Result:
            with self.admission.admit_stream(caller.stream_group, caller.address):
                return await serve(caller, sent, context)

        return self._refuse_errors(count)

    def _refuse_errors(
        self, serve: Callable[[Caller, Sent, Context], Awaitable[Result]]
    ) -> Callable[[Sent, Context], Awaitable[Result]]:
        """The method refuses a call if `serve` raises an ArenaError."""

        async def call(sent: Sent, context: Context) -> Result:
            caller = None
            with QuietIfCallerIsGone():
                try:
                    caller = self.callers.read(context)
                    return await serve(caller, sent, context)
                except ArenaError as error:
                    await refuse_call(context, error, self.admission, caller)

        return call


def parse_page_token(token: str) -> MatchId | None:
    """Return the match before which a page of matches begins; None for the first page, whose token is empty.

    Raises OptionError for any other text.
    """
    if token and id_time(token) is None:
        raise OptionError("page_token", token, "expected next_page_token of the page before")
    return MatchId(token) if token else None


def read_page_size(size: int, *, default: int = 20, most: int = 100) -> int:
    """0 asks for the default. Raises OptionError if the size is larger than `most`."""
    if size > most:
        raise OptionError("page_size", size, f"expected 1 to {most}")
    return size or default


def decode_request(kind: type[Request], raw: bytes) -> Request:
    """Raises ProtocolError."""
    try:
        return kind.FromString(raw)
    except DecodeError as error:
        raise ProtocolError(f"the request cannot be read as a {kind.DESCRIPTOR.name}") from error
