"""The organizer's client of MatchService.

Its methods take and return plain values and raise the arena's own errors, so callers need to know nothing about gRPC.
"""

import time
from collections.abc import Sequence
from typing import Final

from arena.errors import EnvironmentFaultError
from arena.match.referee.facts import STRIKE_NAMES
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.pace import describe_pace
from arena.match.referee.ports import GameSummary, MatchId
from arena.server.rpc.client_channel import CALL_TIMEOUT_S, ServiceClient
from arena.server.wire.proto_codec import PACE_STYLES, SEATINGS
from cheatarena.patience import RECONNECT_TIMEOUT_S, Patience
from cheatarena.v1 import match_pb2, match_pb2_grpc

_STATES: Final = {
    match_pb2.MATCH_STATE_OFFERED: "offered",
    match_pb2.MATCH_STATE_RUNNING: "running",
    match_pb2.MATCH_STATE_ENDED: "ended",
}
_CREATED_A_CALL: Final = 200
"""The most matches that the server creates in one call."""


class OrganizerClient(ServiceClient):
    """Creates matches on a server and reads their results. Use it as an asynchronous context manager.

    Every call raises DeniedError if the token does not permit the call, EnvironmentFaultError if the server cannot be
    reached, and RequestError if the request cannot be fulfilled.
    """

    stub_kind = match_pb2_grpc.MatchServiceStub
    _stub: "match_pb2_grpc.MatchServiceAsyncStub"

    async def create_match(self, order: MatchOrder) -> MatchId:
        """Raises NotConnectedError and CapacityError too."""
        response = await self._call(self._stub.CreateMatch, _request_from_order(order))
        return MatchId(response.match.match_id)

    async def create_matches(self, orders: Sequence[MatchOrder]) -> list[MatchId]:
        """Return the ids in the order of `orders`.

        Also raises NotConnectedError and CapacityError, as `create_match` does, for the first order that is refused.
        Matches that were created stay, and another call with the same orders returns them too.
        """
        created: list[MatchId] = []
        for first in range(0, len(orders), _CREATED_A_CALL):
            requests = [_request_from_order(order) for order in orders[first : first + _CREATED_A_CALL]]
            created += await self._answer(self._create_in_one_call(requests))
        return created

    async def _create_in_one_call(self, requests: Sequence[match_pb2.CreateMatchRequest]) -> list[MatchId]:
        call = self._stub.CreateMatches(
            match_pb2.CreateMatchesRequest(requests=requests), metadata=self._metadata, timeout=CALL_TIMEOUT_S
        )
        return [MatchId(each.match.match_id) async for response in call for each in response.created]

    async def get_match(self, match_id: MatchId) -> MatchReport:
        """Raises UnknownNameError too."""
        request = match_pb2.GetMatchRequest(match_id=match_id)
        return _report_from_match((await self._call(self._stub.GetMatch, request)).match)

    async def wait_for_result(self, match_id: MatchId) -> MatchReport:
        """Return the report of a match once it has ended and is stored. Also raises UnknownNameError.

        If the connection is lost, the client tries for 20 seconds to reach the server again.
        """
        request = match_pb2.WaitForResultRequest(match_id=match_id)
        patience = Patience()
        while True:
            asked_at = time.monotonic()
            try:
                return _report_from_match((await self._call(self._stub.WaitForResult, request, None)).match)
            except EnvironmentFaultError:
                if time.monotonic() - asked_at > RECONNECT_TIMEOUT_S:  # until now, the server was there
                    patience.renew()
                if not patience.lasts():
                    raise
            await patience.pause()

    async def cancel_match(self, match_id: MatchId) -> MatchReport:
        """Raises UnknownNameError too."""
        request = match_pb2.CancelMatchRequest(match_id=match_id)
        return _report_from_match((await self._call(self._stub.CancelMatch, request)).match)


def _request_from_order(order: MatchOrder) -> match_pb2.CreateMatchRequest:
    return match_pb2.CreateMatchRequest(
        entrants=order.entrants,
        game=order.game,
        preset=order.preset,
        options=[match_pb2.OptionSetting(name=name, value=value) for name, value in order.options.items()],
        pace=PACE_STYLES[order.pace.style],
        pace_options=[
            match_pb2.OptionSetting(name=name, value=str(value).lower())
            for name, value in describe_pace(order.pace).items()
            if name != "style"
        ],
        game_count=order.game_count,
        seating=SEATINGS[order.seating],
        seed=order.seed,
        unrated=not order.is_rated,
        idempotency_key=order.key,
    )


def _report_from_match(match: match_pb2.Match) -> MatchReport:
    return MatchReport(
        match_id=MatchId(match.match_id),
        state=_STATES.get(match.state, "unknown"),
        games=tuple(
            GameSummary(game.game, tuple(game.places), game.termination, game.turn_count) for game in match.games
        ),
        termination=match.termination,
        strikes=tuple({name: getattr(each, name) for name in STRIKE_NAMES} for each in match.strikes),
        figures=tuple(dict(each.values) for each in match.figures),
    )
