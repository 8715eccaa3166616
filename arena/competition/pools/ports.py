"""What pools keep in the store, and what they need of the node that plays their matches."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, Protocol

from arena.competition.pools.matchmaking import Seeker
from arena.ids import WallTime
from arena.match.referee.match_order import RequestedTerms
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import SessionKey
from arena.match.value_class import value_class

OPEN, CLOSED = "open", "closed"
"""States of a season. A closed season has its final ratings and takes no more games."""
MIN_GAMES: Final = 30
"""A version with fewer games that count has no rank."""
MAX_HALF_WIDTH: Final = 100.0
"""A version whose interval reaches further than this to either side, in points, has no rank."""
RATED_GAMES: Final = "rated_games"
"""Name of a figure of a rating: how many games count for it, in whole and in part."""


@value_class()
class SeasonRow:
    """A season of a pool."""

    pool: str
    season: int
    """From 1."""
    started_at: WallTime
    rules_digest: str
    """What ratings depend on (`Pool.rules_digest`)."""
    settings: Mapping[str, Any]
    """The pool's settings at its start, as plain values, for people."""
    ends_at: WallTime | None = None
    """When it ends; None if it has no end."""
    state: str = OPEN
    closed_at: WallTime | None = None
    report: str = ""
    """The folder of the published report, inside the data folder; empty while there is none."""


@value_class()
class RoundRow:
    """One round of matchmaking: who waited. The tables of the round follow from it (`matchmaking.seat_tables`)."""

    round_id: str
    """26 characters, sortable by time."""
    pool: str
    at: WallTime
    inputs: Mapping[str, Any]
    """The inputs of the matchmaker as plain values (`matchmaking.describe_inputs`)."""


@value_class()
class SeatedBot(Seeker):
    """A seeker that was seated, as the matchmaker knew it."""

    is_house: bool = False


@value_class()
class SeatingRow:
    """A match that a pool has made, and why. It is stored before the seats are offered."""

    match_id: MatchId
    pool: str
    season: int
    round_id: str
    at: WallTime
    rated: bool
    seated: tuple[SeatedBot, ...]
    """By entrant."""
    reason: Mapping[str, Any]
    """The costs by which the opponents were chosen (`matchmaking.Table.describe_reason`)."""


@value_class()
class PlayedGame:
    """A finished game of a pool, as ratings read it."""

    match_id: MatchId
    game: int
    seats: tuple[tuple[str, str], ...]
    """The bot and its version, by seat."""
    places: tuple[int, ...]
    """The place of each seat; 1 is best."""


@value_class()
class SeasonBot:
    bot: str
    owner: str = ""
    """Its owner; empty if it has none."""
    is_house: bool = False


@value_class()
class SeasonPart:
    """Matches of a season that have ended since an earlier look at it."""

    games: Sequence[PlayedGame]
    """The finished games of rated matches, in the order in which the matches were made."""
    figures: Sequence[tuple[tuple[str, str], Mapping[str, float]]]
    """For each entrant of these matches, the bot and its version, and its figures and strikes in the match."""
    upto: int
    """The number of the newest match that had been made, counted over all pools; 0 if there was none."""
    unended: tuple[MatchId, ...]
    """The matches up to `upto` that had not ended."""


@value_class()
class RatingRow:
    """The rating of one version of a bot in a season."""

    bot: str
    version: str
    rating: float
    """In Elo points; the mean of the pool is 1500."""
    spread: float
    """Standard deviation in points, for the matchmaker."""
    games: int
    last_match: MatchId
    """The newest match of this version that counts; empty if the rating does not come from a fit."""
    low: float | None = None
    high: float | None = None
    """The 95 % interval; an unknown end is None."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Sums over its games, by name, such as `lies` and `strikes_late`; the points and places of its games too."""

    @property
    def rated_games(self) -> float:
        """How many games count for the rating: fewer than were played, if two owners met too often."""
        return self.figures.get(RATED_GAMES, self.games)

    @property
    def is_provisional(self) -> bool:
        """Whether the rating is too uncertain for a rank."""
        return is_provisional(self.rating, self.low, self.high, self.rated_games)


def is_provisional(rating: float, low: float | None, high: float | None, rated_games: float) -> bool:
    """Return whether too few games count, or the 95 % interval is too wide, for a rank."""
    if low is None or high is None or rated_games < MIN_GAMES:
        return True
    return max(rating - low, high - rating) > MAX_HALF_WIDTH


@value_class()
class MeetingRow:
    """How often a bot met another one in rated games of a season, whatever their versions."""

    bot: str
    other: str
    games: int
    points: float
    """How often it finished ahead; a tie counts half."""


@value_class()
class FitRow:
    """The ratings of a season after a fit."""

    pool: str
    season: int
    fitted_at: WallTime
    upto: int
    """The number of the newest match that had been made, counted over all pools; 0 if there was none."""
    unended: tuple[MatchId, ...]
    """The matches up to `upto` that do not count, because they had not ended."""
    games: int
    """The number of games that count."""
    ratings: tuple[RatingRow, ...] = ()
    meetings: tuple[MeetingRow, ...] = ()
    """Each pair twice; empty in a fit that was read for its ratings."""


@value_class()
class EntrantOutcome:
    """How one entrant behaved in a match."""

    has_accepted: bool
    has_declined: bool
    """Whether it declined the offer. If neither is set, it did not answer."""
    has_left: bool
    strikes: int
    prompts: int
    """How many prompts it was to answer."""


@value_class()
class MatchOutcome:
    """How a match ended, as the matchmaker reads it."""

    match_id: MatchId
    entrants: tuple[EntrantOutcome, ...]
    games: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    """For each finished game the entrant in each seat, and the place of each seat."""


@value_class()
class Notice:
    """What a bot is told about its seats in a pool; the fields are those of `PoolNotice` in the contract."""

    pool: str
    seats: int
    reason: str
    """The name of the reason in lower case."""
    detail: str
    retry_after_s: float = 0.0


class PoolSession(Protocol):
    """A connected bot, as pools see it."""

    key: SessionKey
    capacity: int
    """The most seats that it takes at once, in all pools and other matches together; 0 if it takes no more."""
    owner: str | None
    version: str
    pools: Mapping[str, int]
    """The pools that the bot wants to play in, each with the number of seats that it wants."""

    def can_play(self, game: str, preset: str) -> bool:
        """Return whether the bot plays this game and preset."""

    def describe_games(self) -> str:
        """Return the games and presets that the bot plays, as text."""

    def send_pool_notice(self, notice: Notice) -> None:
        """Tell the bot how many seats it gets in a pool."""


class MatchHost(Protocol):
    """Plays the matches of pools."""

    async def make_match(
        self,
        terms: RequestedTerms,
        instances: Mapping[str, str],
        before_offer: Callable[[MatchId], Awaitable[None]],
    ) -> None:
        """Make a match, call `before_offer` with its id, and offer its seats. Raises ArenaError.

        `instances` has the instance of each bot that gets a seat. The match is withdrawn if an entrant does not accept.
        If `before_offer` raises, there is no match.
        """

    def is_open(self, match_id: MatchId) -> bool:
        """Return whether a match is offered, running, or waiting to be continued here."""

    def count_seats(self, key: SessionKey) -> int:
        """Return how many seats a session holds or is about to be offered, in matches of any kind."""


class PoolStore(Protocol):
    """Stores the seasons, seatings and ratings of pools. Each method is one transaction, and raises StoreError."""

    async def unended_seatings(self, pool: str) -> Sequence[SeatingRow]:
        """Return the seatings whose matches have not ended, oldest first. A match that was not offered counts too."""

    async def newest_season(self, pool: str) -> SeasonRow | None:
        """Return the newest season of a pool; None if there is none."""

    async def open_season(self, row: SeasonRow) -> None:
        """Add a season; do nothing if it is stored already."""

    async def add_round(self, row: RoundRow) -> None:
        """Store a round of matchmaking."""

    async def add_seating(self, row: SeatingRow) -> None:
        """Store the seating of a match. Concurrent calls share a transaction."""

    async def drop_seatings(self, match_ids: Collection[MatchId]) -> None:
        """Remove seatings whose matches were never offered."""

    async def newest_fit(self, pool: str, season: int) -> FitRow | None:
        """Return the newest ratings of a season without their figures; None if there are none."""

    async def played_games(
        self, pool: str, season: int, after: int | None = None, among: Collection[MatchId] = ()
    ) -> Sequence[PlayedGame]:
        """Return the finished games of rated matches that have ended, in the order in which the matches were made.

        `after` leaves out the matches up to this number (`FitRow.upto`), except those in `among`.
        """

    async def recent_meetings(self, pool: str, limit: int) -> Sequence[Sequence[str]]:
        """Return the bots of the newest matches of a pool, at most `limit`, newest first."""

    async def versions(self, pool: str, season: int) -> Mapping[str, Sequence[str]]:
        """Return the versions of each bot that was seated in a season, in the order of their first matches."""
