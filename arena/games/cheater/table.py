"""Follows the public state of a game of CHEATER from its public facts.

No fact says that a turn is over. So a turn lasts here until the dice of the next one, which follow at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from arena.games.cheater.rules import events, views
from arena.games.cheater.rules.actions import Attack
from arena.games.cheater.rules.cards import HAND_SIZE, sort_cards, without_cards
from arena.games.cheater.rules.state import PendingAttack, Phase
from arena.games.cheater.rules.views import CheaterSnapshot
from arena.match.game import Seat


def follow(state: CheaterSnapshot, part: Any) -> CheaterSnapshot:
    """Return what everybody knows after the public part of an event."""
    handler = _HANDLERS.get(type(part))
    return state if handler is None else handler(state, part)


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
    sizes = _with_size(state, part.seat, state.hand_sizes[part.seat] + part.count)
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
    return replace(state, known=_with_known(state, part.seat, part.cards), phase=phase)


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
        hand_sizes=_with_size(state, seat, 0),
        known=_with_known(state, seat, b""),
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
    known = _with_known(state, seat, without_cards(state.known[seat], cards))
    return replace(state, hand_sizes=_with_size(state, seat, state.hand_sizes[seat] - len(cards)), known=known)


def _gain(state: CheaterSnapshot, seat: Seat, card: int) -> CheaterSnapshot:
    """Return the state in which a hand has gained a card in view of all seats."""
    known = _with_known(state, seat, sort_cards((*state.known[seat], card)))
    return replace(state, hand_sizes=_with_size(state, seat, state.hand_sizes[seat] + 1), known=known)


def _with_size(state: CheaterSnapshot, seat: Seat, size: int) -> tuple[int, ...]:
    return (*state.hand_sizes[:seat], size, *state.hand_sizes[seat + 1 :])


def _with_known(state: CheaterSnapshot, seat: Seat, cards: bytes) -> tuple[bytes, ...]:
    return (*state.known[:seat], cards, *state.known[seat + 1 :])


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
