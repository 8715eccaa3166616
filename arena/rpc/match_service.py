"""MatchService: organizers make matches and learn how they went."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeVar

import grpc
from google.protobuf.message import Message

from arena.errors import ArenaError, NotConnectedError, OptionError, OptionsError, UnknownNameError
from arena.match.archive import strikes_of
from arena.match.booking import Booking
from arena.match.facts import GameEnded
from arena.match.pace import Pace, describe_pace, pace_from
from arena.match.ports import DealRow, DealStore, GameRow, MatchId, MatchRow, ResultStore
from arena.match.terms import REMEMBERED_TERMS, Seating, Terms, terms_from
from arena.rpc.auth import Authority, identify
from arena.rpc.codec import terms_message
from arena.rpc.creations import Creations
from arena.rpc.dealer import Dealer
from arena.rpc.deals import state_message
from arena.rpc.games import games
from arena.rpc.node import Node
from arena.rpc.option_texts import option_value
from arena.rpc.status import status_of
from arena.rules.game import Game
from cheatarena.v1 import match_pb2, ruleset_pb2

SERVICE = "cheatarena.v1.MatchService"
MOST_KEY_LETTERS = 64
MOST_ITEMS = 100
MOST_GAMES = 10_000
SEED_BYTES = 32

Request = TypeVar("Request", bound=Message)
_STYLES = {
    ruleset_pb2.PACE_STYLE_UNSPECIFIED: "sealed",
    ruleset_pb2.PACE_STYLE_LIVE: "live",
    ruleset_pb2.PACE_STYLE_SEALED: "sealed",
}
_SEATINGS = {
    ruleset_pb2.SEATING_UNSPECIFIED: Seating.ROTATED,
    ruleset_pb2.SEATING_FIXED: Seating.FIXED,
    ruleset_pb2.SEATING_ROTATED: Seating.ROTATED,
}


class Endings(Protocol):
    """Knows when a match and its results are kept."""

    def expect(self, match_id: MatchId) -> None:
        """A match is made; `kept` waits for its end from now on."""

    async def kept(self, match_id: MatchId) -> None:
        """Return when the match is over and stored. Raises StoreError when it cannot be stored."""


class MatchService:
    """Needs the scope `organize`."""

    def __init__(
        self, node: Node, authority: Authority, results: ResultStore, deals: DealStore, endings: Endings
    ) -> None:
        self._node = node
        self._authority = authority
        self._results = results
        self._deals = deals
        self._endings = endings
        self._dealer = Dealer(node, deals)
        self._creations = Creations(node.limits.keys, int(node.limits.key_s * 1e6))
        self._making: dict[object, asyncio.Task[tuple[Booking, DealRow]]] = {}
        """By idempotency key, or by nothing in particular."""

    def ended(self, booking: Booking) -> None:
        """The hall tells that a match is over."""
        self._creations.ended(booking.match_id, self._node.now())

    def handler(self) -> grpc.GenericRpcHandler:
        """The service for a server."""
        pb = match_pb2
        methods = {
            "CreateMatch": self._method(pb.CreateMatchRequest, self._create),
            "GetMatch": self._method(pb.GetMatchRequest, self._get),
            "ListMatches": self._method(pb.ListMatchesRequest, self._list),
            "CancelMatch": self._method(pb.CancelMatchRequest, self._cancel),
            "WaitForResult": self._method(pb.WaitForResultRequest, self._wait),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    def _method(
        self, request: type[Request], act: Callable[[Request], Awaitable[Message]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        async def call(asked: Request, context: grpc.aio.ServicerContext[Any, Any]) -> Message:
            try:
                await identify(context.invocation_metadata(), self._authority, "organize")
                return await act(asked)
            except ArenaError as error:
                await context.abort_with_status(status_of(error))

        return grpc.unary_unary_rpc_method_handler(
            call, request_deserializer=request.FromString, response_serializer=_serialize
        )

    async def _create(self, request: match_pb2.CreateMatchRequest) -> match_pb2.CreateMatchResponse:
        key = request.idempotency_key
        if len(key) > MOST_KEY_LETTERS:
            raise OptionError("idempotency_key", key, f"at most {MOST_KEY_LETTERS} characters")
        while key and (same := self._making.get(key)) is not None:
            await asyncio.wait({same})
        known = self._creations.find(request, self._node.now())
        if known is not None:
            return match_pb2.CreateMatchResponse(match=await self._describe(known))
        return match_pb2.CreateMatchResponse(match=running_match(*await self._see_through(request)))

    async def _see_through(self, request: match_pb2.CreateMatchRequest) -> tuple[Booking, DealRow]:
        """Make a match even if whoever asked for it goes away: a deal that is in the chain is offered and opened."""
        making = asyncio.ensure_future(self._make(request))
        key = request.idempotency_key or object()
        self._making[key] = making
        making.add_done_callback(lambda done: self._is_made(key, done))
        return await asyncio.shield(making)

    def _is_made(self, key: object, making: "asyncio.Task[tuple[Booking, DealRow]]") -> None:
        del self._making[key]
        if not self._making:
            self._dealer.look()
        if not making.cancelled():
            making.exception()  # is told to whoever still waits

    async def _make(self, request: match_pb2.CreateMatchRequest) -> tuple[Booking, DealRow]:
        """Make a match: its deal is in the journal and in the store's chain before a seat is offered."""
        node, booking = self._node, self._book(terms_of(request), request.seed)
        try:
            deal = booking.laid.row or await self._dealer.commit(booking.laid)
        except BaseException:
            node.hall.drop(booking)
            raise
        await node.resumed.wait()
        self._endings.expect(booking.match_id)
        self._creations.add(request, booking.match_id)
        node.hall.offer(booking, node.now())
        node.rewind()
        return booking, deal

    async def drained(self) -> None:
        """Return when every match that is being made is offered, and no deal lies ready any more."""
        while self._making:
            await asyncio.wait(self._making.values())
        await self._dealer.close()

    def _book(self, terms: Terms, seed: bytes) -> Booking:
        """Make a match. Raises NotConnectedError naming everybody who is missing, not the first alone."""
        hall = self._node.hall
        try:
            return hall.reserve(terms, self._node.now(), seed)
        except UnknownNameError as error:
            connected = {key[0] for key in hall.guests.by_key}
            missing = [name for name in terms.entrants if name.partition("/")[0] not in connected]
            if missing:
                raise NotConnectedError(missing) from error
            raise

    async def _get(self, request: match_pb2.GetMatchRequest) -> match_pb2.GetMatchResponse:
        return match_pb2.GetMatchResponse(match=await self._describe(MatchId(request.match_id)))

    async def _list(self, request: match_pb2.ListMatchesRequest) -> match_pb2.ListMatchesResponse:
        size = request.page_size or 50
        if not 1 <= size <= 500:
            raise OptionError("page_size", size, "allowed: 1 to 500")
        before = MatchId(request.page_token) if request.page_token else None
        rows = await self._results.matches(size + 1, before)
        matches = [await self._describe(row.match_id) for row in rows[:size]]
        token = matches[-1].match_id if len(rows) > size else ""
        return match_pb2.ListMatchesResponse(matches=matches, next_page_token=token)

    async def _cancel(self, request: match_pb2.CancelMatchRequest) -> match_pb2.CancelMatchResponse:
        booking = self._running(MatchId(request.match_id))
        if booking is not None:
            self._node.inbox.drain()
            now = self._node.now()
            self._node.hall.cancel(booking.number, now, now)
            await self._endings.kept(booking.match_id)
        return match_pb2.CancelMatchResponse(match=await self._describe(MatchId(request.match_id)))

    async def _wait(self, request: match_pb2.WaitForResultRequest) -> match_pb2.WaitForResultResponse:
        match_id = MatchId(request.match_id)
        await self._endings.kept(match_id)
        return match_pb2.WaitForResultResponse(match=await self._describe(match_id))

    def _running(self, match_id: MatchId) -> Booking | None:
        bookings = self._node.hall.bookings.values()
        return next((booking for booking in bookings if booking.match_id == match_id), None)

    async def _describe(self, match_id: MatchId) -> match_pb2.Match:
        if self._running(match_id) is None:
            await self._endings.kept(match_id)  # between its end and its store a match is nowhere else
        deal = await self._deals.deal(match_id)
        booking = self._running(match_id)
        if booking is not None:
            return running_match(booking, deal)
        await self._endings.kept(match_id)
        return stored_match(await self._results.match(match_id), await self._results.games(match_id), deal)


def terms_of(request: match_pb2.CreateMatchRequest) -> Terms:
    """What a request asks for. Raises OptionsError naming every refused option, UnknownNameError for game or preset."""
    asked = match_pb2.CreateMatchRequest()
    asked.CopyFrom(request)
    asked.ClearField("idempotency_key")
    return _terms_asked(asked.SerializeToString(deterministic=True))


@lru_cache(REMEMBERED_TERMS)
def _terms_asked(raw: bytes) -> Terms:
    """Read a request without its key: most are like one before. What is refused is read again each time."""
    request = match_pb2.CreateMatchRequest.FromString(raw)
    game = games().get(request.game)
    if game is None:
        raise UnknownNameError("game", request.game, list(games()))
    options = {setting.name: read_option(game, request.preset, setting) for setting in request.options}
    for field, items in (("entrants", request.entrants), ("options", request.options)):
        if len(items) > MOST_ITEMS:
            raise OptionError(field, f"{len(items)} of them", f"at most {MOST_ITEMS}")
    faults = [OptionError(name, "twice", "each option once") for name in _doubles(request.options)]
    ruleset = _collect(faults, lambda: game.ruleset(request.preset, options))
    pace = _collect(faults, lambda: pace_of(request.pace, request.pace_options))
    seating = _SEATINGS.get(request.seating)
    if seating is None:
        faults.append(OptionError("seating", request.seating, "fixed or rotated"))
    if len(request.seed) not in (0, SEED_BYTES):
        faults.append(OptionError("seed", f"{len(request.seed)} bytes", f"expected {SEED_BYTES} bytes, or none"))
    if not 1 <= request.game_count <= MOST_GAMES:
        faults.append(OptionError("game_count", request.game_count, f"allowed: 1 to {MOST_GAMES}"))
    if faults or pace is None or seating is None:
        raise OptionsError(faults)
    return Terms(
        game=game,
        preset=request.preset,
        ruleset=ruleset,
        pace=pace,
        entrants=tuple(request.entrants),
        game_count=request.game_count,
        seating=seating,
        rated=not request.unrated,
        anonymous=request.anonymous,
    )


def _doubles(settings: Sequence[match_pb2.OptionSetting]) -> list[str]:
    return sorted(name for name, count in Counter(setting.name for setting in settings).items() if count > 1)


Made = TypeVar("Made")


def _collect(faults: list[OptionError], make: Callable[[], Made]) -> Made | None:
    try:
        return make()
    except OptionsError as error:
        faults += error.faults
    except OptionError as error:
        faults.append(error)
    return None


def read_option(game: Game, preset: str, setting: match_pb2.OptionSetting) -> object:
    """An option's text as the kind of value that this option has; a text that does not fit is left for the rules."""
    return option_value(game.describe(game.ruleset(preset, {})).get(setting.name), setting.value)


def pace_of(style: int, settings: Sequence[match_pb2.OptionSetting]) -> Pace:
    """A pace by its style and what differs from its defaults. Raises OptionsError."""
    word = next((word for number, word in _STYLES.items() if number == style), f"number {style}")
    defaults = describe_pace(Pace.live() if word == "live" else Pace.sealed())
    return pace_from(word, {s.name: option_value(defaults.get(s.name), s.value) for s in settings})


def running_match(booking: Booking, deal: DealRow | None) -> match_pb2.Match:
    """A match that runs, or is offered."""
    referee = booking.table.referee
    state = match_pb2.MATCH_STATE_RUNNING if booking.is_running else match_pb2.MATCH_STATE_OFFERED
    return match_pb2.Match(
        match_id=booking.match_id,
        match_number=booking.number,
        state=state,
        terms=terms_message(booking.terms),
        games=[_result(result) for result in referee.results],
        strikes=[match_pb2.Strikes(**strikes) for strikes in strikes_of(referee)],
        deal=state_message(deal),
    )


def _result(result: GameEnded) -> match_pb2.GameResult:
    places = dict(zip(result.entrants, result.places, strict=True))
    return match_pb2.GameResult(
        game=result.game, places=bytes(places[e] for e in range(len(places))), termination=result.termination
    )


def stored_match(row: MatchRow, results: Sequence[GameRow], deal: DealRow | None) -> match_pb2.Match:
    """A match out of the store."""
    return match_pb2.Match(
        match_id=row.match_id,
        match_number=row.number,
        state=match_pb2.MATCH_STATE_ENDED if row.state == "ended" else match_pb2.MATCH_STATE_RUNNING,
        terms=terms_message(terms_from(row.terms, games())),
        games=[
            match_pb2.GameResult(
                game=game.game, places=bytes(game.places), termination=game.termination, turn_count=game.turn_count
            )
            for game in results
        ],
        termination=row.termination,
        strikes=[match_pb2.Strikes(**strikes) for strikes in row.strikes],
        figures=[match_pb2.Figures(values=figures) for figures in row.statistics],
        deal=state_message(deal),
    )


def _serialize(message: Message) -> bytes:
    return message.SerializeToString()
