"""The lies of a turn that are worth considering."""

from itertools import islice

from cheatarena.cheat.cards import JOKER, Card, Hand, Rank
from cheatarena.cheat.decisions import Play
from cheatarena.cheat.legal import LegalTurn
from cheatarena.cheat.table import Table

MAX_NUMBERS = 8
"""How many numbers of cards are considered for each rank, from the smallest up."""


def find_plausible_lies(legal: LegalTurn, table: Table, limit: int) -> list[Play]:
    """Return lies that no other seat can refute as far as this bot knows, the most plausible first.

    `TurnOptions.plausible_lies` describes them.
    """
    if legal.face_up:
        return []
    hand, laid = table.hand, legal.laid
    found: list[tuple[int, int, Rank, Play]] = []
    for rank in legal.ranks:
        room = _claimable(table, rank)
        order = least_useful_first(hand, rank)
        for count in islice(legal.counts, MAX_NUMBERS):
            size = min(max(count, laid[0]), laid[-1]) if laid else count
            if count > room or size > len(hand):
                break
            play = Play(tuple(sorted(order[:size])), rank, count=None if size == count else count)
            if not play.is_honest:
                found.append((count - hand.count(rank), count, rank, play))
    return [play for *_, play in sorted(found, key=lambda each: each[:3])[:limit]]


def _claimable(table: Table, rank: Rank) -> int:
    """Return the largest claim of a rank that, as far as this bot knows, no other seat can refute from its own hand."""
    rules = table.ruleset
    others = (seat for seat in range(table.seat_count) if seat != table.seat)
    held = (sum(card.fits(rank) for card in table.known_cards(seat)) for seat in others)
    return rules.copies + rules.jokers - max(held, default=0)


def least_useful_first(hand: Hand, rank: Rank) -> list[Card]:
    """Return the cards in the order in which a lie lays them: single cards first, fitting cards and jokers last."""
    return sorted(hand, key=lambda card: (card == JOKER, card >> 2 == rank, hand.count(card >> 2), card))
