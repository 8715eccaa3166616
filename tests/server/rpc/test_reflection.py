"""Tools such as grpcurl learn the services from the server itself, on its machine or with an organizer's token."""

from collections.abc import Sequence
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, empty_pb2
from google.protobuf.unknown_fields import UnknownFieldSet

from arena.fleet.assembly.services import SERVICE_NAMES
from tests.support.server import LocalServer, open_server
from tests.support.wire_bot import bearer, new_channel

VERSIONS = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")
LIST_SERVICES = b"\x3a\x01*"


async def ask(address: str, request: bytes, token: str = "", service: str = VERSIONS[0]) -> bytes:
    """Send one request, and return the answer without the echo of the request."""
    async with new_channel(address) as channel:
        call: Any = channel.stream_stream(f"/{service}/ServerReflectionInfo")
        answer: bytes = await call(iter([request]), metadata=bearer(token) if token else (), timeout=30).read()
    echo = bytes((2 << 3 | 2, len(request))) + request
    assert answer.startswith(echo)
    return answer.removeprefix(echo)


def read(raw: bytes, *path: int) -> Sequence[Any]:
    """Return the values of a field that is nested as the numbers say."""
    fields = UnknownFieldSet(empty_pb2.Empty.FromString(raw))
    found = [fields[index].data for index in range(len(fields)) if fields[index].field_number == path[0]]
    return [value for each in found for value in read(each, *path[1:])] if path[1:] else found


@pytest.mark.parametrize("version", VERSIONS)
async def test_services_are_listed_and_described_on_this_machine(site: LocalServer, version: str):
    names = [name.decode() for name in read(await ask(site.address, LIST_SERVICES, service=version), 6, 1, 1)]
    symbol = b"cheatarena.v1.PlayService"
    answer = await ask(site.address, bytes((4 << 3 | 2, len(symbol))) + symbol, service=version)
    files = [descriptor_pb2.FileDescriptorProto.FromString(each) for each in read(answer, 4, 1)]

    assert set(names) == {*SERVICE_NAMES, "grpc.health.v1.Health", *VERSIONS}
    assert files[0].service[0].method[0].name == "Play"
    assert {name for file in files for name in file.dependency} <= {file.name for file in files}


@pytest.mark.parametrize("request_", [b"\x22\x04nope", b"\x1a\x01\xff", b"\x32\x01x", b"", b"\xff"])
async def test_request_that_cannot_be_answered_gets_an_error_in_its_stream(site: LocalServer, request_: bytes):
    assert read(await ask(site.address, request_), 7, 1)[0] in {
        grpc.StatusCode.NOT_FOUND.value[0], grpc.StatusCode.UNIMPLEMENTED.value[0]
    }  # fmt: skip


async def test_others_need_an_organizers_token(tmp_path):
    """Even through a proxy on this machine, or a Unix socket, where bots in boxes are."""
    path = f"unix:{tmp_path}/arena.sock"
    async with open_server(tmp_path / "data", listen=(path,)) as site:
        organizer = await site.create_token("me", "organize")
        refused = []
        for token in ("", await site.create_token("ann")):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await ask(path, LIST_SERVICES, token)
            refused.append(caught.value.code())

        assert read(await ask(path, LIST_SERVICES, organizer), 6, 1, 1)
    assert refused == [grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED]
