"""Transitions: the effect of each answer, from one state to the next (spec B3)."""

from collections.abc import Mapping

from arena.games.cheater.rules.actions import (
    ALLOW,
    Action,
    Attack,
    Demand,
    Discard,
    Draw,
    DrawTwo,
    Idle,
    Play,
    TakeTop,
)
from arena.games.cheater.rules.attacks import ATTACK_BY_CARD, announce_attack, pick_cards, react_to_attack
from arena.games.cheater.rules.events import Event, TookTop
from arena.games.cheater.rules.flow import advance, discard, end_turn, open_question, schedule_draws
from arena.games.cheater.rules.questions import automatic_action
from arena.games.cheater.rules.state import AfterDraws, OwedDraw, PendingAttack, Phase, State
from arena.games.cheater.rules.winning import win_if_spelled
from arena.match.game import Seat, Transition


def resolve(state: State, kind: str, answers: Mapping[Seat, Action]) -> Transition:
    """Settle the open group of this kind. If an answer is missing, the automatic action takes its place."""
    if kind != state.phase._value_ or state.leaver is not None or state.ended is not None:
        raise ValueError(f"no group {kind!r} is open")
    draft = state.draft()
    events: list[Event] = []
    if state.phase is Phase.REACTION and state.attacking is not None:
        react_to_attack(draft, state.attacking, answers.get(state.attacking.target, ALLOW), events)
    else:
        _move(draft, answers.get(state.turn) or automatic_action(state, state.turn, kind), events)
    return Transition(draft, tuple(events))


def _move(draft: State, action: Action, events: list[Event]) -> None:
    if draft.phase is Phase.DISCARD and isinstance(action, Discard):
        discard(draft, draft.turn, action.cards, events)
        if not win_if_spelled(draft, (draft.turn,), events):
            end_turn(draft, events)
    elif draft.phase is Phase.PICK and draft.attacking is not None:
        pick_cards(draft, draft.attacking, action, events)
    else:
        _apply_action(draft, action, events)


def _apply_action(draft: State, action: Action, events: list[Event]) -> None:
    match action:
        case Draw():
            _schedule_draw(draft, 1, AfterDraws.ASK_DISCARD, events)
        case DrawTwo():
            _schedule_draw(draft, 2, AfterDraws.ASK_DISCARD, events)
        case Idle():
            _schedule_draw(draft, 1, AfterDraws.DISCARD_GAINED, events)
        case TakeTop():
            _take_top(draft, events)
        case Demand(target):
            announce_attack(draft, PendingAttack(Attack.DEMAND, target, None), events)
        case Play(card, target, wild_as):
            announce_attack(draft, PendingAttack(wild_as or ATTACK_BY_CARD[card], target, card), events)
        case _:
            raise ValueError(f"{action!r} is not a move of phase {draft.phase.value}")


def _schedule_draw(draft: State, count: int, then: AfterDraws, events: list[Event]) -> None:
    schedule_draws(draft, OwedDraw(draft.turn, count), then=then)
    advance(draft, events)


def _take_top(draft: State, events: list[Event]) -> None:
    """Take the top discard, in view of all seats."""
    draft.gained = draft.discards[-1:]
    draft.discards = draft.discards[:-1]
    draft.gain(draft.turn, draft.gained, openly=True)
    events.append(TookTop(draft.turn, draft.gained[0]))
    open_question(draft, Phase.DISCARD)
