"""The client of PoolService: shows the pools of a server, and challenges other bots to an unrated match.

::

    import asyncio
    from cheatarena.pool_client import PoolClient

    async def main():
        async with PoolClient() as client:
            for pool in await client.pools():
                print(pool.name, pool.game, pool.bot_count)
            print(await client.challenge(["house:standard"]))

    asyncio.run(main())
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self

from cheatarena.errors import SettingsError
from cheatarena.server_calls import ServerCalls
from cheatarena.settings import Settings
from cheatarena.v1 import match_pb2, pool_pb2, pool_pb2_grpc, ruleset_pb2

__all__ = ["PoolClient", "PoolStanding", "PoolState"]

CALL_TIMEOUT_S: Final = 20.0
_PACES: Final = {"sealed": ruleset_pb2.PACE_STYLE_SEALED, "live": ruleset_pb2.PACE_STYLE_LIVE}
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PoolState:
    """A pool of a server, as it is now."""

    name: str
    """The name of the pool."""
    game: str
    """`cheat` or `cheater`."""
    preset: str
    """Name of the ruleset."""
    seat_count: int
    """Seats of each table."""
    game_count: int
    """Games of each match."""
    is_rated: bool
    """Whether its matches count for ratings."""
    turn_ms: int
    """Time for a turn, in milliseconds."""
    call_ms: int
    """Time for a call window or another reaction, in milliseconds."""
    season: int
    """Number of the season, from 1. After the last season: its number."""
    season_ends_at: int | None
    """When the season ends, in seconds since 1970; None if it has no end."""
    is_closed: bool
    """Whether the last season is over."""
    bot_count: int
    """Bots that are connected and want seats, without house bots."""
    waiting_count: int
    """Those of them that wait for a seat."""
    running_match_ids: tuple[str, ...]
    """The matches that are played now, newest first, at most 100."""
    house_bots: tuple[str, ...]
    """Names of the bots that the server starts itself."""


@dataclass(frozen=True, slots=True)
class PoolStanding:
    """The rating of a bot in a season of a pool."""

    bot: str
    """The bot."""
    version: str
    """The version that played last; the rating is for this version."""
    rating: float
    """In Elo points; the mean of the pool is 1500."""
    low: float | None
    """Low end of the 95 % interval; None if it is unknown."""
    high: float | None
    """High end of the 95 % interval; None if it is unknown."""
    game_count: int
    """Games of this version in this season."""
    is_house: bool
    """Whether the server starts the bot itself."""
    is_provisional: bool
    """Whether the rating is still too uncertain for a rank."""
    rated_game_count: float | None = None
    """How many of the games count for the rating: fewer than were played, if two owners met too often; None if it is
    unknown."""
    version_count: int = 1
    """How many versions of the bot have played in this season: of several equal ones, the best has been lucky."""
    owner_bot_count: int = 1
    """How many bots of its owner have a rating in this season; 1 if it has no owner."""


class PoolClient:
    """Shows pools, with any token, and makes challenges, with the token of a bot. Use it as an async context manager.

    Every call raises these errors:

    * TokenRefusedError if the server refuses the token;
    * RefusedError if the server refuses the request, for example because a bot does not accept the challenge;
    * TlsError if no secure connection can be made;
    * ServerGoneError if the server cannot be reached.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        """Prepare the connection. If no settings are given, read them from the environment, as a bot does."""
        self._calls = ServerCalls(settings or Settings.from_environment(), "has no pools and no challenges")
        self._stub: Any = pool_pb2_grpc.PoolServiceStub(self._calls.channel)

    async def pools(self) -> list[PoolState]:
        """Return the pools of the server, in the order of its settings."""
        listed = await self._call(self._stub.ListPools, pool_pb2.ListPoolsRequest())
        return [_read_pool(each) for each in listed.pools]

    async def pool(self, name: str) -> tuple[PoolState, list[PoolStanding]]:
        """Return a pool and its standings: first the bots with a rank, then the provisional ones, each by rating."""
        found = await self._call(self._stub.GetPool, pool_pb2.GetPoolRequest(name=name))
        return _read_pool(found.pool), [_read_standing(each) for each in found.standings]

    async def challenge(
        self,
        opponents: Sequence[str],
        *,
        instance: str = "",
        game: str = "",
        preset: str = "",
        options: Mapping[str, str] = _NOTHING,
        pace: str = "sealed",
        pace_options: Mapping[str, str] = _NOTHING,
        game_count: int = 1,
    ) -> str:
        """Let the bot of the token play an unrated match against other bots, and return the id of the match.

        Every bot has to be connected, also the challenger. An opponent is `NAME`, `NAME/INSTANCE` or `house:POOL`, a
        house bot of a pool. The challenge is refused if an opponent does not accept challenges of this bot. Without
        game and preset, the game is Cheat. `options` change the preset, and `pace_options` the defaults of the pace.
        Raises SettingsError if `pace` is neither `sealed` nor `live`.
        """
        if pace not in _PACES:
            raise SettingsError(f"the pace is {pace!r}, expected one of {', '.join(_PACES)}")
        request = pool_pb2.ChallengeRequest(
            opponents=opponents,
            instance=instance,
            game=game,
            preset=preset,
            options=_option_settings(options),
            pace=_PACES[pace],
            pace_options=_option_settings(pace_options),
            game_count=game_count,
        )
        match_id: str = (await self._call(self._stub.Challenge, request)).match_id
        return match_id

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._calls.close()

    async def _call(self, method: Any, request: Any) -> Any:
        return await self._calls.answer(method(request, metadata=self._calls.metadata, timeout=CALL_TIMEOUT_S))


def _option_settings(options: Mapping[str, str]) -> list[match_pb2.OptionSetting]:
    return [match_pb2.OptionSetting(name=name, value=value) for name, value in options.items()]


def _read_pool(message: pool_pb2.Pool) -> PoolState:
    terms = message.terms
    return PoolState(
        name=message.name,
        game=terms.ruleset.WhichOneof("game") or "",
        preset=terms.ruleset.preset,
        seat_count=message.seat_count,
        game_count=terms.game_count,
        is_rated=terms.rated,
        turn_ms=terms.pace.turn_ms,
        call_ms=terms.pace.call_ms,
        season=message.season,
        season_ends_at=message.season_ends_s if message.HasField("season_ends_s") else None,
        is_closed=message.is_closed,
        bot_count=message.bot_count,
        waiting_count=message.waiting_count,
        running_match_ids=tuple(message.running_match_ids),
        house_bots=tuple(message.house_bots),
    )


def _read_standing(message: pool_pb2.PoolStanding) -> PoolStanding:
    return PoolStanding(
        bot=message.bot,
        version=message.version,
        rating=message.rating,
        low=message.low if message.HasField("low") else None,
        high=message.high if message.HasField("high") else None,
        game_count=message.game_count,
        is_house=message.is_house,
        is_provisional=message.is_provisional,
        rated_game_count=message.rated_game_count if message.HasField("rated_game_count") else None,
        version_count=message.version_count or 1,
        owner_bot_count=message.owner_bot_count or 1,
    )
