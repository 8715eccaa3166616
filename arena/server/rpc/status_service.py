"""StatusService, which shows organizers how a server is doing, and its client."""

import asyncio
from dataclasses import asdict, fields
from typing import Final, TypeVar

import grpc
from google.protobuf.message import Message

from arena.competition.pools.matchmaker import Matchmaker
from arena.compiled_build import describe_build
from arena.server.node.node import Node
from arena.server.node.server_status import BotSpeed, NodeFigures, PoolFigures, ServerStatus, measure_node
from arena.server.rpc.client_channel import ServiceClient
from arena.server.rpc.method_builder import MethodBuilder
from arena.server.store.account_values import TokenIdentity
from arena.server.store.folder_sizes import FolderMeter, FolderSizes
from cheatarena.v1 import status_pb2, status_pb2_grpc

Figures = TypeVar("Figures", NodeFigures, BotSpeed, FolderSizes)
SERVICE: Final = "cheatarena.v1.StatusService"


class StatusService:
    """Requires the scope `organize`."""

    def __init__(
        self, node: Node, matchmaker: Matchmaker | None, methods: MethodBuilder, meter: FolderMeter, version: str
    ) -> None:
        """`matchmaker` is None if there are no pools; `meter` measures the data folder."""
        self._node = node
        self._matchmaker = matchmaker
        self._methods = methods
        self._meter = meter
        self._version = version
        self._build = describe_build()

    def handler(self) -> grpc.GenericRpcHandler:
        methods = {"GetStatus": self._methods.build(status_pb2.GetStatusRequest, "organize", self._get)}
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _get(self, _: TokenIdentity, __: status_pb2.GetStatusRequest) -> status_pb2.GetStatusResponse:
        figures, slowest = await measure_node(self._node)
        storage = await self._measure_storage()
        pools = self._pool_figures()
        return status_message(ServerStatus((figures,), pools, slowest, storage, self._version, self._build))

    async def _measure_storage(self) -> FolderSizes | None:
        try:
            return await asyncio.to_thread(self._meter.measure)
        except OSError:
            return None

    def _pool_figures(self) -> tuple[PoolFigures, ...]:
        if self._matchmaker is None:
            return ()
        found = []
        for name, running in self._matchmaker.pools.items():
            bots, waiting = self._matchmaker.entries.count(running.pool)
            house = running.pool.house_names
            faults = (f"{bot}: {fault}" for bot, fault in self._matchmaker.house_faults.items() if bot in house)
            found.append(PoolFigures(name, bots, waiting, len(self._matchmaker.open_matches(name)), tuple(faults)))
        return tuple(found)


def status_message(status: ServerStatus) -> status_pb2.GetStatusResponse:
    """The message's fields have the names of the values."""
    return status_pb2.GetStatusResponse(
        nodes=[status_pb2.NodeStatus(**asdict(each)) for each in status.nodes],
        pools=[status_pb2.PoolStatus(**asdict(each)) for each in status.pools],
        slowest_bots=[status_pb2.BotStatus(**asdict(each)) for each in status.slowest_bots],
        storage=None if status.storage is None else status_pb2.StorageStatus(**asdict(status.storage)),
        version=status.version,
        build=status.build,
    )


def read_status(message: status_pb2.GetStatusResponse) -> ServerStatus:
    """The message is one of `status_message`."""
    return ServerStatus(
        nodes=tuple(_read(each, NodeFigures) for each in message.nodes),
        pools=tuple(
            PoolFigures(each.name, each.bot_count, each.waiting_count, each.match_count, tuple(each.house_faults))
            for each in message.pools
        ),
        slowest_bots=tuple(_read(each, BotSpeed) for each in message.slowest_bots),
        storage=_read(message.storage, FolderSizes) if message.HasField("storage") else None,
        version=message.version,
        build=message.build,
    )


def _read(message: Message, kind: type[Figures]) -> Figures:
    return kind(**{each.name: getattr(message, each.name) for each in fields(kind)})


_CALL_TIMEOUT_S: Final = 10.0


class StatusClient(ServiceClient):
    stub_kind = status_pb2_grpc.StatusServiceStub
    options = ()
    _stub: "status_pb2_grpc.StatusServiceAsyncStub"

    async def read(self) -> ServerStatus:
        """Raises DeniedError if the token does not permit it, EnvironmentFaultError without a server."""
        return read_status(await self._call(self._stub.GetStatus, status_pb2.GetStatusRequest(), _CALL_TIMEOUT_S))
