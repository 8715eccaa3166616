"""What a bot may answer. Which of it is legal at a moment is the server's to judge."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from cheatarena.cheat.cards import CARDS, RANKS, Card, Rank, cards


@dataclass(frozen=True, slots=True)
class Play:
    """Put cards on the pile, and claim that all of them have one rank.

    The claimed number is the number of the cards, unless ``count`` says otherwise, where the rules let numbers be lies.
    No cards at all is a play too, where the rules have it.

    >>> print(Play.of("KS 4D", "K"), "|", Play.of("KS 4D", "K", count=1))
    KS 4D as K | KS 4D as 1 x K
    """

    cards: tuple[Card, ...]
    rank: Rank
    note: str = ""
    """What the owner wants to find in the replay: at most 200 bytes of UTF-8, nobody else sees it."""
    count: int | None = field(default=None, kw_only=True)
    """The claimed number of cards. None: as many as are laid."""

    @classmethod
    def of(cls, laid: str | Iterable[int], rank: str | int, note: str = "", *, count: int | None = None) -> "Play":
        """Make a play of text or numbers."""
        played = cards(laid) if isinstance(laid, str) else tuple(CARDS[card] for card in laid)
        return cls(played, Rank.of(rank) if isinstance(rank, str) else RANKS[rank], note, count=count)

    @property
    def claimed(self) -> int:
        """The claimed number of cards."""
        return len(self.cards) if self.count is None else self.count

    @property
    def is_honest(self) -> bool:
        """Whether as many cards are laid as claimed, and each has the claimed rank or is a joker."""
        return self.claimed == len(self.cards) and all(card.fits(self.rank) for card in self.cards)

    def __str__(self) -> str:
        claim = f"{self.rank}" if self.claimed == len(self.cards) else f"{self.claimed} x {self.rank}"
        return f"{' '.join(map(str, self.cards)) or 'no cards'} as {claim}"


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


@dataclass(frozen=True, slots=True)
class Believe:
    """Vouch for the last move, where the rules have it."""

    note: str = ""

    def __str__(self) -> str:
        return "believe"


@dataclass(frozen=True, slots=True)
class Cut:
    """Cut the deck into packets."""

    sizes: tuple[int, ...]
    """Cards in each packet, 1 or more."""
    note: str = ""

    def __str__(self) -> str:
        return f"cut {' '.join(map(str, self.sizes))}"


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose a packet."""

    packet: int
    """Its index in the order of the cut, from 0."""
    note: str = ""

    def __str__(self) -> str:
        return f"choose {self.packet}"


Move = Play | Pass | Call | Believe
"""Answers to a turn; the last two where the options say so."""

Doubt = Call | Decline | Believe
"""Answers to a call window; the last one where the table says so."""

Answer = Play | Pass | Call | Decline | Believe | Cut | Choose
"""Any answer."""
