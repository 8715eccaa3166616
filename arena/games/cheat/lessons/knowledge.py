"""What one seat of Cheat knows about the cards that it does not see: which cards there are, and where each may be.

The SDK keeps track of these cards (`cheatarena.cheat.knowledge`), as it does for every bot that uses it. It gets only
the parts of the events that the seat received.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from arena.errors import RequestError
from arena.games.cheat.rules.cards import Hand, cards_from_hand, sorted_deck
from arena.games.cheat.rules.compiled_rules import CompiledRules
from arena.games.cheat.rules.ruleset import Ruleset
from arena.games.cheat.rules.view_types import (
    BelievedView,
    CalledView,
    CardsLaid,
    CardsShown,
    CardsTaken,
    DealtView,
    HandCheckedView,
    HandDealt,
    PileBanishedView,
    PlayedView,
    SeatLeftView,
)
from arena.match.game import Seat
from cheatarena.cheat.cards import RANKS
from cheatarena.cheat.knowledge import Knowledge


@dataclass(frozen=True, slots=True)
class HiddenCards:
    """The cards that a seat does not see, and the places that hold them.

    Places have indexes: first the hands of all seats, then the cards out of the game, then the moves on the pile from
    the bottom up, then the hands under the pile from the bottom up. A place whose cards the seat knows has size 0.
    """

    sizes: tuple[int, ...]
    """Number of hidden cards by place."""
    groups: tuple[tuple[tuple[int, ...], bytes], ...]
    """Cards that the seat has seen, each group with the indexes of the places where its cards may be."""
    unseen: bytes
    """All other cards. Each may be at any place."""


def check_rules(rules: Ruleset) -> None:
    """Raise RequestError for rules under which a seat knows too little to deal the hidden cards."""
    if not rules.sizes_visible:
        raise RequestError(
            "there are no lessons for rules that hide the sizes of hands (sizes_visible is off): too many hidden hands"
            " would fit what the seat knew"
        )


class CheatSeatKnowledge:
    """Follows one game as one seat sees it."""

    def __init__(self, seat: Seat, compiled: CompiledRules) -> None:
        self._seat = seat
        self._rules = compiled.rules
        self._decks = compiled.decks
        self._known = Knowledge(seat, [0] * len(compiled.ring))

    def learn(self, part: Any) -> None:
        """Take in a public or private part of an event, as `redact` shows it to the seat."""
        match part:
            case DealtView(sizes=sizes):
                self._known = Knowledge(self._seat, sizes or ())
            case HandDealt() | CardsLaid() | CardsShown() | CardsTaken():
                self._learn_own_cards(part)
            case PlayedView():
                self._known.lay(part.seat, RANKS[part.rank], part.count, part.laid, emptied=part.emptied)
                if part.cards is not None and part.seat != self._seat:
                    self._known.lay_open(part.cards)
            case CalledView() | BelievedView() | HandCheckedView():
                self._learn_verdict(part)
            case PileBanishedView(card_count):
                self._known.banish(card_count or 0)
            case SeatLeftView():
                self._known.leave(part.seat, part.card_count or 0)
            case _:
                pass  # the other parts say nothing about cards

    def _learn_own_cards(self, part: HandDealt | CardsLaid | CardsShown | CardsTaken) -> None:
        match part:
            case HandDealt(hand):
                self._known.deal_own(cards_from_hand(hand))
            case CardsLaid(cards):
                self._known.lay_own(cards)
            case CardsShown(cards):
                self._known.show(cards)
            case CardsTaken(taken):
                self._known.take(cards_from_hand(taken))

    def _learn_verdict(self, part: CalledView | BelievedView | HandCheckedView) -> None:
        known = self._known
        match part:
            case CalledView():
                known.judge(is_lie=part.right)
                known.assign_pile(part.taker, part.taken or 0)
                self._show(part.cards, part.rest)
            case BelievedView():
                known.judge(is_lie=not part.right)
                known.assign_pile(known.gone if part.taker is None else part.taker, part.pile_size or 0)
                self._show(part.cards, part.rest)
            case HandCheckedView():
                known.judge(is_lie=not part.is_true)
                if not part.is_true:
                    known.assign_pile(part.seat, part.taken or 0)

    def hidden_cards(self) -> HiddenCards | None:
        """Return what the seat does not see now; None if the bookkeeping does not add up.

        With several packs this can happen: equal cards cannot be told apart, so a seen card may be counted twice.
        """
        known = self._known
        known.move_pile()
        places, sizes = self._places()
        indexes = {bit: index for index, bit in enumerate(places) if sizes[index]}
        rest = Counter(sorted_deck(self._decks, self._rules.jokers_per_deck))
        rest.subtract(map(int, known.hand))
        groups = []
        for mask, counts in known.elsewhere.groups.items():
            cards = bytes([code for code, number in counts.items() for _ in range(number)])
            rest.subtract(cards)
            allowed = tuple([index for bit, index in indexes.items() if mask >> bit & 1])
            if allowed:
                groups.append((allowed, cards))
        unseen = bytes(rest.elements())
        is_sound = min(rest.values(), default=0) >= 0
        if not is_sound or len(unseen) + sum(len(cards) for _, cards in groups) != sum(sizes):
            return None
        return HiddenCards(tuple(sizes), tuple(groups), unseen)

    def _places(self) -> tuple[list[int], list[int]]:
        """Return the bit numbers and the numbers of hidden cards of all places, in the order of `HiddenCards`."""
        known = self._known
        hands = [0 if seat == self._seat else size or 0 for seat, size in enumerate(known.sizes)]
        moves = [0 if claim.cards is not None else claim.laid or 0 for claim in known.pile]
        left = [size or 0 for size in known.abandoned.values()]
        bits = [*range(known.gone + 1), *[claim.layer for claim in known.pile], *known.abandoned]
        return bits, [*hands, known.banished_size, *moves, *left]

    def _show(self, cards: bytes | None, rest: Hand | None) -> None:
        if cards is not None:
            self._known.show(cards, None if rest is None else cards_from_hand(rest))
