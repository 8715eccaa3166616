"""MatchService: organizers make matches and learn how they went."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeVar

import grpc
from google.protobuf.message import Message

from arena.errors import ArenaError, NotConnectedError, OptionError, OptionsError, UnknownNameError
from arena.match.facts import GameEnded
from arena.match.match_record import strike_counts_of
from arena.match.pace import Pace, build_pace, describe_pace
from arena.match.ports import DealRow, DealStore, GameRow, MatchId, MatchRow, ResultStore
from arena.match.terms import REMEMBERED_TERMS, Seating, Terms, terms_from_plain
from arena.node.deal_committer import DealCommitter
from arena.node.hosted_match import HostedMatch
from arena.node.identity import TokenVerifier
from arena.node.node import Node
from arena.rpc.auth import identify
from arena.rpc.idempotency import IdempotencyCache
from arena.rpc.status import status_from_error
from arena.rules.game import Game
from arena.wire.deal_messages import deal_state_message
from arena.wire.option_texts import parse_option_text
from arena.wire.proto_codec import terms_message
from cheatarena.v1 import match_pb2, ruleset_pb2

SERVICE = "cheatarena.v1.MatchService"
MAX_KEY_LENGTH = 64
MAX_ITEMS = 100
MAX_GAME_COUNT = 10_000
SEED_BYTES = 32

Request = TypeVar("Request", bound=Message)
_PACE_STYLE_NAMES = {
    ruleset_pb2.PACE_STYLE_UNSPECIFIED: "sealed",
    ruleset_pb2.PACE_STYLE_LIVE: "live",
    ruleset_pb2.PACE_STYLE_SEALED: "sealed",
}
_SEATINGS = {
    ruleset_pb2.SEATING_UNSPECIFIED: Seating.ROTATED,
    ruleset_pb2.SEATING_FIXED: Seating.FIXED,
    ruleset_pb2.SEATING_ROTATED: Seating.ROTATED,
}


class ResultWaiter(Protocol):
    """Knows when a match and its results are kept."""

    def expect(self, match_id: MatchId) -> None:
        """A match is made; `kept` waits for its end from now on."""

    async def wait_until_stored(self, match_id: MatchId) -> None:
        """Return when the match is over and stored. Raises StoreError when it cannot be stored."""


class MatchService:
    """Needs the scope `organize`."""

    def __init__(
        self, node: Node, authority: TokenVerifier, results: ResultStore, deals: DealStore, endings: ResultWaiter
    ) -> None:
        self._node = node
        self._authority = authority
        self._results = results
        self._deals = deals
        self._endings = endings
        self._games = {name: codec.game for name, codec in node.game_codecs.items()}
        self._dealer = DealCommitter(node, deals)
        self._creations = IdempotencyCache(node.limits.keys, int(node.limits.key_s * 1e6))
        self._making: dict[object, asyncio.Task[tuple[HostedMatch, DealRow]]] = {}
        """By idempotency key, or by nothing in particular."""

    def on_match_ended(self, booking: HostedMatch) -> None:
        """The hall tells that a match is over."""
        self._creations.mark_ended(booking.match_id, self._node.now())

    def handler(self) -> grpc.GenericRpcHandler:
        """The service for a server."""
        pb = match_pb2
        methods = {
            "CreateMatch": self._build_method(pb.CreateMatchRequest, self._create),
            "GetMatch": self._build_method(pb.GetMatchRequest, self._get),
            "ListMatches": self._build_method(pb.ListMatchesRequest, self._list),
            "CancelMatch": self._build_method(pb.CancelMatchRequest, self._cancel),
            "WaitForResult": self._build_method(pb.WaitForResultRequest, self._wait),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    def _build_method(
        self, request: type[Request], act: Callable[[Request], Awaitable[Message]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        async def call(asked: Request, context: grpc.aio.ServicerContext[Any, Any]) -> Message:
            try:
                await identify(context.invocation_metadata(), self._authority, "organize")
                return await act(asked)
            except ArenaError as error:
                await context.abort_with_status(status_from_error(error))

        return grpc.unary_unary_rpc_method_handler(
            call, request_deserializer=request.FromString, response_serializer=_serialize
        )

    async def _create(self, request: match_pb2.CreateMatchRequest) -> match_pb2.CreateMatchResponse:
        key = request.idempotency_key
        if len(key) > MAX_KEY_LENGTH:
            raise OptionError("idempotency_key", key, f"at most {MAX_KEY_LENGTH} characters")
        while key and (same := self._making.get(key)) is not None:
            await asyncio.wait({same})
        known = self._creations.find(request, self._node.now())
        if known is not None:
            return match_pb2.CreateMatchResponse(match=await self._describe(known))
        return match_pb2.CreateMatchResponse(match=self._describe_running(*await self._make_shielded(request)))

    async def _make_shielded(self, request: match_pb2.CreateMatchRequest) -> tuple[HostedMatch, DealRow]:
        """Make a match even if whoever asked for it goes away: a deal that is in the chain is offered and opened."""
        making = asyncio.ensure_future(self._make_match(request))
        key = request.idempotency_key or object()
        self._making[key] = making
        making.add_done_callback(lambda done: self._on_made(key, done))
        return await asyncio.shield(making)

    def _on_made(self, key: object, making: "asyncio.Task[tuple[HostedMatch, DealRow]]") -> None:
        del self._making[key]
        if not self._making:
            self._dealer.schedule_fill()
        if not making.cancelled():
            making.exception()  # is told to whoever still waits

    async def _make_match(self, request: match_pb2.CreateMatchRequest) -> tuple[HostedMatch, DealRow]:
        """Make a match: its deal is in the journal and in the store's chain before a seat is offered."""
        node, booking = self._node, self._reserve(terms_from_request(request, self._games), request.seed)
        try:
            deal = booking.assigned_deal.row or await self._dealer.commit(booking.assigned_deal)
        except BaseException:
            node.hall.drop_reservation(booking)
            raise
        await node.resumed.wait()
        self._endings.expect(booking.match_id)
        self._creations.add(request, booking.match_id)
        node.hall.offer_seats(booking, node.now())
        node.rearm_timer()
        return booking, deal

    async def close(self) -> None:
        """Return when every match that is being made is offered, and no deal lies ready any more."""
        while self._making:
            await asyncio.wait(self._making.values())
        await self._dealer.close()

    def _reserve(self, terms: Terms, seed: bytes) -> HostedMatch:
        """Make a match. Raises NotConnectedError naming everybody who is missing, not the first alone."""
        hall = self._node.hall
        try:
            return hall.reserve(terms, self._node.now(), seed)
        except UnknownNameError as error:
            connected = {key[0] for key in hall.sessions.by_key}
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
        booking = self._find_running(MatchId(request.match_id))
        if booking is not None:
            self._node.inbox.drain()
            now = self._node.now()
            self._node.hall.cancel(booking.number, now, now)
            await self._endings.wait_until_stored(booking.match_id)
        return match_pb2.CancelMatchResponse(match=await self._describe(MatchId(request.match_id)))

    async def _wait(self, request: match_pb2.WaitForResultRequest) -> match_pb2.WaitForResultResponse:
        match_id = MatchId(request.match_id)
        await self._endings.wait_until_stored(match_id)
        return match_pb2.WaitForResultResponse(match=await self._describe(match_id))

    def _find_running(self, match_id: MatchId) -> HostedMatch | None:
        bookings = self._node.hall.matches.values()
        return next((booking for booking in bookings if booking.match_id == match_id), None)

    async def _describe(self, match_id: MatchId) -> match_pb2.Match:
        if self._find_running(match_id) is None:
            await self._endings.wait_until_stored(match_id)  # between its end and its store a match is nowhere else
        deal = await self._deals.deal(match_id)
        booking = self._find_running(match_id)
        if booking is not None:
            return self._describe_running(booking, deal)
        await self._endings.wait_until_stored(match_id)
        row = await self._results.match(match_id)
        terms = terms_from_plain(row.terms, self._games)
        return stored_match_message(row, self._describe_terms(terms), await self._results.games(match_id), deal)

    def _describe_running(self, booking: HostedMatch, deal: DealRow | None) -> match_pb2.Match:
        return running_match_message(booking, self._describe_terms(booking.terms), deal)

    def _describe_terms(self, terms: Terms) -> ruleset_pb2.MatchTerms:
        return terms_message(terms, self._node.game_codecs[terms.game.name])


def terms_from_request(request: match_pb2.CreateMatchRequest, games: Mapping[str, Game]) -> Terms:
    """What a request asks for, of one of these games.

    Raises OptionsError naming every refused option, UnknownNameError for game or preset.
    """
    game = games.get(request.game)
    if game is None:
        raise UnknownNameError("game", request.game, list(games))
    asked = match_pb2.CreateMatchRequest()
    asked.CopyFrom(request)
    asked.ClearField("idempotency_key")
    return _parse_terms(game, asked.SerializeToString(deterministic=True))


@lru_cache(REMEMBERED_TERMS)
def _parse_terms(game: Game, raw: bytes) -> Terms:
    """Read a request without its key: most are like one before. What is refused is read again each time."""
    request = match_pb2.CreateMatchRequest.FromString(raw)
    options = {setting.name: parse_option(game, request.preset, setting) for setting in request.options}
    for field, items in (("entrants", request.entrants), ("options", request.options)):
        if len(items) > MAX_ITEMS:
            raise OptionError(field, f"{len(items)} of them", f"at most {MAX_ITEMS}")
    faults = [OptionError(name, "twice", "each option once") for name in _duplicate_names(request.options)]
    ruleset = _collect_faults(faults, lambda: game.build_ruleset(request.preset, options))
    pace = _collect_faults(faults, lambda: pace_from_settings(request.pace, request.pace_options))
    seating = _SEATINGS.get(request.seating)
    if seating is None:
        faults.append(OptionError("seating", request.seating, "fixed or rotated"))
    if len(request.seed) not in (0, SEED_BYTES):
        faults.append(OptionError("seed", f"{len(request.seed)} bytes", f"expected {SEED_BYTES} bytes, or none"))
    if not 1 <= request.game_count <= MAX_GAME_COUNT:
        faults.append(OptionError("game_count", request.game_count, f"allowed: 1 to {MAX_GAME_COUNT}"))
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


def _duplicate_names(settings: Sequence[match_pb2.OptionSetting]) -> list[str]:
    return sorted(name for name, count in Counter(setting.name for setting in settings).items() if count > 1)


Value = TypeVar("Value")


def _collect_faults(faults: list[OptionError], make: Callable[[], Value]) -> Value | None:
    try:
        return make()
    except OptionsError as error:
        faults += error.faults
    except OptionError as error:
        faults.append(error)
    return None


def parse_option(game: Game, preset: str, setting: match_pb2.OptionSetting) -> object:
    """An option's text as the kind of value that this option has; a text that does not fit is left for the rules."""
    return parse_option_text(game.ruleset_options(game.build_ruleset(preset, {})).get(setting.name), setting.value)


def pace_from_settings(style: int, settings: Sequence[match_pb2.OptionSetting]) -> Pace:
    """A pace by its style and what differs from its defaults. Raises OptionsError."""
    word = next((word for number, word in _PACE_STYLE_NAMES.items() if number == style), f"number {style}")
    defaults = describe_pace(Pace.live_defaults() if word == "live" else Pace.sealed_defaults())
    return build_pace(word, {s.name: parse_option_text(defaults.get(s.name), s.value) for s in settings})


def running_match_message(booking: HostedMatch, terms: ruleset_pb2.MatchTerms, deal: DealRow | None) -> match_pb2.Match:
    """A match that runs, or is offered."""
    referee = booking.table.referee
    state = match_pb2.MATCH_STATE_RUNNING if booking.is_running else match_pb2.MATCH_STATE_OFFERED
    return match_pb2.Match(
        match_id=booking.match_id,
        match_number=booking.number,
        state=state,
        terms=terms,
        games=[_game_result_message(result) for result in referee.results],
        strikes=[match_pb2.Strikes(**strikes) for strikes in strike_counts_of(referee)],
        deal=deal_state_message(deal),
    )


def _game_result_message(result: GameEnded) -> match_pb2.GameResult:
    places = dict(zip(result.entrants, result.places, strict=True))
    return match_pb2.GameResult(
        game=result.game, places=bytes(places[e] for e in range(len(places))), termination=result.termination
    )


def stored_match_message(
    row: MatchRow, terms: ruleset_pb2.MatchTerms, results: Sequence[GameRow], deal: DealRow | None
) -> match_pb2.Match:
    """A match out of the store."""
    return match_pb2.Match(
        match_id=row.match_id,
        match_number=row.number,
        state=match_pb2.MATCH_STATE_ENDED if row.state == "ended" else match_pb2.MATCH_STATE_RUNNING,
        terms=terms,
        games=[
            match_pb2.GameResult(
                game=game.game, places=bytes(game.places), termination=game.termination, turn_count=game.turn_count
            )
            for game in results
        ],
        termination=row.termination,
        strikes=[match_pb2.Strikes(**strikes) for strikes in row.strikes],
        figures=[match_pb2.Figures(values=figures) for figures in row.statistics],
        deal=deal_state_message(deal),
    )


def _serialize(message: Message) -> bytes:
    return message.SerializeToString()
