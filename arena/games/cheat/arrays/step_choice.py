"""The encoding `steps`: a claim first, then its cards one by one in ascending order.

It is complete but for suits: of several cards of a rank, the first in canonical order is laid. Each set of cards has
one path. One card is as good as the other, unless the seat takes the pile later and would recognise its own cards.
"""

from functools import lru_cache
from typing import Final

from arena.games.cheat.arrays.card_counts import JOKER_KIND, KINDS, NO_CARDS, count_to_bytes
from arena.games.cheat.arrays.chosen_cards import pick_codes
from arena.games.cheat.arrays.layout import ACTIONS, CLAIM_COUNTS, STEPS
from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Play
from arena.games.cheat.rules.cards import RANK_COUNT, Hand
from arena.games.cheat.rules.compiled_rules import CountRanges
from arena.games.cheat.rules.state import TurnOptions

ANSWERS: Final[tuple[Action, ...]] = (PASS, CALL, BELIEVE, DECLINE)
"""The actions with the first indexes, in both encodings."""
_LAYOUT: Final = ACTIONS[STEPS]
_SIZE: Final = _LAYOUT.size
_CLAIM: Final = _LAYOUT.starts["claim"]
_CARD: Final = _LAYOUT.starts["card"]
_DONE: Final = _LAYOUT.starts["done"]


class StepChoice:
    """The choice of one seat in its turn."""

    def __init__(self) -> None:
        self._hand: Hand = ()
        self._kinds = NO_CARDS
        self._options: TurnOptions | None = None
        self._is_claimed = False
        self._rank = self._count = self._last = self._chosen = self._fewest = self._most = 0
        self._laid = bytearray(KINDS)

    def ask(self, options: TurnOptions, hand: Hand, count: int) -> None:
        """Begin a turn. `count` has the hand counted by rank."""
        self._options = options
        self._hand = hand
        self._kinds = count_to_bytes(count)
        self._is_claimed = False

    def laying(self) -> tuple[int, int, bytes] | None:
        """Return the rank and number claimed and the cards chosen so far; None before the claim."""
        return (self._rank, self._count, bytes(self._laid)) if self._is_claimed else None

    def mask(self) -> bytes:
        options = self._options
        assert options is not None
        if self._is_claimed:
            return self._mask_cards(options)
        kinds = self._kinds if options.face_up else None
        return _mask_claims(options.ranks, options.counts, pack_flags(options), kinds)

    def choose(self, action: int) -> Action | None:
        options = self._options
        assert options is not None
        if action < _CLAIM:
            return ANSWERS[action]
        if not self._is_claimed:
            self._claim(action - _CLAIM, options)
        elif action == _DONE:
            return self._play()
        else:
            self._last = action - _CARD
            self._laid[self._last] += 1
            self._chosen += 1
        return self._play() if self._chosen == self._most else None

    def _claim(self, claim: int, options: TurnOptions) -> None:
        self._rank, self._count = claim // CLAIM_COUNTS, claim % CLAIM_COUNTS
        self._fewest, self._most = (self._count, self._count)
        if options.laid is not None and self._count:
            self._fewest, self._most = options.laid
        self._is_claimed = True
        self._last = self._chosen = 0
        self._laid = bytearray(KINDS)

    def _play(self) -> Play:
        self._is_claimed = False
        return Play(pick_codes(self._hand, bytes(self._laid)), self._count, self._rank)

    def _mask_cards(self, options: TurnOptions) -> bytes:
        """Return which card may come next: one that leaves enough cards of its rank and of later ones."""
        mask = bytearray(_SIZE)
        needed, left = self._fewest - self._chosen, 0
        for kind in range(JOKER_KIND, self._last - 1, -1):
            if options.face_up and kind not in (self._rank, JOKER_KIND):
                continue
            held = self._kinds[kind] - self._laid[kind]
            left += held
            if held and left >= needed:
                mask[_CARD + kind] = 1
        if options.face_up and not self._chosen and self._kinds[self._rank]:
            mask[_CARD + JOKER_KIND] = 0  # an opening with jokers has a card of its rank too
        if needed <= 0 < self._chosen:
            mask[_DONE] = 1
        return bytes(mask)


def pack_flags(options: TurnOptions) -> int:
    """Return the flags of the options as one number: pass, call, believe, and a claim of no cards."""
    return options.can_pass | options.can_call << 1 | options.can_believe << 2 | options.zero << 3


@lru_cache(maxsize=1 << 12)
def _mask_claims(ranks: bytes, counts: CountRanges, flags: int, kinds: bytes | None) -> bytes:
    """Return which claims are legal, and which answers. `kinds` has the hand if the claim must be true."""
    mask = bytearray(_SIZE)
    mask[0], mask[1], mask[2] = flags & 1, flags >> 1 & 1, flags >> 2 & 1
    for rank in ranks:
        at = _CLAIM + rank * CLAIM_COUNTS
        mask[at] = flags >> 3
        most = CLAIM_COUNTS if kinds is None else true_set_size(kinds, rank)
        for first, last in counts:
            for count in range(first, min(last, most) + 1):
                mask[at + count] = 1
    return bytes(mask)


def true_set_size(kinds: bytes, rank: int) -> int:
    """Return the most cards that a hand can lay open as this rank. Jokers alone may be only if it has no others."""
    if kinds[rank] or not any(kinds[:RANK_COUNT]):
        return kinds[rank] + kinds[JOKER_KIND]
    return 0
