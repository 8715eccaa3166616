"""What a viewer of Cheat may know (spec A9): which cards it was shown, and what it may learn from each event."""

from collections import Counter
from random import Random
from typing import Any

from arena.games.cheat.rules import events
from arena.games.cheat.rules.cards import Hand, cards_from_hand, hand_from_cards
from arena.games.cheat.rules.ruleset import CheckMode, Ruleset
from arena.games.cheat.rules.state import Layer, State
from arena.games.cheat.rules.tricks import pile_layers
from arena.match.game import Seat

Cards = Counter[int]


class CheatKnowledgeTracker:
    """Tracks the cards that one viewer was shown. Implements `arena.games.secrecy.knowledge_model.KnowledgeTracker`."""

    def __init__(self, rules: Ruleset, seat_count: int, viewer: Seat | None) -> None:
        self._rules = rules
        self._viewer = viewer
        self._hands = [Cards() for _ in range(seat_count)]
        """By seat, the cards in hand that the viewer was shown. The entry of the viewer itself is not used."""
        self._layers: list[Cards] = []
        """For each move on the pile, lowest first: the cards of this move that the viewer was shown."""
        self._bottom: list[Cards] = []
        """For each seat that left cards under the pile, lowest first: which of these cards the viewer was shown."""
        self._banished = Cards()
        """The banished cards that the viewer was shown."""

    # ---- tracking shown cards

    def follow(self, event: Any) -> None:
        match event:
            case events.Played():
                cards = Cards(event.cards)
                is_seen = event.face_up or event.seat == self._viewer
                self._layers.append(cards if is_seen else cards & self._hands[event.seat])
                self._hands[event.seat] -= cards
            case events.Called():
                self._track_check(event.check, event.caller, event.cards, event.taken)
                self._hands[event.taker] += self._take_pile()
            case events.Believed():
                self._track_check(event.check, event.believer, event.cards, event.pile)
                if event.right:
                    self._banished += self._take_pile()
                else:
                    self._hands[event.believer] += self._take_pile()
            case events.HandChecked(is_true=False):
                self._hands[event.seat] += self._take_pile()
            case events.PileBanished():
                self._banished += self._take_pile()
            case events.SeatLeft():
                left = Cards(cards_from_hand(event.cards))
                if left:
                    self._bottom.insert(0, left if event.seat == self._viewer else left & self._hands[event.seat])
                self._hands[event.seat] = Cards()
            case _:
                pass

    def _track_check(self, check: CheckMode, caller: Seat, cards: bytes, pile: Hand) -> None:
        """Record the cards that a call or belief shows the viewer."""
        if check is CheckMode.PUBLIC_PLUS:
            self._layers, self._bottom = [Cards(cards_from_hand(pile))], []
        elif check is CheckMode.PUBLIC or (check is CheckMode.CALLER and caller == self._viewer):
            self._layers[-1] = Cards(cards)

    def _take_pile(self) -> Cards:
        """Clear the pile, and return the pile's cards that the viewer was shown."""
        known = sum([*self._bottom, *self._layers], Cards())
        self._layers, self._bottom = [], []
        return known

    # ---- redealing

    def redeal_unknown(self, state: State, random: Random) -> State:
        """Return the state after reshuffling the cards that the viewer was not shown. No hand or layer changes size."""
        draft = state.draft()
        draft.step = state.step
        if state.packets is not None:
            draft.packets = state.packets._replace(
                deck=bytes(random.sample(state.packets.deck, len(state.packets.deck)))
            )
            return draft
        moves = list(pile_layers(state))[::-1]
        hands = [Cards(cards_from_hand(hand)) for hand in state.hands]
        known_hands = [hand if seat == self._viewer else self._hands[seat] for seat, hand in enumerate(hands)]
        places = [
            *hands,
            *(Cards(bottom.cards) for bottom in state.bottom),
            *(Cards(layer.cards) for layer in moves),
            Cards(cards_from_hand(state.banished)),
        ]
        known = [*known_hands, *self._bottom, *self._layers, self._banished]
        self._put_back(draft, moves, _mix_unknown(places, known, random))
        return draft

    @staticmethod
    def _put_back(draft: State, moves: list[Layer], mixed: list[Cards]) -> None:
        """Put the redealt cards into a state. `mixed` lists hands, cards under the pile, moves and banished cards."""
        seat_count, bottom_count = len(draft.hands), len(draft.bottom)
        draft.hands = tuple(hand_from_cards(cards.elements()) for cards in mixed[:seat_count])
        bottoms = mixed[seat_count : seat_count + bottom_count]
        draft.bottom = tuple(
            bottom._replace(cards=_to_sorted_bytes(cards)) for bottom, cards in zip(draft.bottom, bottoms, strict=True)
        )
        top: Layer | None = None
        last = draft.last
        for move, cards in zip(moves, mixed[seat_count + bottom_count : -1], strict=True):
            top = Layer(move.claim, _to_sorted_bytes(cards), top, move.face_up)
            if last is move:
                draft.last = top
        draft.pile = top
        draft.banished = hand_from_cards(mixed[-1].elements())

    # ---- lawful knowledge

    def visible_part(self, event: Any) -> Any:
        is_sized = self._rules.sizes_visible
        match event:
            case events.Dealt():
                sizes = tuple(map(sum, event.hands)) if is_sized else None
                own = None if self._viewer is None else event.hands[self._viewer]
                return "dealt", sizes, event.first, event.dealer, own
            case events.Played():
                cards = event.cards if event.face_up or event.seat == self._viewer else None
                laid = len(event.cards) if is_sized or cards is not None else None
                return "played", event.seat, event.rank, event.count, event.emptied, event.to_move, laid, cards
            case events.Called():
                shown = self._visible_check(event.check, event.caller, event.cards, event.taken)
                taken = self._visible_pile(event.taken, event.taker)
                return "called", event.caller, event.accused, event.right, event.taker, event.to_move, shown, taken
            case events.Believed():
                shown = self._visible_check(event.check, event.believer, event.cards, event.pile)
                taken = self._visible_pile(event.pile, None if event.right else event.believer)
                return "believed", event.believer, event.mover, event.right, event.to_move, shown, taken
            case events.HandChecked():
                taken = () if event.is_true else self._visible_pile(event.pile, event.seat)
                return "checked", event.seat, event.is_true, taken
            case events.PileBanished():
                return "banished", self._visible_pile(event.cards, None)
            case events.SeatLeft():
                taken = self._visible_pile(event.cards, None)
                return "left", event.seat, event.place, event.to_move, taken
            case events.Overruled():
                return "overruled", event.seat == self._viewer
            case _:
                return event  # passes, tricks, places, windows, cuts and choices are public

    def _visible_check(self, check: CheckMode, caller: Seat, cards: bytes, pile: Hand) -> Any:
        """Return what a call or belief shows the viewer: the called cards, perhaps with the pile, or nothing."""
        if check is CheckMode.PUBLIC_PLUS:
            return cards, pile
        is_seen = check is CheckMode.PUBLIC or (check is CheckMode.CALLER and caller == self._viewer)
        return cards if is_seen else None

    def _visible_pile(self, pile: Hand, taker: Seat | None) -> Any:
        """Return what the viewer learns about a pile that moves: its cards, its size, or nothing."""
        if taker is not None and taker == self._viewer:
            return pile
        return sum(pile) if self._rules.sizes_visible else None


def _mix_unknown(places: list[Cards], known: list[Cards], random: Random) -> list[Cards]:
    """Shuffle the unknown cards of all places together. Each place keeps its known cards and its number of cards."""
    unknown = [list((held - seen).elements()) for held, seen in zip(places, known, strict=True)]
    pool = [code for cards in unknown for code in cards]
    random.shuffle(pool)
    mixed = []
    for seen, cards in zip(known, unknown, strict=True):
        dealt, pool = pool[: len(cards)], pool[len(cards) :]
        mixed.append(seen + Cards(dealt))
    return mixed


def _to_sorted_bytes(cards: Cards) -> bytes:
    return bytes(sorted(cards.elements()))
