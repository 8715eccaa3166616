"""Implements gRPC server reflection, from which tools such as grpcurl learn the services of a server.

Its two versions differ in name only. Their messages are few and have no optional parts, so they are read and written
here: a package with them would be one more for every server, and would have one version alone.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

import grpc
from google.protobuf import descriptor_pool, empty_pb2
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from arena.errors import ArenaError
from arena.server.node.admission import AdmissionControl
from arena.server.node.identity import TokenVerifier
from arena.server.rpc.caller import Caller, CallerReader, identify
from arena.server.rpc.refusals import QuietIfCallerIsGone, refuse_call
from cheatarena.addresses import is_loopback_host

SERVICES: Final = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")

# The numbers of fields in grpc/reflection/v1/reflection.proto.
_BY_FILENAME, _CONTAINING_SYMBOL, _LIST_SERVICES = 3, 4, 7
_ORIGINAL_REQUEST, _FILES, _SERVICES, _ERROR = 2, 4, 6, 7


class ReflectionService:
    """Answers callers on this machine and organizers. Others have the protoset of a release."""

    def __init__(
        self, services: Collection[str], callers: CallerReader, authority: TokenVerifier, admission: AdmissionControl
    ) -> None:
        """`services` are the names of the services that callers are told."""
        self._services = sorted({*services, *SERVICES})
        self._callers = callers
        self._authority = authority
        self._admission = admission

    def handler(self) -> grpc.GenericRpcHandler:
        return _BothVersions(grpc.stream_stream_rpc_method_handler(self._reflect))

    async def _reflect(self, _: Any, context: "grpc.aio.ServicerContext[Any, Any]") -> None:
        caller: Caller | None = None
        with QuietIfCallerIsGone():
            try:
                caller = self._callers.read(context)
                with self._admission.admit_stream(caller.stream_group, caller.address):
                    if not is_loopback_host(caller.address):
                        await identify(caller, self._authority, "organize")
                    while isinstance(raw := await context.read(), bytes):
                        await context.write(self._answer(raw))
            except ArenaError as error:
                await refuse_call(context, error, self._admission, caller)

    def _answer(self, raw: bytes) -> bytes:
        return _field(_ORIGINAL_REQUEST, raw) + self._find(_read_fields(raw))

    def _find(self, asked: Mapping[int, Any]) -> bytes:
        pool = descriptor_pool.Default()
        try:
            if _LIST_SERVICES in asked:
                return _field(_SERVICES, b"".join(_field(1, _field(1, each.encode())) for each in self._services))
            if _BY_FILENAME in asked:
                return _encode_files(pool.FindFileByName(_text(asked[_BY_FILENAME])))
            if _CONTAINING_SYMBOL in asked:
                return _encode_files(pool.FindFileContainingSymbol(_text(asked[_CONTAINING_SYMBOL])))
        except KeyError:
            return _encode_error(grpc.StatusCode.NOT_FOUND, "unknown file or symbol")
        return _encode_error(grpc.StatusCode.UNIMPLEMENTED, "ask for services, files by name, or files with a symbol")


class _BothVersions(grpc.GenericRpcHandler):
    def __init__(self, method: "grpc.RpcMethodHandler[Any, Any]") -> None:
        self._methods = {f"/{service}/ServerReflectionInfo": method for service in SERVICES}

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[Any, Any] | None":
        return self._methods.get(handler_call_details.method)


def _read_fields(raw: bytes) -> Mapping[int, Any]:
    """Return the fields of a message by number; none if it cannot be read."""
    try:
        fields = UnknownFieldSet(empty_pb2.Empty.FromString(raw))
    except DecodeError:
        return {}
    return {fields[index].field_number: fields[index].data for index in range(len(fields))}


def _text(value: object) -> str:
    """Raises KeyError if the field is no text, as for an unknown name."""
    try:
        return value.decode() if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError as error:
        raise KeyError(value) from error


def _encode_files(file: FileDescriptor) -> bytes:
    """Return the file and everything that it imports."""
    found: dict[str, bytes] = {}
    waiting = [file]
    while waiting:
        each = waiting.pop()
        if each.name not in found:
            found[each.name] = each.serialized_pb
            waiting += each.dependencies
    return _field(_FILES, b"".join(_field(1, content) for content in found.values()))


def _encode_error(code: grpc.StatusCode, text: str) -> bytes:
    return _field(_ERROR, bytes((1 << 3, code.value[0])) + _field(2, text.encode()))


def _field(number: int, content: bytes) -> bytes:
    """Return an encoded field of a message. `content` is a text, bytes or a message."""
    length, left = bytearray(), len(content)
    while left > 0x7F:
        length.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes((number << 3 | 2, *length, left)) + content
