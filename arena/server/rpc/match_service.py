"""Implements MatchService, through which organizers create matches and read their results."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from hashlib import sha256

import grpc

from arena.errors import OptionError
from arena.match.referee.match_order import RequestedTerms
from arena.match.referee.match_record import strike_counts_of
from arena.match.referee.ports import DealRow, GameRow, GameSummary, MatchId, MatchRow, MatchSummary
from arena.match.referee.terms import Seating
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.match_organizer import CreationRequest, MatchOrganizer, MatchState, StoredMatch
from arena.server.rpc.method_builder import MethodBuilder, parse_page_token, read_page_size
from arena.server.store.account_values import TokenIdentity
from arena.server.wire.deal_messages import deal_state_message
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.proto_codec import terms_message
from arena.server.wire.stored_terms import stored_terms_message
from cheatarena.v1 import match_pb2, ruleset_pb2

SERVICE = "cheatarena.v1.MatchService"
MAX_CREATED = 200
"""The most matches that one call creates."""
ROWS_AT_ONCE = 8
"""How many rows of a list are built in one pass of the loop. Building them takes about half a millisecond."""

_PACE_STYLE_NAMES: Mapping[int, str] = {
    ruleset_pb2.PACE_STYLE_UNSPECIFIED: "sealed",
    ruleset_pb2.PACE_STYLE_LIVE: "live",
    ruleset_pb2.PACE_STYLE_SEALED: "sealed",
}
_SEATINGS = {
    ruleset_pb2.SEATING_UNSPECIFIED: Seating.ROTATED,
    ruleset_pb2.SEATING_FIXED: Seating.FIXED,
    ruleset_pb2.SEATING_ROTATED: Seating.ROTATED,
}


class MatchService:
    """Requires the scope `organize`."""

    def __init__(self, matches: MatchOrganizer, methods: MethodBuilder, game_codecs: Mapping[str, GameCodec]) -> None:
        self._matches = matches
        self._game_codecs = game_codecs
        self._methods = methods

    def handler(self) -> grpc.GenericRpcHandler:
        pb, build = match_pb2, self._methods.build
        methods = {
            "CreateMatch": build(pb.CreateMatchRequest, "organize", self._create),
            "CreateMatches": self._methods.build_stream(pb.CreateMatchesRequest, "organize", self._create_many),
            "GetMatch": build(pb.GetMatchRequest, "organize", self._get),
            "ListMatches": build(pb.ListMatchesRequest, "organize", self._list),
            "CancelMatch": build(pb.CancelMatchRequest, "organize", self._cancel),
            "WaitForResult": build(pb.WaitForResultRequest, "organize", self._wait),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _create(
        self, caller: TokenIdentity, request: match_pb2.CreateMatchRequest
    ) -> match_pb2.CreateMatchResponse:
        made = await self._matches.create(_creation_request(caller, request))
        return match_pb2.CreateMatchResponse(match=self._match_message(*made))

    async def _create_many(
        self, caller: TokenIdentity, request: match_pb2.CreateMatchesRequest
    ) -> AsyncIterator[match_pb2.CreateMatchesResponse]:
        """Create matches and yield them in pieces. Then raise the refusal of the first refused request, if any."""
        count = len(request.requests)
        if not 1 <= count <= MAX_CREATED:
            raise OptionError("requests", count, f"expected 1 to {MAX_CREATED}")
        made, refusal = await self._matches.create_many(_creation_request(caller, each) for each in request.requests)
        for first in range(0, len(made), ROWS_AT_ONCE):
            created = [
                match_pb2.CreatedMatch(request=index, match=self._match_message(match, deal))
                for index, match, deal in made[first : first + ROWS_AT_ONCE]
            ]
            yield match_pb2.CreateMatchesResponse(created=created)
            await asyncio.sleep(0)
        if refusal is not None:
            raise refusal

    async def _get(self, _: TokenIdentity, request: match_pb2.GetMatchRequest) -> match_pb2.GetMatchResponse:
        return match_pb2.GetMatchResponse(match=await self._describe(request.match_id))

    async def _list(self, _: TokenIdentity, request: match_pb2.ListMatchesRequest) -> match_pb2.ListMatchesResponse:
        size = read_page_size(request.page_size, default=50, most=500)
        before = parse_page_token(request.page_token)
        found = await self._matches.list_matches(size + 1, before)  # one more shows whether there is a next page
        matches = []
        for number, (match, deal) in enumerate(found[:size], start=1):
            matches.append(self._match_message(match, deal))
            if number % ROWS_AT_ONCE == 0:
                await asyncio.sleep(0)
        token = matches[-1].match_id if len(found) > size else ""
        return match_pb2.ListMatchesResponse(matches=matches, next_page_token=token)

    async def _cancel(self, _: TokenIdentity, request: match_pb2.CancelMatchRequest) -> match_pb2.CancelMatchResponse:
        await self._matches.cancel(MatchId(request.match_id))
        return match_pb2.CancelMatchResponse(match=await self._describe(request.match_id))

    async def _wait(self, _: TokenIdentity, request: match_pb2.WaitForResultRequest) -> match_pb2.WaitForResultResponse:
        match_id = MatchId(request.match_id)
        ended = await self._matches.wait_for_end(match_id)
        return match_pb2.WaitForResultResponse(
            match=self._match_message(ended, await self._matches.find_deal(match_id))
        )

    async def _describe(self, match_id: str) -> match_pb2.Match:
        return self._match_message(*await self._matches.describe(MatchId(match_id)))

    def _match_message(self, match: MatchState | MatchSummary, deal: DealRow | None) -> match_pb2.Match:
        if isinstance(match, StoredMatch | MatchSummary):
            terms = stored_terms_message(match.row.terms, self._game_codecs)
            return stored_match_message(match.row, terms, match.games, deal)
        codec = self._game_codecs[match.terms.game.name]
        return running_match_message(match, terms_message(match.terms, codec), deal)


def _creation_request(caller: TokenIdentity, request: match_pb2.CreateMatchRequest) -> CreationRequest:
    digest = sha256(request.SerializeToString(deterministic=True)).digest()
    return CreationRequest(requested_terms(request), request.seed, caller.name, request.idempotency_key, digest)


def requested_terms(request: match_pb2.CreateMatchRequest) -> RequestedTerms:
    """Nothing is checked."""
    return RequestedTerms(
        game=request.game,
        preset=request.preset,
        entrants=tuple(request.entrants),
        options=tuple((setting.name, setting.value) for setting in request.options),
        pace_style=pace_style_name(request.pace),
        pace_options=tuple((setting.name, setting.value) for setting in request.pace_options),
        game_count=request.game_count,
        seating=_SEATINGS.get(request.seating, int(request.seating)),
        seed_length=len(request.seed),
        is_rated=not request.unrated,
        is_anonymous=request.anonymous,
    )


def pace_style_name(style: int) -> str:
    """Unspecified means sealed. An unknown number gives a name that is refused."""
    return _PACE_STYLE_NAMES.get(style, f"number {style}")


def running_match_message(hosted: HostedMatch, terms: ruleset_pb2.MatchTerms, deal: DealRow | None) -> match_pb2.Match:
    referee = hosted.table.referee
    state = match_pb2.MATCH_STATE_RUNNING if hosted.is_running else match_pb2.MATCH_STATE_OFFERED
    return match_pb2.Match(
        match_id=hosted.match_id,
        match_number=hosted.number,
        state=state,
        terms=terms,
        games=[
            match_pb2.GameResult(
                game=result.game, places=bytes(result.places_by_entrant), termination=result.termination
            )
            for result in referee.results
        ],
        strikes=[match_pb2.Strikes(**strikes) for strikes in strike_counts_of(referee)],
        deal=deal_state_message(deal),
    )


def stored_match_message(
    row: MatchRow, terms: ruleset_pb2.MatchTerms, results: Sequence[GameRow | GameSummary], deal: DealRow | None
) -> match_pb2.Match:
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
