"""Implements StatusService, which shows organizers how a server is doing."""

from typing import Final

import grpc

from arena.node.identity import CallerIdentity
from arena.node.node import Node
from arena.node.server_status import BotPace, NodeFigures, PoolFigures, ServerStatus, measure_node
from arena.pools.matchmaker import Matchmaker
from arena.rpc.method_builder import MethodBuilder
from cheatarena.v1 import status_pb2

SERVICE: Final = "cheatarena.v1.StatusService"


class StatusService:
    """Serves organizers. Requires the scope `organize`."""

    def __init__(self, node: Node, matchmaker: Matchmaker | None, methods: MethodBuilder) -> None:
        """`matchmaker` is None if there are no pools."""
        self._node = node
        self._matchmaker = matchmaker
        self._methods = methods

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the service's handler for a server."""
        methods = {"GetStatus": self._methods.build(status_pb2.GetStatusRequest, "organize", self._get)}
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _get(self, _: CallerIdentity, __: status_pb2.GetStatusRequest) -> status_pb2.GetStatusResponse:
        figures, slowest = await measure_node(self._node)
        return status_message(ServerStatus((figures,), self._pool_figures(), slowest))

    def _pool_figures(self) -> tuple[PoolFigures, ...]:
        if self._matchmaker is None:
            return ()
        found = []
        for name, running in self._matchmaker.pools.items():
            bots, waiting = self._matchmaker.entries.count(running.pool)
            found.append(PoolFigures(name, bots, waiting, len(self._matchmaker.open_matches(name))))
        return tuple(found)


def status_message(status: ServerStatus) -> status_pb2.GetStatusResponse:
    """Return the message for the figures of a server."""
    return status_pb2.GetStatusResponse(
        nodes=[
            status_pb2.NodeStatus(
                node=each.node,
                uptime_us=each.uptime_us,
                session_count=each.sessions,
                offered_count=each.offered,
                running_count=each.running,
                ended_count=each.ended,
                decision_count=each.decisions,
                stall_count=each.stalls,
                stall_us=each.stall_us,
            )
            for each in status.nodes
        ],
        pools=[
            status_pb2.PoolStatus(
                name=each.name, bot_count=each.bots, waiting_count=each.waiting, match_count=each.matches
            )
            for each in status.pools
        ],
        slowest_bots=[
            status_pb2.BotStatus(
                bot=each.bot,
                seat_count=each.seats,
                decision_count=each.decisions,
                mean_think_us=each.mean_think_us,
                slow_think_us=each.slow_think_us,
                slow_share=each.slow_share,
                slowest_share=each.slowest_share,
                strike_count=each.strikes,
            )
            for each in status.slowest_bots
        ],
    )


def read_status(message: status_pb2.GetStatusResponse) -> ServerStatus:
    """Return the figures in a message of `status_message`."""
    return ServerStatus(
        nodes=tuple(
            NodeFigures(
                node=each.node,
                uptime_us=each.uptime_us,
                sessions=each.session_count,
                offered=each.offered_count,
                running=each.running_count,
                ended=each.ended_count,
                decisions=each.decision_count,
                stalls=each.stall_count,
                stall_us=each.stall_us,
            )
            for each in message.nodes
        ),
        pools=tuple(
            PoolFigures(each.name, each.bot_count, each.waiting_count, each.match_count) for each in message.pools
        ),
        slowest_bots=tuple(
            BotPace(
                bot=each.bot,
                seats=each.seat_count,
                decisions=each.decision_count,
                mean_think_us=each.mean_think_us,
                slow_think_us=each.slow_think_us,
                slow_share=each.slow_share,
                slowest_share=each.slowest_share,
                strikes=each.strike_count,
            )
            for each in message.slowest_bots
        ),
    )
