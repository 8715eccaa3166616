"""Builds the handlers of unary methods: identify the caller, then decode, then act; every refusal is a status."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from arena.errors import ArenaError, ProtocolError
from arena.node.admission import AdmissionControl
from arena.node.identity import CallerIdentity, TokenVerifier
from arena.rpc.auth import identify
from arena.rpc.call_end import QuietIfCallerIsGone, refuse_call
from arena.rpc.caller import CallerReader

Request = TypeVar("Request", bound=Message)


@dataclass(frozen=True, slots=True)
class UnaryMethods:
    """Builds the unary methods of a service."""

    callers: CallerReader
    authority: TokenVerifier
    admission: AdmissionControl

    def build(
        self, kind: type[Request], scope: str, act: Callable[[CallerIdentity, Request], Awaitable[Message]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of a method that takes requests of this kind and needs this scope."""

        async def call(raw: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
            caller = None
            with QuietIfCallerIsGone():
                try:
                    caller = self.callers.read(context)
                    identity = await identify(caller, self.authority, scope)
                    return (await act(identity, decode_request(kind, raw))).SerializeToString()
                except ArenaError as error:
                    await refuse_call(context, error, self.admission, caller)

        return grpc.unary_unary_rpc_method_handler(call)


def decode_request(kind: type[Request], raw: bytes) -> Request:
    """Return the request in a message's bytes. Raises ProtocolError if they are none."""
    try:
        return kind.FromString(raw)
    except DecodeError as error:
        raise ProtocolError(f"the bytes sent are no {kind.DESCRIPTOR.name}") from error
