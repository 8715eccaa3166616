"""What a report tells of a league: one frozen value, filled from outside.

Names are entrants' names, as the league has them. Nothing here is worked out or checked: texts may hold anything that a
bot or a person wrote, and are made harmless where they are shown. What is not known is None, an empty text or an empty
tuple, and is said to be so or left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.report.play_view import BotPlay, Collusion, Incident, StrikeView

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

    name: str
    owner: str = ""
    version: str = ""
    content: str = ""
    """SHA-256 over its files, hex; empty for one that dials in."""
    kind: str = "local"
    """`local`, `remote`: where it runs."""
    remark: str = ""
    """Such as `withdrawn in round 3`."""


@dataclass(frozen=True, slots=True)
class StandingsRowView:
    """A row of the table that decides."""

    place: int | None
    """None: it has no place, as after a disqualification."""
    name: str
    games: int
    mean: float | None
    """Mean score of a block."""
    low: float | None
    high: float | None
    """95 % interval of the mean."""
    wins: int
    """First places."""
    mean_place: float | None
    forfeits: int = 0
    strikes: Mapping[str, int] = field(default_factory=dict, hash=False)
    """By kind: late, illegal, missing, gone."""
    marked_games: int = 0
    """Games at whose table somebody forfeited."""
    is_separable: bool = True
    """The interval of the difference to the row below does not hold 0."""
    tie_break: str = ""
    """By what it stands above the row below if their scores are equal, in words."""
    is_disqualified: bool = False


@dataclass(frozen=True, slots=True)
class StandingsView:
    """The table that decides."""

    rows: Sequence[StandingsRowView]
    """Best first; those without a place at the end."""
    decided_by: str
    """What a score is and what decides, in a sentence or two."""
    tie_breaks: Sequence[str] = ()
    """In the order in which they are asked."""
    champion: str = ""
    """Who leads or has won, and by what, as a sentence."""
    neutral: float = 0.0
    """The score of one that is as good as its opponents: 0 for differences, one half for plain points."""
    digits: int = 3
    """Decimals of a score."""


@dataclass(frozen=True, slots=True)
class RatingRow:
    """An entrant's rating."""

    name: str
    rating: float | None
    low: float | None
    high: float | None
    """95 % interval; None: it has no such end."""
    is_separable: bool = True
    """From the row below, if that is of its group."""
    group: int = 0
    """Those of other groups never met it, not even through others."""


@dataclass(frozen=True, slots=True)
class RatingsView:
    """The fit beside the standings."""

    rows: Sequence[RatingRow] = ()
    """Group by group, best first."""
    above: Matrix = ()
    """Probability that the row's entrant comes in ahead of the column's when they meet, in the order of `rows`."""
    method: str = ""
    """How it was worked out, in words."""


@dataclass(frozen=True, slots=True)
class RatingMoment:
    """The ratings after so many games."""

    games: int
    by_name: Mapping[str, tuple[float, float | None, float | None]] = field(hash=False)
    """Rating and its 95 % interval; None: it has no such end."""


@dataclass(frozen=True, slots=True)
class HeadToHeadView:
    """How entrants fared against each other at shared tables."""

    names: Sequence[str]
    """Rows and columns."""
    mean: Matrix
    """How often the row came in ahead of the column, ties half; 0 to 1."""
    games: Sequence[Sequence[int]]
    """How many games that is."""


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
class GameView:
    """A game that was played."""

    match_id: str
    block: int
    round: int
    table: int
    """From 1, in its block."""
    seats: tuple[str, ...]
    """Names by seat."""
    places: tuple[int, ...]
    """By seat, 1 is best; ties share."""
    termination: str
    turn_count: int = 0
    forfeits: tuple[str, ...] = ()
    label: str = ""
    """Such as `final`; empty: nothing special."""


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
    standings: StandingsView
    seal: Seal = Seal("")
    notes: Sequence[str] = ()
    """What a reader has to know, such as that bots ran as the user, and what remote bots do not have."""
    ratings: RatingsView = RatingsView()
    course: Sequence[RatingMoment] = ()
    """Ratings over time, in the order of games."""
    meetings: HeadToHeadView | None = None
    play: Sequence[BotPlay] = ()
    play_notes: Sequence[str] = ()
    """How the figures of play are defined."""
    collusion: Sequence[Collusion] = ()
    collusion_method: str = ""
    """What the screen tests, in words; empty: there was none."""
    faults: Sequence[StrikeView] = ()
    incidents: Sequence[Incident] = ()
    amendments: Sequence[Amendment] = ()
    voided: Sequence[VoidedBlock] = ()
    games: Sequence[GameView] = ()
    """All that were played; 100 000 are fine."""
    made_by: str = ""
    """Name and version of the program."""
