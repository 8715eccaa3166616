"""The encoding `macro`: a rank, a number and how many of the cards are true, in one action. It is not complete.

* True cards are cards of the rank first, then jokers.
* False cards come from the ranks of which the hand has fewest, lower ranks first. Jokers are never false.
* Where the number laid may differ from the number claimed, it does not, as far as the hand and the rules allow.
"""

from functools import lru_cache
from typing import Final

from arena.games.cheat.arrays.card_counts import JOKER_KIND, KINDS, NO_CARDS, count_to_bytes
from arena.games.cheat.arrays.chosen_cards import pick_codes
from arena.games.cheat.arrays.layout import ACTIONS, MACRO, MACRO_PLAYS, MAX_MACRO_CLAIM
from arena.games.cheat.arrays.step_choice import ANSWERS, pack_flags, true_set_size
from arena.games.cheat.rules.actions import Action, Play
from arena.games.cheat.rules.cards import RANK_COUNT, Hand
from arena.games.cheat.rules.compiled_rules import CountRanges
from arena.games.cheat.rules.state import TurnOptions

_PLAY: Final = ACTIONS[MACRO].starts["play"]
_PAIRS: Final = tuple([(count, true) for count in range(MAX_MACRO_CLAIM + 1) for true in range(count + 1)])
"""The claimed number and the number of true cards, by their index within a rank."""
_NO_PLAYS: Final = bytes(MACRO_PLAYS)
_NO_RANKS: Final = (_NO_PLAYS,) * RANK_COUNT


class MacroChoice:
    """The choice of one seat in its turn."""

    def __init__(self) -> None:
        self._hand: Hand = ()
        self._kinds = NO_CARDS
        self._options: TurnOptions | None = None

    def ask(self, options: TurnOptions, hand: Hand, count: int) -> None:
        """Begin a turn. `count` has the hand counted by rank."""
        self._options = options
        self._hand = hand
        self._kinds = count_to_bytes(count)

    def mask(self) -> bytes:
        options, kinds = self._options, self._kinds
        assert options is not None
        if options.face_up:
            return _ANSWER_MASKS[pack_flags(options)] + b"".join(_open_rows(options, kinds))
        size, jokers, limit = sum(kinds), kinds[JOKER_KIND], MAX_MACRO_CLAIM
        counts, zero, fewest = options.counts, options.zero, -1
        if options.laid is not None:
            fewest = min(options.laid[0], limit)
        rows = list(_NO_RANKS)
        for rank in options.ranks:
            true = kinds[rank] + jokers  # more cards than a claim can name make no difference
            rows[rank] = _legal_pairs(min(true, limit), min(size - true, limit), counts, zero, fewest)
        return _ANSWER_MASKS[pack_flags(options)] + b"".join(rows)

    def choose(self, action: int) -> Action:
        options = self._options
        assert options is not None
        if action < _PLAY:
            return ANSWERS[action]
        rank, pair = divmod(action - _PLAY, MACRO_PLAYS)
        count, true = _PAIRS[pair]
        laid = count if options.laid is None else _laid_for(count, *options.laid)
        return Play(pick_codes(self._hand, _choose_kinds(self._kinds, rank, laid, true)), count, rank)


def _laid_for(count: int, fewest: int, size: int) -> int:
    """Return how many cards are laid for a claimed number.

    `fewest` is -1 if the number laid must be the number claimed. Otherwise it is the fewest, and `size` the most.
    """
    return count if fewest < 0 or count == 0 else min(max(count, fewest), size)


@lru_cache(maxsize=1 << 14)
def _legal_pairs(true_cards: int, false_cards: int, counts: CountRanges, zero: bool, fewest: int) -> bytes:
    """Return which pairs are legal for a rank, given the true and the false cards that the hand has for it."""
    allowed = {count for first, last in counts for count in range(first, last + 1)} | ({0} if zero else set())
    row = bytearray(MACRO_PLAYS)
    for index, (count, true) in enumerate(_PAIRS):
        laid = _laid_for(count, fewest, true_cards + false_cards)
        row[index] = count in allowed and laid - false_cards <= true <= min(laid, true_cards)
    return bytes(row)


def _open_rows(options: TurnOptions, kinds: bytes) -> list[bytes]:
    """Return the rows of an opening that lies open: all cards are true."""
    rows = list(_NO_RANKS)
    for rank in options.ranks:
        most = true_set_size(kinds, rank)
        if most:
            first, last = options.counts[0]
            legal = range(first, min(last, most) + 1)
            rows[rank] = bytes([count == true and count in legal for count, true in _PAIRS])
    return rows


def _choose_kinds(kinds: bytes, rank: int, laid: int, true: int) -> bytes:
    """Return which cards are laid, counted by rank."""
    chosen = bytearray(KINDS)
    chosen[rank] = min(true, kinds[rank])
    chosen[JOKER_KIND] = true - chosen[rank]
    missing, held = laid - true, 0
    while missing > 0:  # compiled, this is faster than to sort the ranks
        held += 1
        for kind in range(RANK_COUNT):
            if kinds[kind] == held and kind != rank:
                chosen[kind] = min(held, missing)
                missing -= chosen[kind]
    return bytes(chosen)


_ANSWER_MASKS: Final = tuple([bytes((flags & 1, flags >> 1 & 1, flags >> 2 & 1, 0)) for flags in range(16)])
"""The part of a mask before the plays, by the flags of the options."""
