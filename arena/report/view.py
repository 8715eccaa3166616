"""What a report shows of a league: one frozen value that gathers the league's and the analytics' own results.

Nothing here is worked out or checked: texts may hold anything that a bot or a person wrote, and are made harmless where
they are shown. What is not known is None, an empty text or an empty tuple, and is said to be so or left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.analytics.collusion_screen import PairEvidence
from arena.league.head_to_head import HeadToHead
from arena.league.model import Block, Entrant, TableResult
from arena.league.rating import Rating
from arena.league.standings import Standings
from arena.report.play_view import BotPlay, Incident, StrikeView

Matrix = Sequence[Sequence[float | None]]
"""By row and column; None where nothing is known, as on the diagonal."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was verified, or could not be."""

    is_true: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Seal:
    """What was posted before the first game."""

    line: str
    """Empty: the league was not sealed."""
    checks: Sequence[Check] = ()
    """What it was found to fit, and what not."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the league has got."""

    state: str
    """`running`, `stopped`, `over`, in a word or two."""
    is_over: bool
    games_played: int
    games_planned: int | None = None
    """None: it has no set end."""
    blocks_played: int = 0
    as_of: float = 0.0
    """When these figures were true: seconds since 1970."""


@dataclass(frozen=True, slots=True)
class EntrantView:
    """A bot that takes or took part."""

    entrant: Entrant
    kind: str = "local"
    """`local`, `remote`: where it runs."""
    remark: str = ""
    """Such as `withdrawn in round 3`."""


@dataclass(frozen=True, slots=True)
class RatingMoment:
    """The ratings after so many games."""

    games: int
    ratings: Sequence[Rating]
    """Of everybody who had played by then."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """Something that was decided while the league ran."""

    at: float
    """Seconds since 1970."""
    what: str
    """Such as `void game ID`, `add NAME`."""
    reason: str


@dataclass(frozen=True, slots=True)
class VoidedBlock:
    """A block that counts no more."""

    block: int
    attempt: int
    """0 the first time that it was played."""
    match_ids: Sequence[str]
    why: str
    is_replayed: bool
    """With a fresh deal."""


@dataclass(frozen=True, slots=True)
class LeagueGame:
    """A game that was played: a table of a block."""

    block: Block
    table: int
    """From 1, in its block."""
    result: TableResult

    @property
    def match_id(self) -> str:
        """The id of its match."""
        return self.result.match_id


@dataclass(frozen=True, slots=True)
class LeagueView:
    """Everything that a report tells."""

    title: str
    progress: Progress
    ruleset: str
    """In words, as are pace and format."""
    pace: str
    format: str
    entrants: Sequence[EntrantView]
    standings: Standings
    seal: Seal = Seal("")
    notes: Sequence[str] = ()
    """What a reader has to know, such as that bots ran as the user, and what remote bots do not have."""
    ratings: Sequence[Rating] = ()
    """The fit beside the standings: group by group, in a group the best first."""
    win_probabilities: Matrix = ()
    """That the row's entrant comes in ahead of the column's when they meet, in the order of `ratings`."""
    course: Sequence[RatingMoment] = ()
    """Ratings over time, in the order of games."""
    meetings: HeadToHead | None = None
    play: Sequence[BotPlay] = ()
    play_notes: Sequence[str] = ()
    """How the figures of play are defined."""
    collusion: Sequence[PairEvidence] = ()
    """The pairs that are flagged."""
    collusion_method: str = ""
    """What the screen tests, in words; empty: there was none."""
    faults: Sequence[StrikeView] = ()
    incidents: Sequence[Incident] = ()
    amendments: Sequence[Amendment] = ()
    voided: Sequence[VoidedBlock] = ()
    games: Sequence[LeagueGame] = ()
    """All that were played; 100 000 are fine."""
    made_by: str = ""
    """Name and version of the program."""


def share_matrix(meetings: HeadToHead) -> Matrix:
    """Return how often the row's entrant came in ahead of the column's, ties half; None where they never met."""
    everybody = range(len(meetings.names))
    return [[meetings.share_ahead(one, other) for other in everybody] for one in everybody]
