"""The facts of CHEATER, as the immutable values that `CheaterBot.saw` gets."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cheatarena.cheater.answers import Attack
from cheatarena.cheater.cards import CARDS, Card, Color
from cheatarena.facts import Fact, build_value_reader
from cheatarena.terms import enum_word
from cheatarena.v1 import cheater_pb2


@dataclass(frozen=True, slots=True)
class StartRoll:
    """The roll of one seat for the first turn."""

    seat: int
    """The seat that rolled."""
    dice: tuple[int, ...]
    """Two dice."""


@dataclass(frozen=True, slots=True)
class CheaterDealt(Fact):
    """Every seat got seven cards, and the first card of the discard pile was turned up."""

    seat_count: int
    """Number of seats."""
    top: Card
    """The card that was turned up."""
    draw_count: int
    """Number of cards in the draw pile."""


@dataclass(frozen=True, slots=True)
class CheaterHand(Fact):
    """This bot got its cards."""

    cards: tuple[Card, ...]
    """This bot's cards."""


@dataclass(frozen=True, slots=True)
class CheaterStartRolled(Fact):
    """The seats rolled for the first turn."""

    rolls: tuple[StartRoll, ...]
    """The rolls in the order of seats: of all seats first, then only of those that are tied."""
    first: int | None
    """The seat that begins; None if seats are tied."""


@dataclass(frozen=True, slots=True)
class CheaterRolled(Fact):
    """A turn began with a roll of the dice."""

    seat: int
    """The seat whose turn began."""
    dice: tuple[int, ...]
    """Two dice."""
    cheater: int | None
    """The seat that is the CHEATER after the roll; None if no seat is."""
    is_lost: bool
    """Whether the CHEATER lost the marker by its own double."""


@dataclass(frozen=True, slots=True)
class CheaterDrew(Fact):
    """A seat drew cards."""

    seat: int
    """The seat that drew."""
    count: int
    """Number of cards drawn."""


@dataclass(frozen=True, slots=True)
class CheaterDrawn(Fact):
    """This bot drew these cards."""

    cards: tuple[Card, ...]
    """The cards drawn."""


@dataclass(frozen=True, slots=True)
class CheaterTookTop(Fact):
    """A seat took the top discard."""

    seat: int
    """The seat that took the card."""
    card: Card
    """The card taken."""


@dataclass(frozen=True, slots=True)
class CheaterDiscarded(Fact):
    """A seat discarded cards."""

    seat: int
    """The seat that discarded."""
    cards: tuple[Card, ...]
    """In the order laid; the last one lies on top."""


@dataclass(frozen=True, slots=True)
class CheaterAttacked(Fact):
    """A seat attacked another seat."""

    seat: int
    """The attacking seat."""
    target: int
    """The attacked seat."""
    attack: Attack
    """The kind of attack."""
    card: Card | None
    """The card laid, possibly a WILD; None for a DEMAND."""


@dataclass(frozen=True, slots=True)
class CheaterHidden(Fact):
    """A seat hid its hand from an attack."""

    seat: int
    """The attacked seat."""
    card: Card
    """The card laid."""


@dataclass(frozen=True, slots=True)
class CheaterHandShown(Fact):
    """A seat showed its hand."""

    seat: int
    """The attacked seat."""
    cards: tuple[Card, ...]
    """Its hand."""


@dataclass(frozen=True, slots=True)
class CheaterDieRolled(Fact):
    """The die of a BUST was rolled."""

    value: int
    """The number on the die."""


@dataclass(frozen=True, slots=True)
class CheaterTaken(Fact):
    """A seat took a card from another seat."""

    seat: int
    """The attacking seat."""
    target: int
    """The attacked seat."""
    card: Card
    """The card taken."""


@dataclass(frozen=True, slots=True)
class CheaterBusted(Fact):
    """A seat discarded cards of another seat."""

    seat: int
    """The attacking seat."""
    target: int
    """The attacked seat."""
    cards: tuple[Card, ...]
    """In the order laid; the last one lies on top."""


@dataclass(frozen=True, slots=True)
class CheaterReshuffled(Fact):
    """The discards, except the top one, are the new draw pile."""

    draw_count: int
    """Number of cards in the draw pile."""


@dataclass(frozen=True, slots=True)
class CheaterLeft(Fact):
    """A seat left the game. Its cards are now in the draw pile."""

    seat: int
    """The seat that left."""
    card_count: int
    """Number of its cards."""
    place: int
    """Its place."""
    cheater: int | None
    """The seat that is the CHEATER now; None if no seat is."""


@dataclass(frozen=True, slots=True)
class CheaterWon(Fact):
    """A seat has won."""

    seat: int
    """The winner."""
    color: Color | None
    """The colour of the word; None if no hand spelled a word."""
    titles: tuple[str, ...]
    """Some of ``excellent``, ``ultimate``, ``infinite``."""


@dataclass(frozen=True, slots=True)
class CheaterStopped(Fact):
    """The game was stopped without a winner."""


FACTS: tuple[type[Fact], ...] = (
    CheaterDealt,
    CheaterHand,
    CheaterStartRolled,
    CheaterRolled,
    CheaterDrew,
    CheaterDrawn,
    CheaterTookTop,
    CheaterDiscarded,
    CheaterAttacked,
    CheaterHidden,
    CheaterHandShown,
    CheaterDieRolled,
    CheaterTaken,
    CheaterBusted,
    CheaterReshuffled,
    CheaterLeft,
    CheaterWon,
    CheaterStopped,
)
"""All facts of this game."""


def read_titles(titles: Iterable[cheater_pb2.CheaterTitle.ValueType]) -> tuple[str, ...]:
    """Return the words of titles."""
    return tuple(enum_word(cheater_pb2.CheaterTitle.Name(each), "CHEATER_TITLE_") for each in titles)


def _read_rolls(rolls: Iterable[Any]) -> tuple[StartRoll, ...]:
    return tuple(StartRoll(each.seat, tuple(each.dice)) for each in rolls)


read_fact = build_value_reader(
    FACTS,
    cheater_pb2,
    {
        Card: CARDS.__getitem__,
        Color: Color,
        Attack: Attack,
        tuple[int, ...]: tuple,
        tuple[Card, ...]: lambda codes: tuple(CARDS[card] for card in codes),
        tuple[str, ...]: read_titles,
        tuple[StartRoll, ...]: _read_rolls,
    },
)
"""Returns the value of a fact's message."""
