"""Turns cards that are chosen by rank into cards of a hand."""

from arena.games.cheat.arrays.card_counts import JOKER_KIND, KINDS
from arena.games.cheat.rules.cards import JOKER, Hand


def pick_codes(hand: Hand, kinds: bytes) -> bytes:
    """Return so many cards of each rank, as ascending codes: the first ones of the hand in canonical order."""
    codes = bytearray()
    for kind in range(KINDS):
        wanted = kinds[kind]
        if not wanted:
            continue
        if kind == JOKER_KIND:
            codes += bytes((JOKER,)) * wanted
            continue
        for code in range(4 * kind, 4 * kind + 4):
            held = min(hand[code], wanted)
            codes += bytes((code,)) * held
            wanted -= held
    return bytes(codes)
