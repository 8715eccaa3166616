"""The view of a league that a report shows: a frozen value with the results of the league and of the analytics.

Nothing here is computed or checked. A text may be anything that a bot or a person wrote. The code that shows a text
makes it harmless. An unknown value is None, an empty text or an empty tuple. The report leaves such a value out, or
says that it is unknown.
"""

from collections.abc import Sequence

from arena.competition.league.accomplice_screen import AccompliceEvidence
from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import Block, Entrant, TableResult
from arena.competition.league.rating import Rating, Ratings
from arena.competition.league.standings import Standings
from arena.ids import WallTime
from arena.match.value_class import value_class
from arena.organizer.report.play_view import BotPlay, Incident, StrikeView
from arena.replays.analytics.collusion_screen import PairEvidence

Matrix = Sequence[Sequence[float | None]]
"""Values by row and column. A value is None if it is unknown, as on the diagonal."""


@value_class()
class Check:
    is_true: bool
    sentence: str


@value_class()
class Seal:
    """A league's seal, with its checks."""

    line: str
    """The line that was posted before the first game; empty if the league was not sealed."""
    checks: Sequence[Check] = ()
    """The results of the seal's checks."""


@value_class()
class Progress:
    state: str
    """The state in a word: `running`, `stopped` or `over`."""
    is_over: bool
    games_played: int
    games_planned: int | None = None
    """The total number of games; None if the league has no set end."""
    blocks_played: int = 0
    as_of: WallTime = 0.0
    """The time of these figures."""


@value_class()
class EntrantView:
    """An entrant of the league, present or former."""

    entrant: Entrant
    kind: str = "local"
    """Where the bot runs: `local` or `remote`."""
    remark: str = ""
    """A remark, such as `withdrawn in round 3`."""


@value_class()
class RatingMoment:
    """The ratings after a number of games."""

    games: int
    ratings: Sequence[Rating]
    """The ratings of all entrants that had played by then."""


@value_class()
class Amendment:
    """An organizer's decision during the league."""

    at: WallTime
    what: str
    """The decision, such as `void game ID` or `add NAME`."""
    reason: str


@value_class()
class VoidedBlock:
    """An attempt at a block that no longer counts."""

    block: int
    attempt: int
    """The number of the attempt, from 0."""
    match_ids: Sequence[str]
    why: str
    is_replayed: bool
    """Whether the block was played again, with a new deal."""


@value_class()
class EntrantGames:
    name: str
    games: int
    """The number of the entrant's games on the date that are drawn so far."""
    played: int
    """The number of these games that count, including forfeited ones."""
    forfeited: int
    """The number of these games that the entrant forfeited because it was absent at the close."""


@value_class()
class DateView:
    """A date of the league: when the bots of some rounds have to be online."""

    first: int
    """The number of the first round. `last` is the number of the last round."""
    last: int
    opens: WallTime
    closes: WallTime
    state: str
    """The state in words: `to come`, `open` or `closed`."""
    is_drawn: bool
    """Whether all games of the date are drawn. A round that depends on results is drawn when the results are known."""
    entrants: Sequence[EntrantGames] = ()


@value_class()
class Absence:
    """Entrants that were absent at the close of a round and forfeited a block."""

    at: WallTime
    round: int
    block: int
    names: Sequence[str]


@value_class()
class AwaitedBot:
    """A bot that is not connected while tables wait for it."""

    name: str
    tables: int


@value_class()
class LeagueGame:
    """A game that was played, at one table of a block."""

    block: Block
    table: int
    """The table's number in its block, from 1."""
    result: TableResult

    @property
    def match_id(self) -> str:
        return self.result.match_id


@value_class()
class LeagueView:
    """Everything that a report shows."""

    title: str
    progress: Progress
    ruleset: str
    """The rules in words. `pace` and `format` are in words too."""
    pace: str
    format: str
    entrants: Sequence[EntrantView]
    standings: Standings
    kind: str = "league"
    """What was played: a `league`, or a `season` of a pool."""
    seal: Seal = Seal("")
    notes: Sequence[str] = ()
    """Notes to the reader, for example that bots ran without a sandbox, or that nobody can verify remote bots."""
    ratings: Sequence[Rating] = ()
    """The ratings shown with the standings: group by group, best first within a group."""
    judgement: Judgement = Judgement.NEW
    win_probabilities: Matrix = ()
    """The probability that the row's entrant finishes ahead of the column's entrant, in the order of `ratings`."""
    course: Sequence[RatingMoment] = ()
    """Ratings over time, in the order of games."""
    meetings: HeadToHead | None = None
    play: Sequence[BotPlay] = ()
    play_notes: Sequence[str] = ()
    """Definitions of the figures of play."""
    collusion: Sequence[PairEvidence] = ()
    """The flagged pairs."""
    collusion_method: str = ""
    """The method of the screen in words; empty if there was no screen."""
    accomplices: Sequence[AccompliceEvidence] = ()
    """Who is flagged for coming last beside another entrant."""
    faults: Sequence[StrikeView] = ()
    incidents: Sequence[Incident] = ()
    amendments: Sequence[Amendment] = ()
    voided: Sequence[VoidedBlock] = ()
    games: Sequence[LeagueGame] = ()
    """All games that were played. There may be 100,000 of them."""
    made_by: str = ""
    """Name and version of the program that made the report."""
    dates: Sequence[DateView] = ()
    """The dates of the league; empty if the league has no dates."""
    absences: Sequence[Absence] = ()
    awaited: Sequence[AwaitedBot] = ()
    """The bots that are awaited now."""


def share_matrix(meetings: HeadToHead) -> Matrix:
    """Return the share of games in which the row's entrant finished ahead of the column's entrant.

    A tie counts one half. The share is None if the two never met.
    """
    indices = range(len(meetings.names))
    return [[meetings.share_ahead(one, other) for other in indices] for one in indices]


def win_probabilities(rated: Ratings) -> Matrix:
    """Return the probability that the row's entrant finishes ahead of the column's entrant, in the order of ratings."""
    names = [row.name for row in rated.rows]
    return [[None if one == two else rated.win_probability(one, two) for two in names] for one in names]
