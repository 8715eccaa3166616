"""The house rules as one frozen value. How options are read into it is told in `options`."""

from dataclasses import dataclass
from enum import Enum


class CheckMode(Enum):
    """What a call reveals (spec A9)."""

    ARBITER = "arbiter"
    """Nothing but the verdict."""
    CALLER = "caller"
    """The called cards, to the caller alone."""
    PUBLIC = "public"
    """The called cards, to everybody."""
    PUBLIC_PLUS = "public+"
    """The called cards and the rest of the pile, to everybody."""


class CountStep(Enum):
    """A claimed count against the one before it (spec A5)."""

    SAME = "same"
    MORE = "more"
    LESS = "less"
    ZERO = "zero"
    """No cards at all."""


class RankStart(Enum):
    """Ranks that may start a trick (spec A4)."""

    ACE = "A"
    OTHERS = "others"
    """2 to Q."""
    KING = "K"


class RankStep(Enum):
    """A claimed rank against the one before it (spec A4)."""

    SAME = "same"
    UP1 = "up1"
    UP1_WRAP = "up1_wrap"
    DOWN1 = "down1"
    DOWN1_WRAP = "down1_wrap"
    UP2 = "up2"
    UP2_WRAP = "up2_wrap"
    DOWN2 = "down2"
    DOWN2_WRAP = "down2_wrap"
    OTHERS = "others"
    """Three or more steps away on the circle of ranks."""


class Passing(Enum):
    """When a seat may stay out (spec A6)."""

    FORCED = "forced"
    """Never: every turn is a card move."""
    PASS_TURN = "pass_turn"  # noqa: S105  a way of passing, no password
    """For a turn: the pass ends when the turn comes back, or with any card move."""
    PASS_TRICK = "pass_trick"  # noqa: S105  the same
    """For the rest of the trick."""
    SINGLE_TURN = "single_turn"
    """No pass by choice; who has moved counts as passed for the rest of the trick."""


class ExhaustedLeader(Enum):
    """Who leads when no further claim exists (spec A6)."""

    LAST_MOVER = "last_mover"
    NEXT_PLAYER = "next_player"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Every house rule of the Cheat family that this version plays. Source of all fields: spec A2."""

    players_min: int = 2
    """Fewest seats, 2..players_max."""
    players_max: int = 10
    """Most seats, up to 100, and each must be dealt a card."""
    decks: int = 1
    """Packs shuffled together, 1..251."""
    jokers_per_deck: int = 2
    """Wild cards in each pack, 0 or 2."""
    check: CheckMode = CheckMode.PUBLIC
    """What a call reveals."""
    count: tuple[CountStep, ...] = tuple(CountStep)
    """Counts allowed after the first move of a trick, at least one of same, more, less among them."""
    rank_start: tuple[RankStart, ...] = tuple(RankStart)
    """Ranks that may start a trick; never empty."""
    rank_next: tuple[RankStep, ...] = (
        RankStep.SAME,
        RankStep.UP1,
        RankStep.UP1_WRAP,
        RankStep.DOWN1,
        RankStep.DOWN1_WRAP,
    )
    """Ranks allowed after the first move of a trick; may be empty, then every trick is one move."""
    passing: Passing = Passing.FORCED
    """When a seat may stay out."""
    exhausted_leader: ExhaustedLeader = ExhaustedLeader.LAST_MOVER
    """Who leads when no further claim exists."""
    max_turns: int = 2000
    """Landed card moves and passes after which the game is stopped, 1..1000000."""

    @property
    def max_count(self) -> int:
        """Most cards that one claim may name: all of a rank and all jokers."""
        return (4 + self.jokers_per_deck) * self.decks
