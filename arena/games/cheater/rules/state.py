"""The state of a game between two transitions. It consists of facts and makes no decisions.

A transition works on a private `draft` and returns it as the next state, which never changes after that. Everything
that a draft shares with the state that it was copied from is immutable.
"""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from arena.games.cheater.rules.actions import Attack
from arena.games.cheater.rules.cards import sort_cards, without_cards
from arena.games.cheater.rules.ruleset import Ruleset
from arena.match.game import Seat
from arena.match.value_class import value_class

FIRST_SEAT = Seat(0)


class Phase(Enum):
    """What a running game waits for.

    If a phase asks a question, its value is the kind of the question. The rules read it as `_value_`, because `value`
    takes several times as long.
    """

    DECK = "deck"
    """The order of the cards."""
    START = "start"
    """The dice that decide which seat starts."""
    ROLL = "roll"
    """The dice of the seat in turn."""
    ACT = "act"
    """The action of the seat in turn."""
    DISCARD = "discard"
    """The discard of the seat in turn, which has more than seven cards."""
    REACTION = "reaction"
    """Whether the victim of an attack hides its hand."""
    DIE = "die"
    """The die of a BUST."""
    PICK = "pick"
    """Which of the victim's cards the attacker picks."""
    DRAWS = "draws"
    """A new draw pile, for the owed draws."""


class AfterDraws(Enum):
    """What follows the owed draws."""

    END_TURN = "end_turn"
    ASK_DISCARD = "ask_discard"
    DISCARD_GAINED = "discard_gained"
    """The drawn card is discarded without a question."""


class Title(Enum):
    """Titles earned by wins in a row (spec B5)."""

    EXCELLENT = "excellent"
    """Won this game and the game before."""
    ULTIMATE = "ultimate"
    """Won this game and the game before, both in the same colour."""
    INFINITE = "infinite"
    """Won this game and the two games before, all in the same colour."""


class Termination(Enum):
    """Why a game is over."""

    SPELLED = "spelled"
    """A hand spelled CHEATER."""
    LAST_SEAT = "last_seat"
    """All others had left."""
    MAX_TURNS = "max_turns"
    """The game reached the ruleset's `max_turns`."""


@value_class()
class Win:
    """The part of a win that matters for later games of the match. The places show who won."""

    color: int
    titles: tuple[Title, ...]


class EarlierWin(NamedTuple):
    """An earlier game of the match that was won by spelling CHEATER."""

    seat: Seat
    """The winner's seat in this game."""
    color: int


@value_class()
class PendingAttack:
    """An attack of the seat in turn."""

    attack: Attack
    target: Seat
    card: int | None
    """The card laid for the attack; None with power 3."""


@value_class()
class OwedDraw:
    """Cards that a seat must draw."""

    seat: Seat
    count: int


@dataclass(slots=True, eq=False, repr=False)
class State:
    """All facts of a game, including secret ones. Only `views` decides what a seat may know."""

    rules: Ruleset
    earlier: tuple[EarlierWin | None, ...]
    """The last two games of the match, oldest first. A game that nobody won by spelling CHEATER is None."""
    hands: tuple[bytes, ...]
    """The hand of each seat, as ascending codes."""
    known: tuple[bytes, ...]
    """The cards of each hand that all seats know, because they were shown or taken openly; ascending codes."""
    places: tuple[int, ...]
    """The place of each seat; 0 while the seat has no place."""
    step: int = 0
    """Number of transitions so far."""
    phase: Phase = Phase.DECK
    draw_pile: bytes = b""
    """The next card first. Secret."""
    discards: bytes = b""
    """The top card last. Public."""
    rollers: tuple[Seat, ...] = ()
    """Seats that roll for the start."""
    start_rolls: int = 0
    """Number of rolls for the start so far."""
    turn: Seat = FIRST_SEAT
    cheater: Seat | None = None
    """The seat with the marker; None if the marker lies in the centre."""
    dice: tuple[int, ...] = ()
    """Dice of this turn; empty before the roll."""
    attacking: PendingAttack | None = None
    die: int = 0
    """Die of a BUST, 1 to 6; 0 before it is rolled."""
    gained: bytes = b""
    """Cards beyond its seven that the seat in turn has drawn, or taken from the discard pile, in this turn."""
    owed: tuple[OwedDraw, ...] = ()
    """Draws still to be made, in order."""
    then: AfterDraws = AfterDraws.END_TURN
    """What follows the owed draws."""
    leaver: Seat | None = None
    """The seat that left and whose cards must still be shuffled into the draw pile; None if there is none."""
    turns: int = 0
    """Number of turns that have ended."""
    reshuffles: int = 0
    """How many times the discards became the draw pile."""
    asked: int = 0
    """Step at which the open question was asked."""
    clock: int = 0
    """Step at which the time of the open question began."""
    winner: Seat | None = None
    color: int | None = None
    """Colour of the winning hand, 0 to 3; None if no hand spelled CHEATER."""
    titles: tuple[Title, ...] = ()
    ended: Termination | None = None
    """Why the game is over; None while it is running."""

    @property
    def to_move(self) -> Seat | None:
        """The seat in turn. None before the first turn, and when the game is over."""
        return None if self.ended is not None or self.phase in (Phase.DECK, Phase.START) else self.turn

    def draft(self) -> "State":
        """Return a copy for the next transition.

        Every transition needs a copy, so speed matters here: positions are faster than names.
        """
        return State(
            self.rules,
            self.earlier,
            self.hands,
            self.known,
            self.places,
            self.step + 1,
            self.phase,
            self.draw_pile,
            self.discards,
            self.rollers,
            self.start_rolls,
            self.turn,
            self.cheater,
            self.dice,
            self.attacking,
            self.die,
            self.gained,
            self.owed,
            self.then,
            self.leaver,
            self.turns,
            self.reshuffles,
            self.asked,
            self.clock,
            self.winner,
            self.color,
            self.titles,
            self.ended,
        )

    def present_seats(self) -> list[Seat]:
        """Return the seats that have not left, ascending."""
        return [Seat(seat) for seat in range(len(self.hands)) if not self.has_left(Seat(seat))]

    def has_left(self, seat: Seat) -> bool:
        """Return whether a seat has left. While the game is running, only seats that left have a place."""
        return self.places[seat] > 0

    def clockwise_from(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the seats that have not left, clockwise from this one."""
        return _clockwise_seats(self.places, seat)

    def other_seats(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the other seats that have not left, clockwise after this one."""
        return _other_seats(self.places, seat)

    # ---- mutators, for drafts only

    def gain(self, seat: Seat, cards: bytes, *, openly: bool) -> None:
        """Add cards to a hand; `openly` if all seats see them."""
        self.hands = _with_hand(self.hands, seat, sort_cards(self.hands[seat] + cards))
        if openly:
            self.known = _with_hand(self.known, seat, sort_cards(self.known[seat] + cards))

    def lose(self, seat: Seat, cards: bytes) -> None:
        """Remove cards from a hand in view of all seats."""
        self.hands = _with_hand(self.hands, seat, without_cards(self.hands[seat], cards))
        self.known = _with_hand(self.known, seat, without_cards(self.known[seat], cards))

    def show(self, seat: Seat) -> None:
        self.known = _with_hand(self.known, seat, self.hands[seat])

    def surrender(self, seat: Seat) -> bytes:
        """Empty a seat's hand, and return its cards."""
        cards = self.hands[seat]
        self.hands, self.known = _with_hand(self.hands, seat, b""), _with_hand(self.known, seat, b"")
        return cards


def _with_hand(hands: tuple[bytes, ...], seat: Seat, hand: bytes) -> tuple[bytes, ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])


@lru_cache(maxsize=1024)
def _clockwise_seats(places: tuple[int, ...], seat: Seat) -> tuple[Seat, ...]:
    """Return the seats without a place, clockwise from this one."""
    count = len(places)
    ring = [Seat((seat + distance) % count) for distance in range(count)]
    return tuple([other for other in ring if not places[other]])


@lru_cache(maxsize=1024)
def _other_seats(places: tuple[int, ...], seat: Seat) -> tuple[Seat, ...]:
    return tuple([other for other in _clockwise_seats(places, seat) if other != seat])
