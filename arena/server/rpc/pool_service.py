"""PoolService, which shows the pools of a server and lets bots challenge each other."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Final

import grpc

from arena.competition.pools.matchmaker import Matchmaker
from arena.competition.pools.ports import RatingRow
from arena.competition.pools.running_pool import RunningPool
from arena.competition.pools.standings import count_owner_bots
from arena.errors import UnknownNameError
from arena.match.referee.match_order import RequestedTerms
from arena.match.referee.terms import Seating
from arena.server.node.challenges import Challenge, Challenges
from arena.server.rpc.caller import ANY_SCOPE
from arena.server.rpc.match_service import pace_style_name
from arena.server.rpc.method_builder import MethodBuilder
from arena.server.store.account_values import TokenIdentity
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.proto_codec import terms_message
from cheatarena.v1 import pool_pb2

SERVICE: Final = "cheatarena.v1.PoolService"
_MAX_RUNNING: Final = 100
"""The most running matches of a pool that a response lists."""


class PoolService:
    """Everybody with a valid token may call it. Challenges require the scope `play`."""

    def __init__(
        self,
        matchmaker: Matchmaker | None,
        challenges: Challenges,
        resolve: Callable[[str, str], tuple[str, str]],
        methods: MethodBuilder,
        game_codecs: Mapping[str, GameCodec],
        owners_of: Callable[[Collection[str]], Awaitable[Mapping[str, str]]],
    ) -> None:
        """`matchmaker` is None if there are no pools.

        `resolve` fills in the game or the preset if a challenge leaves it out. `owners_of` tells the owners of those of
        some bots that have one.
        """
        self._matchmaker = matchmaker
        self._challenges = challenges
        self._resolve = resolve
        self._methods = methods
        self._game_codecs = game_codecs
        self._owners_of = owners_of

    def handler(self) -> grpc.GenericRpcHandler:
        pb, build = pool_pb2, self._methods.build
        methods = {
            "ListPools": build(pb.ListPoolsRequest, ANY_SCOPE, self._list),
            "GetPool": build(pb.GetPoolRequest, ANY_SCOPE, self._get),
            "Challenge": build(pb.ChallengeRequest, "play", self._challenge),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _list(self, _: TokenIdentity, __: pool_pb2.ListPoolsRequest) -> pool_pb2.ListPoolsResponse:
        matchmaker = self._matchmaker
        if matchmaker is None:
            return pool_pb2.ListPoolsResponse()
        pools = [self._pool_message(matchmaker, running) for running in matchmaker.pools.values()]
        return pool_pb2.ListPoolsResponse(pools=pools)

    async def _get(self, _: TokenIdentity, request: pool_pb2.GetPoolRequest) -> pool_pb2.GetPoolResponse:
        matchmaker = self._matchmaker
        if matchmaker is None or request.name not in matchmaker.pools:
            raise UnknownNameError("pool", request.name, () if matchmaker is None else list(matchmaker.pools))
        running = matchmaker.pools[request.name]
        house = running.pool.house_names
        rows, versions = await running.standings(), await running.version_counts()
        bots = [row.bot for row in rows]
        owner_bots = count_owner_bots(bots, await self._owners_of(bots))
        standings = [
            _standing_message(row, versions[row.bot], owner_bots[row.bot], is_house=row.bot in house) for row in rows
        ]
        return pool_pb2.GetPoolResponse(pool=self._pool_message(matchmaker, running), standings=standings)

    async def _challenge(self, caller: TokenIdentity, request: pool_pb2.ChallengeRequest) -> pool_pb2.ChallengeResponse:
        asked = Challenge(
            challenger=caller.name,
            owner=caller.owner,
            instance=request.instance,
            opponents=tuple(request.opponents),
            terms=self._requested_terms(request),
        )
        return pool_pb2.ChallengeResponse(match_id=await self._challenges.make_match(asked))

    def _requested_terms(self, request: pool_pb2.ChallengeRequest) -> RequestedTerms:
        """The terms have no entrants. Raises UnknownNameError."""
        game, preset = self._resolve(request.game, request.preset)
        return RequestedTerms(
            game=game,
            preset=preset,
            entrants=(),
            options=tuple((setting.name, setting.value) for setting in request.options),
            pace_style=pace_style_name(request.pace),
            pace_options=tuple((setting.name, setting.value) for setting in request.pace_options),
            game_count=request.game_count or 1,
            seating=Seating.ROTATED,
            seed_length=0,
            is_rated=False,
        )

    def _pool_message(self, matchmaker: Matchmaker, running: RunningPool) -> pool_pb2.Pool:
        pool, season = running.pool, running.newest_season
        terms = terms_message(pool.terms, self._game_codecs[pool.terms.game.name])
        bots, waiting = matchmaker.entries.count(pool)
        message = pool_pb2.Pool(
            name=pool.name,
            terms=terms,
            seat_count=pool.seats,
            season=0 if season is None else season.season,
            season_ends_s=None if season is None or season.ends_at is None else int(season.ends_at),
            bot_count=bots,
            waiting_count=waiting,
            running_match_ids=matchmaker.open_matches(pool.name)[:_MAX_RUNNING],
            house_bots=pool.house_names,
            is_closed=running.season is None,
        )
        del message.terms.entrants[:]  # those of a pool are placeholders
        return message


def _standing_message(
    row: RatingRow, version_count: int, owner_bot_count: int, *, is_house: bool
) -> pool_pb2.PoolStanding:
    return pool_pb2.PoolStanding(
        bot=row.bot,
        version=row.version,
        rating=row.rating,
        low=row.low,
        high=row.high,
        game_count=row.games,
        is_house=is_house,
        is_provisional=row.is_provisional,
        rated_game_count=row.rated_games,
        version_count=version_count,
        owner_bot_count=owner_bot_count,
    )
