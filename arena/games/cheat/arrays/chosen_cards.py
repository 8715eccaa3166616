"""Turns cards that are chosen by rank into cards of a hand."""

from arena.games.cheat.arrays.card_counts import JOKER_KIND, KINDS
from arena.games.cheat.rules.cards import JOKER, Hand


def pick_codes(hand: Hand, kinds: bytes) -> bytes:
    """Return cards of a hand as ascending codes, given how many of each rank. Of a rank, the lowest codes are taken."""
    codes = bytearray()
    for kind in range(KINDS):
        wanted = kinds[kind]
        if not wanted:
            continue
        first, last = (JOKER, JOKER) if kind == JOKER_KIND else (4 * kind, 4 * kind + 3)
        for code in range(first, last + 1):
            for _ in range(min(hand[code], wanted)):
                codes.append(code)
                wanted -= 1
    return bytes(codes)
