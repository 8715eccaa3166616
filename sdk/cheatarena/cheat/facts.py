"""The facts of Cheat, as the immutable values that `Bot.saw` gets."""

from dataclasses import dataclass

from cheatarena.cheat.cards import CARDS, RANKS, Card, Rank
from cheatarena.cheat.snapshots import read_cards
from cheatarena.facts import Fact, build_value_reader
from cheatarena.v1 import cheat_pb2


class Cards(tuple[Card, ...]):
    """The cards of a fact, each copy separately."""

    __slots__ = ()

    @property
    def is_hidden(self) -> bool:
        """Whether these cards are unknown to this bot. An unknown set of cards is empty."""
        return self is HIDDEN

    @property
    def cards(self) -> bytes:
        """The card codes as bytes, for bots that were written for the protobuf message."""
        return bytes(self)


HIDDEN = Cards()
"""Cards that this bot does not see."""


@dataclass(frozen=True, slots=True)
class CheatDeckCut(Fact):
    """The dealer cut the deck into packets."""

    dealer: int
    """The dealer's seat."""
    sizes: tuple[int, ...]
    """Number of cards in each packet."""


@dataclass(frozen=True, slots=True)
class CheatPacketChosen(Fact):
    """A seat chose a packet."""

    seat: int
    """The seat that chose."""
    packet: int
    """The packet's index in the order of the cut, from 0."""


@dataclass(frozen=True, slots=True)
class CheatDealt(Fact):
    """The cards were dealt."""

    hand_sizes: tuple[int, ...]
    """Number of cards by seat; empty if the rules hide sizes."""
    to_move: int
    """The seat that moves first."""
    dealer: int
    """The dealer's seat."""


@dataclass(frozen=True, slots=True)
class CheatHand(Fact):
    """This bot got its cards."""

    cards: Cards
    """This bot's cards."""


@dataclass(frozen=True, slots=True)
class CheatPlayed(Fact):
    """A seat laid cards and made a claim."""

    seat: int
    """The seat that moved."""
    rank: Rank
    """The claimed rank."""
    count: int
    """The claimed number of cards."""
    emptied: bool
    """Whether the hand is now empty."""
    to_move: int | None
    """The seat to move next; None if no seat is to move yet."""
    laid: int | None
    """The number of cards laid, if it differs from `count` or may do so, and is public."""
    cards: Cards
    """The cards laid, if they lie face up."""


@dataclass(frozen=True, slots=True)
class CheatPassed(Fact):
    """A seat passed."""

    seat: int
    """The seat that passed."""
    to_move: int | None
    """The seat to move next; None if no seat is to move yet."""


@dataclass(frozen=True, slots=True)
class CheatCalled(Fact):
    """A seat called the last move."""

    caller: int
    """The seat that called."""
    accused: int
    """The seat whose move was called."""
    right: bool
    """Whether the move was a lie."""
    taker: int
    """The seat that takes the pile."""
    taken_count: int
    """Number of cards on the pile; 0 if the rules hide it."""
    to_move: int | None
    """The seat to move next; None if no seat is to move yet."""
    shown: Cards
    """The cards of the move, if the call shows them to all seats."""
    rest: Cards
    """The other cards of the pile, if they are shown to all seats."""


@dataclass(frozen=True, slots=True)
class CheatBelieved(Fact):
    """A seat believed the last move."""

    believer: int
    """The seat that believed the move."""
    mover: int
    """The seat whose move was believed."""
    right: bool
    """Whether the move was true."""
    pile_size: int
    """Number of cards on the pile; 0 if the rules hide it."""
    to_move: int | None
    """The seat to move next; None if no seat is to move yet."""
    shown: Cards
    """The cards of the move, if they are shown to all seats."""
    rest: Cards
    """The other cards of the pile, if they are shown to all seats."""


@dataclass(frozen=True, slots=True)
class CheatHandChecked(Fact):
    """The move that emptied a hand was checked."""

    seat: int
    """The seat whose hand is empty."""
    true_claim: bool
    """Whether the move was true."""
    taken_count: int
    """Number of cards that the seat takes after a lie; 0 if the rules hide it."""


@dataclass(frozen=True, slots=True)
class CheatBanished(Fact):
    """The pile left the game."""

    card_count: int
    """Number of cards; 0 if the rules hide it."""


@dataclass(frozen=True, slots=True)
class CheatShown(Fact):
    """This bot called or believed a move, and sees the cards of the move."""

    cards: Cards
    """The cards of the move."""


@dataclass(frozen=True, slots=True)
class CheatLaid(Fact):
    """This bot laid these cards."""

    cards: Cards
    """The cards laid."""


@dataclass(frozen=True, slots=True)
class CheatTaken(Fact):
    """This bot took these cards from the pile."""

    cards: Cards
    """The cards of the pile."""


@dataclass(frozen=True, slots=True)
class CheatOverruled(Fact):
    """Another seat's call counted instead of this bot's."""


@dataclass(frozen=True, slots=True)
class CheatTrickEnded(Fact):
    """A trick ended."""

    leader: int
    """The seat that starts the next trick."""


@dataclass(frozen=True, slots=True)
class CheatWindowClosed(Fact):
    """A call window closed without a call."""

    settled: bool
    """Whether the move can no longer be called."""
    to_move: int | None
    """The seat to move next; None if no seat is to move yet."""


@dataclass(frozen=True, slots=True)
class CheatFinalWindow(Fact):
    """The last chance to call began: if nobody calls, the mover has won."""

    mover: int
    """The seat that wins if nobody calls."""


@dataclass(frozen=True, slots=True)
class CheatPlaced(Fact):
    """A seat got its place."""

    seat: int
    """The seat that got the place."""
    place: int
    """1 is the best."""


@dataclass(frozen=True, slots=True)
class CheatLeft(Fact):
    """A seat left the game. Its cards are now under the pile."""

    seat: int
    """The seat that left."""
    card_count: int
    """Number of its cards; 0 if the rules hide it."""
    place: int
    """Its place; 0 if it has none."""
    to_move: int | None
    """The seat to move next; None if no seat is to move yet."""


FACTS: tuple[type[Fact], ...] = (
    CheatDeckCut,
    CheatPacketChosen,
    CheatDealt,
    CheatHand,
    CheatPlayed,
    CheatPassed,
    CheatCalled,
    CheatBelieved,
    CheatHandChecked,
    CheatBanished,
    CheatShown,
    CheatLaid,
    CheatTaken,
    CheatOverruled,
    CheatTrickEnded,
    CheatWindowClosed,
    CheatFinalWindow,
    CheatPlaced,
    CheatLeft,
)
"""All facts of this game."""


def _read_cards(message: cheat_pb2.CheatCards | None) -> Cards:
    return HIDDEN if message is None else Cards(CARDS[card] for card in read_cards(message))


read_fact = build_value_reader(FACTS, cheat_pb2, {Rank: RANKS.__getitem__, tuple[int, ...]: tuple, Cards: _read_cards})
"""Returns the value of a fact's message."""
