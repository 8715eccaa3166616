"""Builds the handlers of methods that take one request: they identify the caller, decode the request, and act on it.

Every refusal becomes a status.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from arena.errors import ArenaError, CapacityError, OptionError, ProtocolError
from arena.ids import id_time
from arena.match.referee.ports import MatchId
from arena.server.guards.calls import UnreadAnswers
from arena.server.node.admission import AdmissionControl
from arena.server.node.identity import CallerIdentity, TokenVerifier, account_of
from arena.server.rpc.caller import Caller, CallerReader, identify
from arena.server.rpc.refusals import QuietIfCallerIsGone, refuse_call

Request = TypeVar("Request", bound=Message)

MAX_OPEN_REQUEST_BYTES = 16 * 1024
"""The largest request of a method that needs no token."""


@dataclass(frozen=True, slots=True)
class MethodBuilder:
    """Builds the methods of a service that take one request."""

    callers: CallerReader
    authority: TokenVerifier
    admission: AdmissionControl
    unread: UnreadAnswers = field(default_factory=UnreadAnswers)

    def build(
        self,
        kind: type[Request],
        scope: str | None,
        act: Callable[[CallerIdentity, Request], Awaitable[Message | bytes]],
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a method that takes requests of this kind and needs this scope, or ANY_SCOPE.

        `act` returns the response, either as a message or already encoded.
        """

        async def call(raw: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> None:
            caller = None
            with QuietIfCallerIsGone():
                try:
                    caller = self.callers.read(context)
                    identity = await identify(caller, self.authority, scope)
                    self.unread.check(account_of(identity))
                    answer = await act(identity, decode_request(kind, raw))
                    message = answer if isinstance(answer, bytes) else answer.SerializeToString()
                    with self.unread.count(account_of(identity), len(message)):
                        await context.write(message)
                except ArenaError as error:
                    await refuse_call(context, error, self.admission, caller)

        return grpc.unary_stream_rpc_method_handler(call)  # a stream says when its message was read

    def build_stream(
        self, kind: type[Request], scope: str, act: Callable[[CallerIdentity, Request], AsyncIterator[Message]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a method that takes a request of this kind, needs this scope and streams responses.

        What `act` yields before it raises an ArenaError is sent before the status.
        """

        async def call(raw: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> None:
            caller = None
            with QuietIfCallerIsGone():
                try:
                    caller = self.callers.read(context)
                    identity = await identify(caller, self.authority, scope)
                    async for answer in act(identity, decode_request(kind, raw)):
                        await context.write(answer.SerializeToString())
                except ArenaError as error:
                    await refuse_call(context, error, self.admission, caller)

        return grpc.unary_stream_rpc_method_handler(call)

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

        async def call(raw: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
            caller = None
            with QuietIfCallerIsGone():
                try:
                    caller = self.callers.read(context)
                    admit(caller)
                    if len(raw) > MAX_OPEN_REQUEST_BYTES:
                        raise CapacityError(f"the message has {len(raw)} bytes, {MAX_OPEN_REQUEST_BYTES} are allowed")
                    return (await act(decode_request(kind, raw))).SerializeToString()
                except ArenaError as error:
                    await refuse_call(context, error, self.admission, caller)

        return grpc.unary_unary_rpc_method_handler(call)


def parse_page_token(token: str) -> MatchId | None:
    """Return the match before which a page of matches begins; None for the first page, whose token is empty.

    Raises OptionError for any other text.
    """
    if token and id_time(token) is None:
        raise OptionError("page_token", token, "expected next_page_token of the page before")
    return MatchId(token) if token else None


def read_page_size(size: int, *, default: int = 20, most: int = 100) -> int:
    """Return how many rows a page has: the size that was asked for, or for 0 the default.

    Raises OptionError if it is larger than `most`.
    """
    if size > most:
        raise OptionError("page_size", size, f"expected 1 to {most}")
    return size or default


def decode_request(kind: type[Request], raw: bytes) -> Request:
    """Return the request in a message's bytes. Raises ProtocolError if the bytes are not such a request."""
    try:
        return kind.FromString(raw)
    except DecodeError as error:
        raise ProtocolError(f"the bytes sent are no {kind.DESCRIPTOR.name}") from error
