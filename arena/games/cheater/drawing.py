"""Draws a game of CHEATER as everybody may know it. `table` follows its state."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from arena.games.cheater import table as cheater_table
from arena.games.cheater.phrasing import CheaterPhrasing
from arena.games.cheater.rules import events
from arena.games.cheater.rules.cards import card_texts
from arena.games.cheater.rules.state import Phase
from arena.games.cheater.rules.views import CheaterSnapshot
from arena.match.game import Seat
from arena.match.referee.terms import Terms
from arena.plurals import format_count
from arena.replays.watch.drawing import DrawnCards, DrawnRow, DrawnSeat

_SHOWN_ROWS: Final = ("CHEATER", "turn")
"""Rows of the phrasing that the drawing takes as they are."""
_ATTACK_PARTS: Final = (events.Hidden, events.HandShown, events.DieRolled, events.Taken, events.Busted)
"""What may come of an attack."""


class CheaterDrawing:
    """Implements `arena.replays.watch.game_drawing.GameDrawing` for CHEATER."""

    def __init__(self) -> None:
        self._phrasing = CheaterPhrasing()

    def follow(self, _terms: Terms, state: CheaterSnapshot, part: Any) -> CheaterSnapshot:
        """Return the state after the public part of an event."""
        return cheater_table.follow(state, part)

    def count_turns(self, state: CheaterSnapshot) -> int:
        """Return the number of turns that have begun. A turn begins with its dice."""
        return state.turns + bool(state.dice)

    def draw_seats(self, _terms: Terms, state: CheaterSnapshot) -> Sequence[DrawnSeat]:
        """Return the seats. Cards that everybody knows to be in a hand are faces."""
        return [
            DrawnSeat(
                seat=seat,
                name="",
                hand=DrawnCards(tuple(card_texts(state.known[seat])), size - len(state.known[seat])),
                is_to_move=seat == state.to_move,
                is_asked=seat == _find_asked_seat(state),
                badges=tuple(_badges(state, seat)),
                place=state.places[seat],
            )
            for seat, size in enumerate(state.hand_sizes)
        ]

    def draw_centre(self, _terms: Terms, state: CheaterSnapshot) -> Sequence[DrawnRow]:
        """Return both piles, the CHEATER, and the turn so far with its dice."""
        rows = dict(self._phrasing.snapshot_rows(state, Seat(len(state.hand_sizes))))
        draw_pile = DrawnCards(back_count=state.draw_count)
        return [
            _draw_discards(state.discards),
            DrawnRow("to draw", format_count(state.draw_count, "card"), (draw_pile,)),
            *(DrawnRow(label, rows[label]) for label in _SHOWN_ROWS),
        ]

    def follow_verdict(self, verdict: DrawnRow | None, part: Any) -> DrawnRow | None:
        """Return the last attack and what came of it, or the win."""
        if isinstance(part, events.Won):
            return DrawnRow("win", self._phrasing.describe_part(part))
        if not isinstance(part, (events.Attacked, *_ATTACK_PARTS)):
            return verdict
        text = self._phrasing.describe_part(part)
        cards = (DrawnCards(tuple(card_texts(part.cards))),) if isinstance(part, events.HandShown) else ()
        if isinstance(part, events.Attacked) or verdict is None:
            return DrawnRow("last attack", text, cards)
        return DrawnRow(verdict.label, f"{verdict.text}; {text}", (*verdict.cards, *cards))


def _draw_discards(discards: bytes) -> DrawnRow:
    """Return the discard pile. Only its top card is drawn, because no other can be taken."""
    if not discards:
        return DrawnRow("discards", "none")
    (top,) = card_texts(discards[-1:])
    below = format_count(len(discards) - 1, "card")
    return DrawnRow("discards", f"{top} on top of {below}", (DrawnCards((top,)),))


def _badges(state: CheaterSnapshot, seat: int) -> Iterator[str]:
    if seat == state.cheater:
        yield "CHEATER"
    if state.attacking is not None and seat == state.attacking.target:
        yield "attacked"


def _find_asked_seat(state: CheaterSnapshot) -> Seat | None:
    """Return the seat that is asked something; None while cards or dice are awaited."""
    if state.phase is Phase.REACTION and state.attacking is not None:
        return state.attacking.target
    return state.to_move if state.phase in (Phase.ACT, Phase.DISCARD, Phase.PICK) else None
