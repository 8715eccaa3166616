"""The state of a game between two transitions. It consists of facts and makes no decisions.

A transition works on a private `draft` and returns it as the next state, which never changes after that. A draft shares
hands and pile layers with the state that it was copied from. A transition may replace them in the draft, but it never
mutates them.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from arena.games.cheat.rules.cards import EMPTY_HAND, Hand
from arena.games.cheat.rules.compiled_rules import CompiledRules, CountRanges
from arena.match.game import QuestionGroup, Seat
from arena.match.value_class import value_class

NO_SEATS: frozenset[Seat] = frozenset()


class Phase(Enum):
    """What a running game waits for."""

    DECK = "deck"
    """The order of the cards."""
    FIRST_MOVER = "first_mover"
    """The seat that begins."""
    CUT = "cut"
    """The dealer's cut of the deck."""
    CHOOSE = "choose"
    """A seat's choice of a packet."""
    TURN = "turn"
    """A move. In the live style the last move may be called at the same time."""
    WINDOW = "window"
    """Answers about the last move, and nothing else."""


BEFORE_PLAY = (Phase.DECK, Phase.FIRST_MOVER, Phase.CUT, Phase.CHOOSE)
"""Phases before the hands are dealt."""


class Termination(Enum):
    """Why a game is over."""

    FINISHED = "finished"
    """At most one seat was still playing."""
    MAX_TURNS = "max_turns"
    """The game reached the ruleset's `max_turns`."""


@value_class()
class Claim:
    """What a card move claimed."""

    seat: Seat
    rank: int
    count: int


@value_class(eq=False, repr=False)
class Layer:
    """One card move on the pile, and the pile below it."""

    claim: Claim
    cards: bytes
    """Ascending codes. Secret unless the cards lie face up."""
    below: "Layer | None"
    face_up: bool


class Bottom(NamedTuple):
    """Cards under the pile that belong to no claim."""

    seat: Seat | None
    """The seat that held the cards when it left the game; None in a position set up by hand."""
    cards: bytes


@value_class()
class TurnOptions:
    """The options of the seat to move."""

    ranks: bytes
    """Ranks that may be claimed, ascending."""
    counts: CountRanges
    """Positive counts that may be claimed."""
    zero: bool
    """Whether a claim of no cards is allowed."""
    can_pass: bool
    opens: bool
    """Whether the move starts a trick."""
    laid: tuple[int, int] | None = None
    """The fewest and the most cards that may be laid for a positive count; None means exactly as many as claimed."""
    face_up: bool = False
    """Whether the move is laid face up and must be true. Jokers alone are legal only if the hand holds nothing else."""
    can_call: bool = False
    """Whether the seat may call the last move instead of moving."""
    can_believe: bool = False
    """Whether the seat may believe the last move instead of moving."""


class Packets(NamedTuple):
    """The deck while it is cut into packets and seats choose among them (spec AMB-45)."""

    deck: bytes
    """Codes in the order of the shuffle. Secret."""
    sizes: tuple[int, ...] = ()
    """Number of cards in each packet, in deck order; empty before the cut."""
    takers: tuple[Seat | None, ...] = ()
    """For each packet, the seat that has chosen it; None if the packet is still free."""
    leavers: tuple[Seat, ...] = ()
    """Seats that leave as soon as the hands are dealt."""


@dataclass(slots=True, eq=False, repr=False)
class State:
    """All facts of a game, including secret ones. Only `views` decides what a seat may know."""

    compiled_rules: CompiledRules
    step: int
    """Number of transitions so far."""
    phase: Phase
    hands: tuple[Hand, ...]
    sizes: tuple[int, ...]
    """Number of cards in each hand. A seat with cards is active."""
    bottom: tuple[Bottom, ...]
    """Cards under the pile, lowest first."""
    pile: Layer | None
    """The topmost card move."""
    banished: Hand
    """Cards removed from the game. Secret."""
    dealer: Seat
    packets: Packets | None
    """The deck before the hands are dealt; None before the shuffle and after the deal."""
    turn: Seat
    """The seat to move. In a window, the seat that moves next unless somebody calls or leaves."""
    required_rank: int
    """The only rank that the next move may claim; used only if the ruleset has a rotation."""
    prev: Claim | None
    """The claim that the next claim must follow; None when a trick is about to start."""
    last: Layer | None
    """The move that may be called; None if there is none."""
    asked: frozenset[Seat]
    """Seats already asked about the last move. Used only if seats are asked one by one."""
    passed: frozenset[Seat]
    """Seats that count as passed in this trick."""
    pending: Seat | None
    """The last mover, if its hand is empty and its win is not final yet."""
    places: tuple[int, ...]
    """The place of each seat; 0 while the seat has no place."""
    landed: int
    """Number of card moves and passes so far."""
    closing: bool
    """Whether the open window is final: no turn follows it unless somebody calls or leaves."""
    ended: Termination | None
    """Why the game is over; None while it is running."""
    turn_serial: int
    """Incremented when a turn begins."""
    turn_clock: int
    """Step at which the time of the turn began."""
    window_serial: int
    """Incremented by every card move, and by every further window on the same move."""
    window_clock: int
    """Step at which the time of the window began."""
    landing: int
    """Step of the last card move."""
    guarded: int
    """Live style: the step at which the guard time began. Nobody may call before this time is over.

    The guard time begins with a card move, and begins again when a seat other than the mover leaves.
    """
    options: TurnOptions | None = None
    """Cache of `legality.turn_options`."""
    groups: tuple[QuestionGroup, ...] | None = None
    """Cache of `questions.open_groups`."""

    @property
    def to_move(self) -> Seat | None:
        """The seat to move; None before the deal, in a final window and when the game is over."""
        if self.closing or self.ended is not None or self.phase in BEFORE_PLAY:
            return None
        return self.turn

    def draft(self) -> "State":
        """Return a copy for the next transition.

        Every transition needs a copy, so speed matters here: positions are faster than names.
        """
        return State(
            self.compiled_rules,
            self.step + 1,
            self.phase,
            self.hands,
            self.sizes,
            self.bottom,
            self.pile,
            self.banished,
            self.dealer,
            self.packets,
            self.turn,
            self.required_rank,
            self.prev,
            self.last,
            self.asked,
            self.passed,
            self.pending,
            self.places,
            self.landed,
            self.closing,
            self.ended,
            self.turn_serial,
            self.turn_clock,
            self.window_serial,
            self.window_clock,
            self.landing,
            self.guarded,
        )

    def active_count(self) -> int:
        """Return the number of seats that hold cards."""
        return len(self.sizes) - self.sizes.count(0)

    def next_active_seat(self, seat: Seat) -> Seat:
        """Return the next active seat clockwise; the seat itself if no other is active."""
        for other in self.compiled_rules.ring[seat]:
            if self.sizes[other]:
                return other
        return seat

    def set_hand(self, seat: Seat, hand: Hand, size: int) -> None:
        """Replace one hand. For drafts only."""
        hands, sizes = list(self.hands), list(self.sizes)
        hands[seat], sizes[seat] = hand, size
        self.hands, self.sizes = tuple(hands), tuple(sizes)


def empty_state(compiled: CompiledRules, phase: Phase, deal_moves: int = 0) -> State:
    """Return a state with empty hands. The dealer sits `deal_moves` seats after the last seat (AMB-42)."""
    seat_count = len(compiled.ring)
    return State(
        compiled_rules=compiled,
        step=0,
        phase=phase,
        hands=(EMPTY_HAND,) * seat_count,
        sizes=(0,) * seat_count,
        bottom=(),
        pile=None,
        banished=EMPTY_HAND,
        dealer=Seat((seat_count - 1 + deal_moves) % seat_count),
        packets=None,
        turn=Seat(0),
        required_rank=0,
        prev=None,
        last=None,
        asked=NO_SEATS,
        passed=NO_SEATS,
        pending=None,
        places=(0,) * seat_count,
        landed=0,
        closing=False,
        ended=None,
        turn_serial=0,
        turn_clock=0,
        window_serial=0,
        window_clock=0,
        landing=0,
        guarded=0,
    )
