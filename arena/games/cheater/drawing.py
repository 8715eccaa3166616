"""Draws a game of CHEATER as everybody may know it, and follows its public state from its public facts.

No fact says that a turn is over. So a turn lasts here until the dice of the next one, which follow at once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from arena.games.cheater.phrasing import CheaterPhrasing
from arena.games.cheater.rules import events, views
from arena.games.cheater.rules.actions import Attack
from arena.games.cheater.rules.cards import COLORS, HAND_SIZE, NAMES, TAKE, card_texts, sort_cards, without_cards
from arena.games.cheater.rules.state import PendingAttack, Phase
from arena.games.cheater.rules.views import CheaterSnapshot
from arena.match.game import Seat
from arena.match.referee.terms import Terms
from arena.plurals import format_count
from arena.replays.watch.drawing import CardFace, DrawnCards, DrawnRow, DrawnSeat
from arena.replays.watch.game_drawing import replace_at

_SHOWN_ROWS: Final = ("CHEATER", "turn")
"""Rows of the phrasing that the drawing takes as they are."""
_COLOURS: Final = dict(zip(COLORS, ("red", "yellow", "purple", "blue"), strict=True))
_FACES: Final = {
    name: CardFace(name) if code >= TAKE else CardFace(name[1], name[0], _COLOURS[name[0]])
    for code, name in enumerate(NAMES)
}
Seen = Mapping[Seat, CheaterSnapshot]
_ATTACK_PARTS: Final = (events.Hidden, events.HandShown, events.DieRolled, events.Taken, events.Busted)
"""What may come of an attack."""


class CheaterDrawing:
    """Implements `arena.replays.watch.game_drawing.GameDrawing` for CHEATER."""

    def __init__(self) -> None:
        self._phrasing = CheaterPhrasing()

    @property
    def faces(self) -> Mapping[str, CardFace]:
        return _FACES

    def follow(self, _terms: Terms, state: CheaterSnapshot, part: Any) -> CheaterSnapshot:
        handler = _HANDLERS.get(type(part))
        return state if handler is None else handler(state, part)

    def count_turns(self, state: CheaterSnapshot) -> int:
        """Return the number of turns that have begun. A turn begins with its dice."""
        return state.turns + bool(state.dice)

    def draw_seats(self, _terms: Terms, state: CheaterSnapshot, seen: Seen) -> Sequence[DrawnSeat]:
        """Return the seats. Cards that everybody knows to be in a hand are faces."""
        return [
            DrawnSeat(
                seat=seat,
                name="",
                hand=_draw_hand(size, state.known[seat], Seat(seat), seen),
                is_to_move=seat == state.to_move,
                is_asked=seat == _find_asked_seat(state),
                badges=tuple(_badges(state, seat)),
                place=state.places[seat],
            )
            for seat, size in enumerate(state.hand_sizes)
        ]

    def draw_centre(self, _terms: Terms, state: CheaterSnapshot, _seen: Seen) -> Sequence[DrawnRow]:
        """Return both piles, the CHEATER, and the turn so far with its dice."""
        rows = dict(self._phrasing.snapshot_rows(state, Seat(len(state.hand_sizes))))
        draw_pile = DrawnCards(back_count=state.draw_count)
        dice = {"turn": (*state.dice, *([state.die] if state.die else []))}
        return [
            _draw_discards(state.discards),
            DrawnRow("to draw", format_count(state.draw_count, "card"), (draw_pile,)),
            *(DrawnRow(label, rows[label], dice=dice.get(label, ())) for label in _SHOWN_ROWS),
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


def _draw_hand(size: int, known: bytes, seat: Seat, seen: Seen) -> DrawnCards:
    faces = tuple(card_texts(known))
    if seat not in seen:
        return DrawnCards(faces, size - len(known))
    return DrawnCards(faces, own_faces=tuple(card_texts(without_cards(seen[seat].hand or b"", known))), seat=seat)


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


def _follow_deal(state: CheaterSnapshot, part: views.DealtView) -> CheaterSnapshot:
    sizes, known = (HAND_SIZE,) * part.seat_count, (b"",) * part.seat_count
    return replace(
        state,
        hand_sizes=sizes,
        known=known,
        discards=bytes((part.top,)),
        draw_count=part.draw_count,
        phase=Phase.START,
    )


def _follow_start(state: CheaterSnapshot, part: events.StartRolled) -> CheaterSnapshot:
    return state if part.first is None else replace(state, to_move=part.first, phase=Phase.ROLL)


def _follow_roll(state: CheaterSnapshot, part: events.Rolled) -> CheaterSnapshot:
    return replace(
        state,
        turns=state.turns + bool(state.dice),
        to_move=part.seat,
        dice=part.dice,
        cheater=part.cheater,
        attacking=None,
        die=0,
        phase=Phase.ROLL if part.is_lost else Phase.ACT,
    )


def _follow_draw(state: CheaterSnapshot, part: views.DrewView) -> CheaterSnapshot:
    sizes = replace_at(state.hand_sizes, part.seat, state.hand_sizes[part.seat] + part.count)
    is_own = state.attacking is None and part.seat == state.to_move
    phase = Phase.DISCARD if is_own else state.phase
    return replace(state, hand_sizes=sizes, draw_count=state.draw_count - part.count, phase=phase)


def _follow_top(state: CheaterSnapshot, part: events.TookTop) -> CheaterSnapshot:
    return _gain(replace(state, discards=state.discards[:-1], phase=Phase.DISCARD), part.seat, part.card)


def _follow_discard(state: CheaterSnapshot, part: events.Discarded) -> CheaterSnapshot:
    return replace(_lay(state, part.seat, part.cards), phase=Phase.ROLL)


def _follow_attack(state: CheaterSnapshot, part: events.Attacked) -> CheaterSnapshot:
    laid = state if part.card is None else _lay(state, part.seat, bytes((part.card,)))
    return replace(laid, attacking=PendingAttack(part.attack, part.target, part.card), phase=Phase.REACTION)


def _follow_hide(state: CheaterSnapshot, part: events.Hidden) -> CheaterSnapshot:
    return replace(_lay(state, part.seat, bytes((part.card,))), phase=Phase.ROLL)


def _follow_shown_hand(state: CheaterSnapshot, part: events.HandShown) -> CheaterSnapshot:
    phases = {Attack.TAKE: Phase.PICK, Attack.DEMAND: Phase.PICK, Attack.BUST: Phase.DIE, Attack.SHOW: Phase.ROLL}
    phase = state.phase if state.attacking is None else phases[state.attacking.attack]
    return replace(state, known=replace_at(state.known, part.seat, part.cards), phase=phase)


def _follow_die(state: CheaterSnapshot, part: events.DieRolled) -> CheaterSnapshot:
    return replace(state, die=part.value, phase=Phase.PICK)


def _follow_taking(state: CheaterSnapshot, part: events.Taken) -> CheaterSnapshot:
    lost = _lose(state, part.target, bytes((part.card,)))
    return replace(_gain(lost, part.seat, part.card), phase=Phase.ROLL)


def _follow_bust(state: CheaterSnapshot, part: events.Busted) -> CheaterSnapshot:
    return replace(_lay(state, part.target, part.cards), phase=Phase.ROLL)


def _follow_reshuffle(state: CheaterSnapshot, part: events.Reshuffled) -> CheaterSnapshot:
    return replace(state, discards=state.discards[-1:], draw_count=part.draw_count)


def _follow_leave(state: CheaterSnapshot, part: views.SeatLeftView) -> CheaterSnapshot:
    seat, attacking = part.seat, state.attacking
    breaks_turn = seat == state.to_move or (attacking is not None and seat == attacking.target)
    return replace(
        state,
        hand_sizes=replace_at(state.hand_sizes, seat, 0),
        known=replace_at(state.known, seat, b""),
        draw_count=state.draw_count + part.card_count,
        places=(*state.places[:seat], part.place, *state.places[seat + 1 :]),
        cheater=part.cheater,
        phase=Phase.DRAWS if breaks_turn else state.phase,
    )


def _follow_end(state: CheaterSnapshot, _part: events.Won | events.Stopped) -> CheaterSnapshot:
    return replace(state, to_move=None)


def _lay(state: CheaterSnapshot, seat: Seat, cards: bytes) -> CheaterSnapshot:
    return replace(_lose(state, seat, cards), discards=state.discards + cards)


def _lose(state: CheaterSnapshot, seat: Seat, cards: bytes) -> CheaterSnapshot:
    """Return the state in which a hand has lost cards in view of all seats."""
    known = replace_at(state.known, seat, without_cards(state.known[seat], cards))
    return replace(
        state, hand_sizes=replace_at(state.hand_sizes, seat, state.hand_sizes[seat] - len(cards)), known=known
    )


def _gain(state: CheaterSnapshot, seat: Seat, card: int) -> CheaterSnapshot:
    """Return the state in which a hand has gained a card in view of all seats."""
    known = replace_at(state.known, seat, sort_cards((*state.known[seat], card)))
    sizes = replace_at(state.hand_sizes, seat, state.hand_sizes[seat] + 1)
    return replace(state, hand_sizes=sizes, known=known)


_HANDLERS: Mapping[type, Callable[[CheaterSnapshot, Any], CheaterSnapshot]] = {
    views.DealtView: _follow_deal,
    views.DrewView: _follow_draw,
    views.SeatLeftView: _follow_leave,
    events.StartRolled: _follow_start,
    events.Rolled: _follow_roll,
    events.TookTop: _follow_top,
    events.Discarded: _follow_discard,
    events.Attacked: _follow_attack,
    events.Hidden: _follow_hide,
    events.HandShown: _follow_shown_hand,
    events.DieRolled: _follow_die,
    events.Taken: _follow_taking,
    events.Busted: _follow_bust,
    events.Reshuffled: _follow_reshuffle,
    events.Won: _follow_end,
    events.Stopped: _follow_end,
}
"""The function that follows each public part, by its type."""
