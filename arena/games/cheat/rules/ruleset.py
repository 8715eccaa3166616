"""The house rules as one frozen value. `ruleset_options` builds it from plain options."""

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
    """How a claimed count compares with the count claimed before it (spec A5)."""

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
    """How a claimed rank compares with the rank claimed before it (spec A4)."""

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
    """Whether and for how long a seat may pass (spec A6)."""

    FORCED = "forced"
    """Never: every turn is a card move."""
    PASS_TURN = "pass_turn"  # noqa: S105  a way of passing, no password
    """For a turn: the pass lasts until the seat's next turn or the next card move."""
    PASS_TRICK = "pass_trick"  # noqa: S105  the same
    """For the rest of the trick."""
    SINGLE_TURN = "single_turn"
    """No pass by choice; a seat that has moved counts as passed for the rest of the trick."""


class ExhaustedLeader(Enum):
    """Who leads the next trick when no claim can follow the last claim (spec A6)."""

    LAST_MOVER = "last_mover"
    NEXT_PLAYER = "next_player"


class FirstMover(Enum):
    """Who begins a game (spec A2)."""

    RANDOM = "random"
    """A random seat."""
    FIRST_SEAT = "first_seat"
    """Seat 0."""
    LEFT_OF_DEALER = "left_of_dealer"
    """The seat after the dealer. The first dealer is the last seat. With fixed seating, the deal moves clockwise."""


class DealMode(Enum):
    """How the cards are dealt (spec A3, AMB-18)."""

    ROUND_ROBIN = "round_robin"
    """One at a time."""
    CUT_AND_CHOOSE = "cut_and_choose"
    """The dealer cuts the deck into packets, the others choose clockwise, the dealer keeps the last one."""


class ExtraCards(Enum):
    """Who gets one more card when the deal is uneven (spec A3)."""

    FIRST_DEALT = "first_dealt"
    """The first seats, from seat 0."""
    LAST_DEALT = "last_dealt"
    """The dealer and the seats before it."""


class RankMode(Enum):
    """What a claimed rank is compared with (spec A4)."""

    STEP = "step"
    """The rank claimed before it. rank_start and rank_next say which ranks are legal."""
    ROTATION = "rotation"
    """One required rank for the whole game: ace at first, one rank up after every card move, never reset."""


class CallMode(Enum):
    """When a move may be called (spec A7)."""

    WINDOW = "window"
    """In the window after the move."""
    TURN_ACTION = "turn_action"
    """On a turn: the seat to move plays, passes or calls. Requires any_caller to be off."""


class CallerPriority(Enum):
    """Which of several calls counts in the live style (spec A2).

    In the sealed style, the call nearest clockwise from the mover counts.
    """

    FIRST = "first"
    """The first call. Of simultaneous calls, the one nearest clockwise from the mover."""
    NEAREST_CLOCKWISE = "nearest_clockwise"
    """The one nearest clockwise from the mover, among all calls within the pace's dispute time."""


class AfterCall(Enum):
    """Who moves after a call (spec A7)."""

    NO_CHANGE = "no_change"
    """The turn order does not change."""
    CHALLENGED = "challenged"
    """The seat whose move was called."""
    AFTER_CALLER = "after_caller"
    """The next active seat after the caller."""
    CALLER = "caller"
    """The caller."""


class Objective(Enum):
    """How places are won (spec A10)."""

    PLACES = "places"
    """Play goes on until one seat is left; a seat that goes out takes the best free place."""
    FIRST_OUT_WINS = "first_out_wins"
    """The game ends with the first win; all other seats that stayed are second."""
    LAST_IN_LOSES = "last_in_loses"
    """All seats that go out are first; the last one with cards takes the worst free place."""


DECKS_FOR_MANY_SEATS = 2
"""Number of packs for `MANY_SEATS` or more seats if `decks` is none (spec A2, AMB-29)."""
MANY_SEATS = 5


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Every house rule of the Cheat family. Spec A2 defines all fields."""

    players_min: int = 2
    """Fewest seats, 2..players_max."""
    players_max: int = 10
    """Most seats, up to 100; each must be dealt at least one card."""
    decks: int | None = 1
    """Packs shuffled together, 1..251; none means one pack for up to four seats and two for more."""
    jokers_per_deck: int = 2
    """Wild cards in each pack, 0 or 2."""
    first_mover: FirstMover = FirstMover.RANDOM
    """Who begins a game."""
    deal: DealMode = DealMode.ROUND_ROBIN
    """How the cards are dealt."""
    extra_cards_to: ExtraCards = ExtraCards.FIRST_DEALT
    """Who gets one more card when a round-robin deal is uneven."""
    check: CheckMode = CheckMode.PUBLIC
    """What a call reveals."""
    count: tuple[CountStep, ...] = tuple(CountStep)
    """Counts allowed after the first move of a trick; includes at least one of same, more, less."""
    rank_start: tuple[RankStart, ...] = tuple(RankStart)
    """Ranks that may start a trick; never empty."""
    rank_next: tuple[RankStep, ...] = (
        RankStep.SAME,
        RankStep.UP1,
        RankStep.UP1_WRAP,
        RankStep.DOWN1,
        RankStep.DOWN1_WRAP,
    )
    """Ranks allowed after the first move of a trick; if empty, every trick is one move."""
    rank_mode: RankMode = RankMode.STEP
    """What a claimed rank is compared with."""
    min_count: int = 1
    """Fewest cards that a claim other than zero may name; a smaller hand may be claimed whole."""
    max_count: int | None = None
    """Most cards that a claim may name, up to 6 for each deck; none means all cards of one rank plus all jokers."""
    passing: Passing = Passing.FORCED
    """Whether and for how long a seat may pass."""
    exhausted_leader: ExhaustedLeader = ExhaustedLeader.LAST_MOVER
    """Who leads the next trick when no claim can follow the last claim."""
    call_mode: CallMode = CallMode.WINDOW
    """When a move may be called."""
    any_caller: bool = True
    """Every active seat but the mover may call. If this is false, only the seat to move may call."""
    caller_priority: CallerPriority = CallerPriority.FIRST
    """Which of several calls counts in the live style."""
    believe: bool = False
    """A move may also be believed.

    If the move is true, the pile is banished; if the move is a lie, the believer takes the pile.
    """
    banish_on_new_trick: bool = False
    """The pile of a finished trick leaves the game as soon as its last move can no longer be called."""
    success_new_trick: bool = False
    """A right call starts a new trick."""
    failure_new_trick: bool = False
    """A wrong call starts a new trick."""
    success_next: AfterCall = AfterCall.NO_CHANGE
    """Who moves after a right call."""
    failure_next: AfterCall = AfterCall.NO_CHANGE
    """Who moves after a wrong call."""
    count_lies: bool = False
    """The number of cards laid may differ from the number claimed."""
    sizes_visible: bool = True
    """The sizes of hands, pile and banished cards are public. Defaults to false when count_lies is on."""
    opening_face_up: bool = False
    """The first move of a trick is laid face up, must be true and cannot be called."""
    honest_win: bool = False
    """An emptied hand is checked immediately; only a true last move wins."""
    objective: Objective = Objective.PLACES
    """How places are won."""
    win_resets_trick: bool = False
    """After each win the next seat starts a new trick. Before that, a final window decides the win."""
    max_turns: int = 2000
    """Number of card moves and passes after which the game is stopped, 1..1000000."""

    def decks_for(self, seat_count: int) -> int:
        """Return the number of packs shuffled together for this number of seats."""
        if self.decks is not None:
            return self.decks
        return DECKS_FOR_MANY_SEATS if seat_count >= MANY_SEATS else 1

    def max_claim(self, seat_count: int) -> int:
        """Return the largest number of cards that a claim may name.

        If `max_count` is none, this is the number of cards of a rank plus the number of jokers.
        """
        return self.max_count or (4 + self.jokers_per_deck) * self.decks_for(seat_count)
