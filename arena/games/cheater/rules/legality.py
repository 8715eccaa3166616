"""Decides which actions are legal, and gives the code of the rule that an illegal action breaks.

docs/rules/cases.md lists the codes, and says in which order the rules are checked.
"""

from collections.abc import Mapping
from typing import assert_never

from arena.games.cheater.rules.actions import (
    Action,
    Allow,
    Attack,
    Bust,
    Demand,
    Discard,
    Draw,
    DrawTwo,
    Hide,
    Idle,
    Play,
    Take,
    TakeTop,
)
from arena.games.cheater.rules.attacks import ATTACK_BY_CARD
from arena.games.cheater.rules.cards import HAND_SIZE, HIDE, WILD, has_card, has_cards
from arena.games.cheater.rules.state import Phase, State
from arena.match.game import Seat

HIDING_CARDS = bytes((HIDE, WILD))
_PLAYABLE_CARDS = bytes(sorted((*ATTACK_BY_CARD, WILD)))
"""Cards that may be played at another seat."""

_PHASE_BY_ACTION: Mapping[type, Phase] = {
    **dict.fromkeys((Draw, DrawTwo, TakeTop, Demand, Play, Idle), Phase.ACT),
    Discard: Phase.DISCARD,
    **dict.fromkeys((Allow, Hide), Phase.REACTION),
    **dict.fromkeys((Take, Bust), Phase.PICK),
}
_ANSWER_TYPES = (Allow, Hide)


def why_illegal(state: State, seat: Seat, action: Action, kind: str | None = None) -> str | None:
    if state.ended is not None:
        return "game_over"
    is_answer = isinstance(action, _ANSWER_TYPES)
    if not is_answer and seat != state.turn:
        return "not_your_turn"
    if state.phase is not _PHASE_BY_ACTION[type(action)] or kind not in (None, state.phase._value_):
        return "not_now"
    if is_answer and (state.attacking is None or seat != state.attacking.target):
        return "not_now"
    return _why_illegal_in_phase(state, seat, action)


def usable_powers(state: State) -> tuple[int, ...]:
    """Return the powers that the seat in turn may use. Power 2 needs a card on the discard pile."""
    if state.cheater != state.turn:
        return ()
    return (1, 2, 3) if state.discards else (1, 3)


def playable_cards(state: State, seat: Seat) -> bytes:
    """Return which cards of a hand may be played at another seat, ascending and without repeats."""
    hand = state.hands[seat]
    return bytes([card for card in _PLAYABLE_CARDS if card in hand])


def hiding_cards(state: State, seat: Seat) -> bytes:
    """Return which cards of a hand would hide the hand, ascending and without repeats."""
    hand = state.hands[seat]
    return bytes([card for card in HIDING_CARDS if card in hand])


def surplus_count(state: State) -> int:
    """Return by how many cards the hand of the seat in turn exceeds seven."""
    return len(state.hands[state.turn]) - HAND_SIZE


def _why_illegal_in_phase(state: State, seat: Seat, action: Action) -> str | None:
    """Judge an action that fits the phase and comes from the seat that is asked."""
    match action:
        case Draw() | Idle() | Allow():
            return None
        case DrawTwo():
            return _why_no_power(state, 1)
        case TakeTop():
            return _why_no_power(state, 2)
        case Demand(target):
            return _why_no_power(state, 3) or _why_no_target(state, target)
        case Play():
            return _why_no_play(state, action)
        case Discard(cards):
            return _why_no_discard(state, cards)
        case Hide(card):
            if not has_card(HIDING_CARDS, card):
                return "not_playable"
            return None if has_card(state.hands[seat], card) else "not_in_hand"
        case Take():
            return _why_no_take(state, action)
        case Bust(cards):
            return _why_no_bust(state, cards)
        case _:
            assert_never(action)


def _why_no_power(state: State, power: int) -> str | None:
    if state.cheater != state.turn:
        return "not_cheater"
    return None if power in usable_powers(state) else "not_now"


def _why_no_target(state: State, target: Seat) -> str | None:
    return None if target in state.other_seats(state.turn) else "bad_target"


def _why_no_play(state: State, play: Play) -> str | None:
    if not has_card(state.hands[state.turn], play.card):
        return "not_in_hand"
    if not _is_attack(play):
        return "not_playable"
    return _why_no_target(state, play.target)


def _is_attack(play: Play) -> bool:
    """Return whether the play is an attack: a WILD as another card, or an attack card as itself."""
    if play.card == WILD:
        return play.wild_as in ATTACK_BY_CARD.values()
    return play.card in ATTACK_BY_CARD and play.wild_as is None


def _why_no_discard(state: State, cards: bytes) -> str | None:
    if not has_cards(state.hands[state.turn], cards):
        return "not_in_hand"
    if len(cards) > surplus_count(state):
        return "too_many"
    return "too_few" if len(cards) < surplus_count(state) else None


def _why_no_take(state: State, take: Take) -> str | None:
    """Judge a card taken with TAKE or power 3. Only power 3 also discards a card, which may be the one taken."""
    attacking = state.attacking
    if attacking is None or attacking.attack is Attack.BUST:
        return "not_now"
    if not has_card(state.hands[attacking.target], take.card):
        return "not_in_hand"
    if attacking.attack is Attack.TAKE:
        return None if take.discard is None else "too_many"
    if take.discard is None:
        return "too_few"
    is_held = take.discard == take.card or has_card(state.hands[state.turn], take.discard)
    return None if is_held else "not_in_hand"


def _why_no_bust(state: State, cards: bytes) -> str | None:
    attacking = state.attacking
    if attacking is None or attacking.attack is not Attack.BUST:
        return "not_now"
    if not has_cards(state.hands[attacking.target], cards):
        return "not_in_hand"
    return "too_many" if len(cards) > state.die else None
