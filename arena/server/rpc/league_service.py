"""LeagueService, through which organizers let a server play leagues, and its client."""

from dataclasses import asdict
from enum import StrEnum
from typing import Final, Protocol

import grpc

from arena.errors import OptionError
from arena.match.value_class import value_class
from arena.server.rpc.client_channel import ServiceClient
from arena.server.rpc.method_builder import MethodBuilder
from arena.server.store.account_values import TokenIdentity
from cheatarena.v1 import league_pb2, league_pb2_grpc

SERVICE: Final = "cheatarena.v1.LeagueService"
MAX_FILE_BYTES: Final = 256 * 1024
"""The largest file of a league. A thousand entrants take 60 KiB."""


@value_class()
class LeagueOrder:
    name: str
    text: str
    """The league's file."""
    is_sealed: bool = False
    """Whether the league has to be sealed already. Otherwise it gets its seal if it has none."""
    finishes_rounds: bool = False
    """Whether no round begins that has not begun before."""


class LeagueState(StrEnum):
    PLAYING = "playing"
    STOPPED = "stopped"
    OVER = "over"


@value_class()
class LeagueStanding:
    bot: str
    place: int
    """0 without a game."""
    game_count: int
    score: float
    low: float
    """With `high`, the 95 % interval of the score; both NaN if it is unknown."""
    high: float
    first_count: int
    mean_place: float
    strike_count: int


@value_class()
class LeagueStatus:
    name: str
    seal: str
    state: LeagueState
    game_count: int
    planned_count: int | None
    """None if it is unknown."""
    awaited: tuple[str, ...]
    """The absent remote bots for which tables wait."""
    fault: str
    """Why the league has stopped by itself; empty if it has not."""
    entrants: tuple[str, ...]
    """Each as NAME or NAME@VERSION."""
    standings: tuple[LeagueStanding, ...] = ()
    """The best first; empty unless they were asked for."""


class LeagueHost(Protocol):
    """Plays leagues on this server."""

    async def run(self, order: LeagueOrder) -> LeagueStatus:
        """Return when the league is sealed and plays. A league that plays already with this file goes on.

        Raises CapacityError, and RequestError and others that say why it cannot be sealed or played.
        """

    async def stop(self, name: str) -> LeagueStatus:
        """Begin no further table. Raises UnknownNameError."""

    async def show(self, name: str, *, has_standings: bool) -> LeagueStatus:
        """Raises UnknownNameError."""


class LeagueService:
    """Requires the scope `organize`."""

    def __init__(self, leagues: LeagueHost, methods: MethodBuilder) -> None:
        self._leagues = leagues
        self._methods = methods

    def handler(self) -> grpc.GenericRpcHandler:
        pb, build = league_pb2, self._methods.build
        methods = {
            "RunLeague": build(pb.RunLeagueRequest, "organize", self._run),
            "StopLeague": build(pb.StopLeagueRequest, "organize", self._stop),
            "GetLeague": build(pb.GetLeagueRequest, "organize", self._get),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _run(self, _: TokenIdentity, request: league_pb2.RunLeagueRequest) -> league_pb2.RunLeagueResponse:
        if (size := len(request.file.encode())) > MAX_FILE_BYTES:
            raise OptionError("file", size, f"expected at most {MAX_FILE_BYTES} bytes")
        order = LeagueOrder(request.name, request.file, request.is_sealed, request.finishes_rounds)
        return league_pb2.RunLeagueResponse(league=_to_message(await self._leagues.run(order)))

    async def _stop(self, _: TokenIdentity, request: league_pb2.StopLeagueRequest) -> league_pb2.StopLeagueResponse:
        return league_pb2.StopLeagueResponse(league=_to_message(await self._leagues.stop(request.name)))

    async def _get(self, _: TokenIdentity, request: league_pb2.GetLeagueRequest) -> league_pb2.GetLeagueResponse:
        status = await self._leagues.show(request.name, has_standings=request.with_standings)
        return league_pb2.GetLeagueResponse(league=_to_message(status))


_STATES: Final = {
    LeagueState.PLAYING: league_pb2.LEAGUE_STATE_PLAYING,
    LeagueState.STOPPED: league_pb2.LEAGUE_STATE_STOPPED,
    LeagueState.OVER: league_pb2.LEAGUE_STATE_OVER,
}


def _to_message(status: LeagueStatus) -> league_pb2.League:
    return league_pb2.League(
        name=status.name,
        seal=status.seal,
        state=_STATES[status.state],
        game_count=status.game_count,
        planned_count=status.planned_count,
        awaited=status.awaited,
        fault=status.fault,
        entrants=status.entrants,
        standings=[league_pb2.LeagueStanding(**asdict(each)) for each in status.standings],
    )


def _from_message(message: league_pb2.League) -> LeagueStatus:
    states = {number: state for state, number in _STATES.items()}
    return LeagueStatus(
        message.name,
        message.seal,
        states.get(message.state, LeagueState.STOPPED),
        message.game_count,
        message.planned_count if message.HasField("planned_count") else None,
        tuple(message.awaited),
        message.fault,
        tuple(message.entrants),
        tuple(
            LeagueStanding(**{name: getattr(each, name) for name in LeagueStanding.__dataclass_fields__})
            for each in message.standings
        ),
    )


_RUN_TIMEOUT_S: Final = 120.0
"""Seconds for a call that starts a process of the league, on a server that is busy."""


class LeagueClient(ServiceClient):
    """Every call raises DeniedError, EnvironmentFaultError and RequestError, as `OrganizerClient` does."""

    stub_kind = league_pb2_grpc.LeagueServiceStub
    _stub: "league_pb2_grpc.LeagueServiceAsyncStub"

    async def run(self, order: LeagueOrder) -> LeagueStatus:
        request = league_pb2.RunLeagueRequest(
            name=order.name, file=order.text, is_sealed=order.is_sealed, finishes_rounds=order.finishes_rounds
        )
        return _from_message((await self._call(self._stub.RunLeague, request, _RUN_TIMEOUT_S)).league)

    async def stop(self, name: str) -> LeagueStatus:
        request = league_pb2.StopLeagueRequest(name=name)
        return _from_message((await self._call(self._stub.StopLeague, request, _RUN_TIMEOUT_S)).league)

    async def show(self, name: str, *, has_standings: bool) -> LeagueStatus:
        request = league_pb2.GetLeagueRequest(name=name, with_standings=has_standings)
        return _from_message((await self._call(self._stub.GetLeague, request, _RUN_TIMEOUT_S)).league)
