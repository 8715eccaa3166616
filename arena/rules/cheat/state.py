"""The state of a game between two transitions. Holds facts, decides nothing.

A transition works on a private `draft` and hands it out as the next state; from then on it counts as frozen. Drafts
share hands and pile layers with the state they come from, and replace them instead of changing them.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from arena.rules.cheat.cards import EMPTY_HAND, Hand
from arena.rules.cheat.compiled_rules import CompiledRules, CountRanges
from arena.rules.game import QuestionGroup, Seat
from arena.rules.value_class import value_class

NO_SEATS: frozenset[Seat] = frozenset()


class Phase(Enum):
    """What the game waits for, unless it is over."""

    DECK = "deck"
    """The order of the cards."""
    FIRST_MOVER = "first_mover"
    """The seat that begins."""
    CUT = "cut"
    """The dealer's cut of the deck."""
    CHOOSE = "choose"
    """A seat's choice of a packet."""
    TURN = "turn"
    """A move. In the live style the last move may be called meanwhile."""
    WINDOW = "window"
    """Answers about the last move, and nothing else."""


BEFORE_PLAY = (Phase.DECK, Phase.FIRST_MOVER, Phase.CUT, Phase.CHOOSE)
"""Phases in which nobody has a hand yet."""


class Termination(Enum):
    """Why a game is over."""

    FINISHED = "finished"
    """Every seat but one was out or gone."""
    MAX_TURNS = "max_turns"
    """The guard against endless games stopped it."""


@value_class()
class Claim:
    """What a card move said."""

    seat: Seat
    rank: int
    count: int


@value_class(eq=False, repr=False)
class Layer:
    """One card move on the pile, and the pile below it."""

    claim: Claim
    cards: bytes
    """Ascending codes. Secret unless they lie face up."""
    below: "Layer | None"
    face_up: bool
    """A face-up opening."""


class Bottom(NamedTuple):
    """Cards under the pile that nobody claimed anything about."""

    seat: Seat | None
    """Who left them there; None in a position set up by hand."""
    cards: bytes


@value_class()
class TurnOptions:
    """What the seat to move may do."""

    ranks: bytes
    """Ranks that may be claimed, ascending."""
    counts: CountRanges
    """Positive counts that may be claimed."""
    zero: bool
    """No cards at all may be claimed."""
    can_pass: bool
    opens: bool
    """The move starts a trick."""
    laid: tuple[int, int] | None = None
    """First and last number of cards that may be laid under a positive claim; None: as many as are claimed."""
    face_up: bool = False
    """The move lies open: every card must be of the claimed rank, or a joker beside one that is."""
    can_call: bool = False
    """The last move may be called instead of moving."""
    can_believe: bool = False
    """The last move may be believed instead of moving."""


class Packets(NamedTuple):
    """The deck while it is cut and chosen from (spec AMB-45)."""

    deck: bytes
    """Codes in the order of the shuffle. Secret."""
    sizes: tuple[int, ...] = ()
    """Cards in each packet, in the order of the deck; empty until the dealer has cut."""
    takers: tuple[Seat | None, ...] = ()
    """Who has chosen each packet."""
    leavers: tuple[Seat, ...] = ()
    """Seats that leave as soon as the hands are dealt."""


@dataclass(slots=True, eq=False, repr=False)
class State:
    """A game in full truth. Only `views` tells what of it a seat may know."""

    compiled_rules: CompiledRules
    step: int
    """Number of transitions so far."""
    phase: Phase
    hands: tuple[Hand, ...]
    sizes: tuple[int, ...]
    """Cards in each hand. A seat is active while it has any."""
    bottom: tuple[Bottom, ...]
    """Cards under the pile, lowest first."""
    pile: Layer | None
    """The topmost card move."""
    banished: Hand
    """Cards that are out of the game. Secret."""
    dealer: Seat
    packets: Packets | None
    """The deck while it is cut and chosen from."""
    turn: Seat
    """The seat to move; in a window the one that moves after it unless something intervenes."""
    required_rank: int
    """The rank that a rotation asks for next."""
    prev: Claim | None
    """The claim to follow; None when a trick is about to start."""
    last: Layer | None
    """The move that may be called."""
    asked: frozenset[Seat]
    """Seats that had a window of their own about it, where not everybody is asked at once."""
    passed: frozenset[Seat]
    """Seats that count as passed in this trick."""
    pending: Seat | None
    """The last mover, if its hand is empty and its win not yet safe."""
    places: tuple[int, ...]
    """Place of each seat, 0 while it has none."""
    landed: int
    """Card moves and passes so far."""
    closing: bool
    """No turn follows the open window unless a call or a leave brings one."""
    ended: Termination | None
    """Why the game is over; None while it goes on."""
    turn_serial: int
    """Grows with every turn that begins."""
    turn_clock: int
    """Step at which the turn time began."""
    window_serial: int
    """Grows with every card move, and with every further window about it."""
    window_clock: int
    """Step at which the window's time began."""
    landing: int
    """Step of the last card move."""
    guarded: int
    """Live style: step from which calls have to wait: a card move, or a bystander's leaving."""
    options: TurnOptions | None = None
    """Worked out when first wanted."""
    groups: tuple[QuestionGroup, ...] | None = None
    """Worked out when first wanted."""

    @property
    def to_move(self) -> Seat | None:
        """The seat to move; None before the deal, in a final window and when the game is over."""
        if self.closing or self.ended is not None or self.phase in BEFORE_PLAY:
            return None
        return self.turn

    def draft(self) -> "State":
        """Copy everything for the next transition, by hand since this runs at every step."""
        draft = object.__new__(State)
        draft.compiled_rules = self.compiled_rules
        draft.step = self.step + 1
        draft.phase = self.phase
        draft.hands = self.hands
        draft.sizes = self.sizes
        draft.bottom = self.bottom
        draft.pile = self.pile
        draft.banished = self.banished
        draft.dealer = self.dealer
        draft.packets = self.packets
        draft.turn = self.turn
        draft.required_rank = self.required_rank
        draft.prev = self.prev
        draft.last = self.last
        draft.asked = self.asked
        draft.passed = self.passed
        draft.pending = self.pending
        draft.places = self.places
        draft.landed = self.landed
        draft.closing = self.closing
        draft.ended = self.ended
        draft.turn_serial = self.turn_serial
        draft.turn_clock = self.turn_clock
        draft.window_serial = self.window_serial
        draft.window_clock = self.window_clock
        draft.landing = self.landing
        draft.guarded = self.guarded
        draft.options = None
        draft.groups = None
        return draft

    def active_count(self) -> int:
        """How many seats hold cards."""
        return len(self.sizes) - self.sizes.count(0)

    def next_active_seat(self, seat: Seat) -> Seat:
        """The next active seat clockwise, at last the seat itself."""
        for other in self.compiled_rules.ring[seat]:
            if self.sizes[other]:
                return other
        return seat

    def set_hand(self, seat: Seat, hand: Hand, size: int) -> None:
        """Replace one hand. For drafts only."""
        hands, sizes = list(self.hands), list(self.sizes)
        hands[seat], sizes[seat] = hand, size
        self.hands, self.sizes = tuple(hands), tuple(sizes)


def empty_state(law: CompiledRules, phase: Phase, deal_moves: int = 0) -> State:
    """Make a state in which nobody holds a card yet; the deal goes one seat on with each game of a match (AMB-42)."""
    seat_count = len(law.ring)
    return State(
        compiled_rules=law,
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
