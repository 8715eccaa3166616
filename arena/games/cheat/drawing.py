"""Draws a game of Cheat as everybody may know it. `table` follows its state."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from arena.games.cheat import table as cheat_table
from arena.games.cheat.phrasing import CheatPhrasing
from arena.games.cheat.rules import view_types
from arena.games.cheat.rules.cards import card_texts, cards_from_hand
from arena.games.cheat.rules.ruleset import CallMode, DealMode
from arena.games.cheat.rules.state import Claim
from arena.games.cheat.rules.view_types import CheatSnapshot
from arena.match.game import Seat, Style
from arena.match.referee.terms import Terms
from arena.plurals import format_count
from arena.replays.watch.drawing import DrawnCards, DrawnRow, DrawnSeat

_VERDICTS: Final = (view_types.CalledView, view_types.BelievedView, view_types.HandCheckedView)
_SHOWN_ROWS: Final = ("to follow", "required", "banished", "packets")
"""Rows of the phrasing that the drawing takes as they are. Seats and their badges show the others."""


class CheatDrawing:
    """Implements `arena.replays.watch.game_drawing.GameDrawing` for Cheat."""

    def __init__(self) -> None:
        self._phrasing = CheatPhrasing()

    def follow(self, terms: Terms, state: CheatSnapshot, part: Any) -> CheatSnapshot:
        """Return the state after the public part of an event."""
        return cheat_table.follow(terms, state, part)

    def count_turns(self, state: CheatSnapshot) -> int:
        """Return the number of card moves and passes so far."""
        return state.landed

    def draw_seats(self, terms: Terms, state: CheatSnapshot) -> Sequence[DrawnSeat]:
        """Return the seats, with all hands as backs."""
        asked = set(_find_asked_seats(terms, state))
        return [
            DrawnSeat(
                seat=seat,
                name="",
                hand=DrawnCards(back_count=size),
                is_to_move=seat == state.to_move,
                is_asked=seat in asked,
                badges=("passed",) if seat in state.passed else (),
                place=state.places[seat],
            )
            for seat, size in enumerate(state.hand_sizes)
        ]

    def draw_centre(self, terms: Terms, state: CheatSnapshot) -> Sequence[DrawnRow]:
        """Return the pile, the claim that may be called, and what the next claim must follow."""
        to_call = _claim_to_call(terms, state)
        nobody = Seat(len(state.hand_sizes))
        others = dict(self._phrasing.snapshot_rows(state, nobody))
        return [
            _draw_pile(state.pile),
            DrawnRow("to call", "nothing" if to_call is None else others["to call"]),
            *(DrawnRow(label, others[label]) for label in _SHOWN_ROWS if label in others),
        ]

    def follow_verdict(self, verdict: DrawnRow | None, part: Any) -> DrawnRow | None:
        """Return the last call, belief or check, with the cards that it has shown to everybody."""
        if not isinstance(part, _VERDICTS):
            return verdict
        return DrawnRow("last call", self._phrasing.describe_part(part), tuple(_draw_shown_cards(part)))


def _draw_pile(pile: Sequence[view_types.LayerView]) -> DrawnRow:
    """Return the pile with its cards, each move apart, bottom first."""
    if not pile:
        return DrawnRow("pile", "empty")
    layers = tuple(_draw_layer(layer) for layer in pile)
    counts = [cards.count for cards in layers if cards.count is not None]
    size = format_count(sum(counts), "card") if len(counts) == len(layers) else "unknown number of cards"
    faces = [card for cards in layers for card in cards.faces]
    face_up = f", face up: {' '.join(faces)}" if faces else ""
    return DrawnRow("pile", f"{size} from {format_count(len(pile), 'move')}{face_up}", layers)


def _draw_layer(layer: view_types.LayerView) -> DrawnCards:
    return DrawnCards(back_count=layer.laid) if layer.cards is None else DrawnCards(tuple(card_texts(layer.cards)))


def _draw_shown_cards(verdict: Any) -> Iterator[DrawnCards]:
    """Yield the cards of the judged move, and then the rest of the pile, if the ruleset shows them to everybody."""
    if isinstance(verdict, view_types.HandCheckedView):
        return
    if verdict.cards is not None:
        yield DrawnCards(tuple(card_texts(verdict.cards)))
    if verdict.rest is not None:
        yield DrawnCards(tuple(card_texts(cards_from_hand(verdict.rest))))


def _claim_to_call(terms: Terms, state: CheatSnapshot) -> Claim | None:
    """Return the claim that may be called; None if there is none, or if nobody may call it."""
    return state.last if state.pile and any(_callers(terms, state)) else None


def _callers(terms: Terms, state: CheatSnapshot) -> Iterable[bool]:
    """Return for each seat whether it may call the last move (spec A7)."""
    last = state.last
    if last is None:
        return [False] * len(state.hand_sizes)
    is_anybody = terms.ruleset.any_caller or state.to_move is None
    return [
        size != 0 and seat != last.seat and (is_anybody or seat == state.to_move)
        for seat, size in enumerate(state.hand_sizes)
    ]


def _find_asked_seats(terms: Terms, state: CheatSnapshot) -> Iterator[int]:
    """Yield the seats that are asked something, as far as everybody knows (spec A7, A12)."""
    if not any(size != 0 for size in state.hand_sizes):  # before the deal
        if terms.ruleset.deal is DealMode.CUT_AND_CHOOSE:
            yield _seat_to_cut_or_choose(state)
        return
    callers = [seat for seat, may_call in enumerate(_callers(terms, state)) if may_call]
    is_window = bool(callers) and (terms.ruleset.call_mode is CallMode.WINDOW or state.to_move is None)
    if is_window:
        yield from callers
    if state.to_move is not None and not (is_window and terms.pace.style is Style.SEALED):
        yield state.to_move


def _seat_to_cut_or_choose(state: CheatSnapshot) -> int:
    """Return the seat whose cut or choice is next: the dealer, and then the seats after it, clockwise."""
    taken = sum(packet.taker is not None for packet in state.packets)
    return state.dealer if not state.packets else (state.dealer + 1 + taken) % len(state.hand_sizes)
