"""The answers of a bot of CHEATER. The server judges which are legal.

Every answer has a ``note`` for the bot's owner, at most 200 bytes of UTF-8. Only the owner sees the note, in the
replay.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from cheatarena.cheater.cards import CARDS, Card, cards


class Attack(IntEnum):
    """What an attack does to another seat. The numbers are those of the protocol."""

    TAKE = 1
    """See the seat's hand and take a card from it."""
    SHOW = 2
    """See the seat's hand."""
    BUST = 3
    """See the seat's hand, roll a die, and discard at most as many cards of that hand as the die shows."""
    DEMAND = 4
    """Power 3 of the CHEATER: see the seat's hand and take a card from it. The attacker then discards a card."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw a card, then discard one."""

    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True)
class DrawTwo:
    """Power 1 of the CHEATER: draw two cards, then discard two."""

    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return "draw two"


@dataclass(frozen=True, slots=True)
class TakeTop:
    """Power 2 of the CHEATER: take the top card of the discard pile, then discard one."""

    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return "take the top"


@dataclass(frozen=True, slots=True)
class Demand:
    """Power 3 of the CHEATER: demand to see a seat's hand and take one of its cards."""

    target: int
    """The attacked seat."""
    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return f"demand seat {self.target}"


@dataclass(frozen=True, slots=True)
class Play:
    """Play an action card at another seat.

    >>> print(Play(Card.of("WILD"), 2, Attack.BUST))
    WILD as BUST at seat 2
    """

    card: Card
    """The card to play."""
    target: int
    """The attacked seat."""
    wild_as: Attack | None = None
    """What a WILD stands for; None for every other card."""
    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8. Only the owner sees the note, in the replay."""

    def __str__(self) -> str:
        return f"{self.card}{'' if self.wild_as is None else f' as {self.wild_as}'} at seat {self.target}"


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard cards, as many as the question demands.

    >>> print(Discard.of("YC BA"))
    discard YC BA
    """

    cards: tuple[Card, ...]
    """The cards in the order laid; the last one lies on top."""
    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    @classmethod
    def of(cls, laid: str | Iterable[int], note: str = "") -> "Discard":
        """Return the answer from text or numbers."""
        return cls(_parse_cards(laid), note)

    def __str__(self) -> str:
        return f"discard {_cards_text(self.cards)}"


@dataclass(frozen=True, slots=True)
class Allow:
    """Let the attacker see the hand."""

    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return "allow"


@dataclass(frozen=True, slots=True)
class Hide:
    """Lay a HIDE, or a WILD in its place, to hide the hand from an attack."""

    card: Card
    """The card to lay: a HIDE or a WILD."""
    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return f"hide by {self.card}"


@dataclass(frozen=True, slots=True)
class Take:
    """Take this card from the shown hand."""

    card: Card
    """The card to take."""
    discard: Card | None = None
    """After a DEMAND: the card to discard, possibly the one taken. None after a TAKE."""
    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return f"take {self.card}{'' if self.discard is None else f' for {self.discard}'}"


@dataclass(frozen=True, slots=True)
class Bust:
    """Discard these cards from the shown hand; the tuple may be empty."""

    cards: tuple[Card, ...]
    """The cards in the order laid; the last one lies on top."""
    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    @classmethod
    def of(cls, laid: str | Iterable[int], note: str = "") -> "Bust":
        """Return the answer from text or numbers."""
        return cls(_parse_cards(laid), note)

    def __str__(self) -> str:
        return f"bust {_cards_text(self.cards)}"


def _parse_cards(laid: str | Iterable[int]) -> tuple[Card, ...]:
    return cards(laid) if isinstance(laid, str) else tuple(CARDS[card] for card in laid)


def _cards_text(laid: tuple[Card, ...]) -> str:
    return " ".join(map(str, laid)) or "no cards"


Move = Draw | DrawTwo | TakeTop | Demand | Play
"""Answers to `act`."""

Reaction = Allow | Hide
"""Answers to an attack."""

Pick = Take | Bust
"""Answers to a shown hand."""

Answer = Move | Discard | Reaction | Pick
"""Any answer."""
