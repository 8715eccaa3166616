"""The answers of a bot of Cheat. The server judges which are legal."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from cheatarena.cheat.cards import CARDS, RANKS, Card, Rank, cards


@dataclass(frozen=True, slots=True)
class Play:
    """Put cards on the pile, and claim that all of them have one rank.

    The claimed number is the number of cards, unless ``count`` gives another number. Only rulesets with `count_lies`
    allow another number. Some rulesets allow a play of no cards.

    >>> print(Play.of("KS 4D", "K"), "|", Play.of("KS 4D", "K", count=1))
    KS 4D as K | KS 4D as 1 x K
    """

    cards: tuple[Card, ...]
    """The cards to lay."""
    rank: Rank
    """The claimed rank."""
    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8. Only the owner sees the note, in the replay."""
    count: int | None = field(default=None, kw_only=True)
    """The claimed number of cards; None if it is the number of cards laid."""

    @classmethod
    def of(cls, laid: str | Iterable[int], rank: str | int, note: str = "", *, count: int | None = None) -> "Play":
        """Return a play from text or numbers."""
        played = cards(laid) if isinstance(laid, str) else tuple(CARDS[card] for card in laid)
        return cls(played, Rank.of(rank) if isinstance(rank, str) else RANKS[rank], note, count=count)

    @property
    def claimed(self) -> int:
        """The claimed number of cards."""
        return len(self.cards) if self.count is None else self.count

    @property
    def is_honest(self) -> bool:
        """Whether the number of cards is as claimed, and each card has the claimed rank or is a joker."""
        return self.claimed == len(self.cards) and all(card.fits(self.rank) for card in self.cards)

    def __str__(self) -> str:
        claim = f"{self.rank}" if self.claimed == len(self.cards) else f"{self.claimed} x {self.rank}"
        return f"{' '.join(map(str, self.cards)) or 'no cards'} as {claim}"


@dataclass(frozen=True, slots=True)
class Pass:
    """Give up the turn."""

    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class Call:
    """Say that the last move is a lie."""

    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return "call"


@dataclass(frozen=True, slots=True)
class Decline:
    """Let the last move stand."""

    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return "decline"


@dataclass(frozen=True, slots=True)
class Believe:
    """Say that the last move is true. Only some rulesets allow this."""

    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return "believe"


@dataclass(frozen=True, slots=True)
class Cut:
    """Cut the deck into packets."""

    sizes: tuple[int, ...]
    """Number of cards in each packet, at least 1."""
    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return f"cut {' '.join(map(str, self.sizes))}"


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose a packet."""

    packet: int
    """The packet's index in the order of the cut, from 0."""
    note: str = ""
    """A note for the bot's owner, at most 200 bytes of UTF-8, as in `Play`."""

    def __str__(self) -> str:
        return f"choose {self.packet}"


Move = Play | Pass | Call | Believe
"""Answers to a turn. Call and Believe are legal only if the options allow them."""

Doubt = Call | Decline | Believe
"""Answers to a call window. Believe is legal only if the table allows it."""

Answer = Play | Pass | Call | Decline | Believe | Cut | Choose
"""Any answer."""
