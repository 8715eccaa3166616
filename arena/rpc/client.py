"""Implements the organizer's client of MatchService, with plain values and the arena's own errors.

Callers need to know nothing about gRPC.
"""

import asyncio
import time
from collections.abc import Awaitable
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from arena.errors import (
    ArenaError,
    CapacityError,
    DeniedError,
    EnvironmentFaultError,
    NotConnectedError,
    RequestError,
    UnknownNameError,
)
from arena.match.match_order import MatchOrder, MatchReport, PlayedGame
from arena.match.pace import describe_pace
from arena.match.ports import MatchId
from arena.match.terms import Seating
from arena.node.addresses import is_loopback
from arena.wire.proto_codec import PACE_STYLES
from cheatarena.v1 import match_pb2, match_pb2_grpc, ruleset_pb2

Response = TypeVar("Response")

_SEATINGS: Final = {Seating.FIXED: ruleset_pb2.SEATING_FIXED, Seating.ROTATED: ruleset_pb2.SEATING_ROTATED}
_STATES: Final = {
    match_pb2.MATCH_STATE_OFFERED: "offered",
    match_pb2.MATCH_STATE_RUNNING: "running",
    match_pb2.MATCH_STATE_ENDED: "ended",
}
_CHANNEL_OPTIONS: Final = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.max_receive_message_length", 64 << 20),
)
_CALL_TIMEOUT_S: Final = 20.0
"""Seconds that a call may take, other than waiting for a match to end."""
_RECONNECT_TIMEOUT_S: Final = 20.0
"""Seconds that a server may be unreachable while the client waits for the end of a match."""
_RETRY_INTERVAL_S: Final = 0.5


class OrganizerClient:
    """Creates matches on a server and reads their results. An asynchronous context manager.

    Every call raises DeniedError if the token does not permit it, EnvironmentFaultError if the server cannot be
    reached, and RequestError if the request cannot be fulfilled.
    """

    def __init__(self, address: str, token: str) -> None:
        """Connect without TLS to a loopback address, and with TLS to any other."""
        self.address = address
        self._metadata = (("authorization", f"Bearer {token}"),)
        if is_loopback(address.rpartition(":")[0]):
            self._channel = grpc.aio.insecure_channel(address, options=_CHANNEL_OPTIONS)
        else:
            self._channel = grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(), options=_CHANNEL_OPTIONS)
        self._stub: match_pb2_grpc.MatchServiceAsyncStub = match_pb2_grpc.MatchServiceStub(self._channel)

    async def create_match(self, order: MatchOrder) -> MatchId:
        """Create a match and return its id. Raises NotConnectedError, CapacityError."""
        request = _request_from_order(order)
        response = await self._await_response(
            self._stub.CreateMatch(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_S)
        )
        return MatchId(response.match.match_id)

    async def get_match(self, match_id: MatchId) -> MatchReport:
        """Return the state of a match. Raises UnknownNameError."""
        request = match_pb2.GetMatchRequest(match_id=match_id)
        asked = self._stub.GetMatch(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_S)
        return _report_from_match((await self._await_response(asked)).match)

    async def wait_for_result(self, match_id: MatchId) -> MatchReport:
        """Return a match when it has ended and is stored, reconnecting if necessary. Raises UnknownNameError."""
        request = match_pb2.WaitForResultRequest(match_id=match_id)
        lost_at = None
        while True:
            asked_at = time.monotonic()
            try:
                return _report_from_match(
                    (await self._await_response(self._stub.WaitForResult(request, metadata=self._metadata))).match
                )
            except EnvironmentFaultError:
                now = time.monotonic()
                lost_at = now if lost_at is None or now - asked_at > _RECONNECT_TIMEOUT_S else lost_at
                if now - lost_at > _RECONNECT_TIMEOUT_S:
                    raise
            await asyncio.sleep(_RETRY_INTERVAL_S)

    async def cancel_match(self, match_id: MatchId) -> MatchReport:
        """End a match now. Raises UnknownNameError."""
        request = match_pb2.CancelMatchRequest(match_id=match_id)
        asked = self._stub.CancelMatch(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_S)
        return _report_from_match((await self._await_response(asked)).match)

    async def close(self) -> None:
        """Close the connection."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _await_response(self, call: Awaitable[Response]) -> Response:
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            raise _error_from_rpc(error, self.address) from error


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
        seating=_SEATINGS[order.seating],
        seed=order.seed,
        unrated=not order.is_rated,
        idempotency_key=order.key,
    )


def _report_from_match(match: match_pb2.Match) -> MatchReport:
    return MatchReport(
        match_id=MatchId(match.match_id),
        state=_STATES.get(match.state, "unknown"),
        games=tuple(
            PlayedGame(game.game, tuple(game.places), game.termination, game.turn_count) for game in match.games
        ),
        termination=match.termination,
        strikes=tuple(
            {"late": each.late, "illegal": each.illegal, "missing": each.missing, "gone": each.gone}
            for each in match.strikes
        ),
        figures=tuple(dict(each.values) for each in match.figures),
    )


def _error_from_rpc(error: grpc.aio.AioRpcError, address: str) -> ArenaError:
    """Return the arena error that corresponds to a gRPC error."""
    text = error.details() or error.code().name
    info = _find_error_info(error)
    match error.code():
        case grpc.StatusCode.UNAUTHENTICATED | grpc.StatusCode.PERMISSION_DENIED:
            return DeniedError(f"{address}: {text}")
        case grpc.StatusCode.NOT_FOUND:
            return _unknown_name_error(text, info)
        case grpc.StatusCode.INVALID_ARGUMENT | grpc.StatusCode.FAILED_PRECONDITION:
            return RequestError(text)
        case grpc.StatusCode.RESOURCE_EXHAUSTED:
            return CapacityError(text)
        case grpc.StatusCode.UNAVAILABLE if info is None:
            return EnvironmentFaultError(f"the server at {address} cannot be reached: {text}")
        case grpc.StatusCode.UNAVAILABLE | grpc.StatusCode.DEADLINE_EXCEEDED | grpc.StatusCode.CANCELLED:
            return EnvironmentFaultError(f"the server at {address} did not answer: {text}")
        case code:
            return ArenaError(f"the server at {address} failed: {code.name}: {text}")


def _unknown_name_error(text: str, info: error_details_pb2.ErrorInfo | None) -> RequestError:
    if info is None or "name" not in info.metadata:
        return RequestError(text)
    kind, name = info.metadata["kind"], info.metadata["name"]
    if kind == NotConnectedError.kind:
        return NotConnectedError(name.split(","))
    return UnknownNameError(kind, name)


def _find_error_info(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo | None:
    call: Any = error  # it has the methods of a call
    status: Any = rpc_status.from_call(call)
    for detail in status.details if status is not None else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            return info
    return None
