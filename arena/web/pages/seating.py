"""Why the entrants of a match of a pool sit together, as the matchmaker stored it before it offered the seats."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.match.referee.ports import MatchId
from arena.web.pages.match_lines import MatchLine
from arena.web.sources import Sources


@dataclass(frozen=True, slots=True)
class SeatedEntrant:
    """An entrant, as the matchmaker knew it."""

    bot: str
    version: str
    rating: float
    spread: float
    """Standard deviation of the rating, in points."""
    waited_s: float
    cost: float | None
    """What it cost to choose this opponent; the least is chosen first. Null for the bot that chose."""
    is_house: bool


@dataclass(frozen=True, slots=True)
class PoolSeating:
    """The seating of a match by a pool."""

    pool: str
    season: int
    round_id: str
    at: float
    """Seconds since 1970."""
    first: str
    """The bot that had waited longest, and chose the others."""
    seated: Sequence[SeatedEntrant]
    """By entrant."""


async def find_seating(sources: Sources, line: MatchLine) -> PoolSeating | None:
    """Return the seating of a match; None if no pool has made it, or while it may tell who plays elsewhere.

    Its costs count who has met whom, also in anonymous matches of the pool that run.
    """
    reader = sources.store.pool_reader
    found = None if line.is_anonymous else await reader.seating(MatchId(line.match_id))
    if found is None:
        return None
    season = await reader.season(found.pool, found.season)
    if season is not None and season.settings["terms"]["anonymous"]:
        made = (await reader.rounds([found.round_id]))[found.round_id]
        if await reader.is_round_secret(made, sources.clock()):
            return None
    costs = found.reason.get("costs", {})
    return PoolSeating(
        pool=found.pool,
        season=found.season,
        round_id=found.round_id,
        at=found.at,
        first=found.reason.get("first", ""),
        seated=[
            SeatedEntrant(
                each.bot,
                each.version,
                each.rating,
                each.spread,
                each.waited_s,
                costs.get(each.bot),
                each.is_house,
            )
            for each in found.seated
        ],
    )
