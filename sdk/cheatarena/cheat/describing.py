"""Cards as text for people, which stays short if there are many."""

from collections.abc import Sequence

from cheatarena.cheat.cards import Card
from cheatarena.cheat.claim import Claim
from cheatarena.plurals import format_count

MAX_LISTED_CARDS = 60
"""If there are more cards than this, only the number of each rank is told."""
MAX_LISTED_CLAIMS = 12
"""The largest number of claims on the pile that are told: those on top."""


def describe_cards(some: Sequence[Card]) -> str:
    """Return cards as text: each card, or the number of each rank if there are many.

    >>> describe_cards(()), describe_cards((Card.of("KS"), Card.of("JK")))
    ('none', 'KS JK')
    >>> describe_cards((Card.of("KS"),) * 70 + (Card.of("JK"),))
    '70 x K, 1 x JK'
    """
    if len(some) <= MAX_LISTED_CARDS:
        return " ".join(map(str, some)) or "none"
    numbers: dict[str, int] = {}
    for card in some:
        rank = "JK" if card.rank is None else str(card.rank)
        numbers[rank] = numbers.get(rank, 0) + 1
    return ", ".join(f"{number} x {rank}" for rank, number in numbers.items())


def describe_claims(claims: Sequence[Claim]) -> str:
    """Return the claims on the pile as text, bottom first, with the known cards in brackets."""
    if not claims:
        return "none"
    told = claims[-MAX_LISTED_CLAIMS:]
    words = [str(claim) + (f" [{describe_cards(claim.cards)}]" if claim.cards else "") for claim in told]
    earlier = len(claims) - len(told)
    return "; ".join([format_count(earlier, "earlier claim"), *words] if earlier else words)
