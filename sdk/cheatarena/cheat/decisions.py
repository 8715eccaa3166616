"""What a bot may answer. Which of it is legal at a moment is the server's to judge."""

from collections.abc import Iterable
from dataclasses import dataclass

from cheatarena.cheat.cards import CARDS, RANKS, Card, Rank, cards


@dataclass(frozen=True, slots=True)
class Play:
    """Put cards on the pile, face down, and claim that all of them have one rank.

    The claimed number is the number of the cards. No cards at all is a play too, where the rules have it.

    >>> print(Play.of("KS 4D", "K"))
    KS 4D as K
    """

    cards: tuple[Card, ...]
    rank: Rank
    note: str = ""
    """What the owner wants to find in the replay: at most 200 bytes of UTF-8, nobody else sees it."""

    @classmethod
    def of(cls, laid: str | Iterable[int], rank: str | int, note: str = "") -> "Play":
        """Make a play of text or numbers."""
        played = cards(laid) if isinstance(laid, str) else tuple(CARDS[card] for card in laid)
        return cls(played, Rank.of(rank) if isinstance(rank, str) else RANKS[rank], note)

    @property
    def is_honest(self) -> bool:
        """Whether every card has the claimed rank or is a joker."""
        return all(card.fits(self.rank) for card in self.cards)

    def __str__(self) -> str:
        return f"{' '.join(map(str, self.cards)) or 'no cards'} as {self.rank}"


@dataclass(frozen=True, slots=True)
class Pass:
    """Give the turn up."""

    note: str = ""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class Call:
    """Doubt the last move."""

    note: str = ""

    def __str__(self) -> str:
        return "call"


@dataclass(frozen=True, slots=True)
class Decline:
    """Let the last move stand."""

    note: str = ""

    def __str__(self) -> str:
        return "decline"


Move = Play | Pass
"""Answers to a turn."""

Doubt = Call | Decline
"""Answers to a call window."""

Answer = Play | Pass | Call | Decline
"""Any answer."""
