"""Answers, each a short pipeline from one state to the next (spec B3)."""

from collections.abc import Mapping

from arena.rules.cheater.actions import (
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
from arena.rules.cheater.attacking import ATTACKS, announce, pick, react
from arena.rules.cheater.automatic import automatic
from arena.rules.cheater.events import Event, TookTop
from arena.rules.cheater.flow import ask, discard, end_turn, go_on, owe
from arena.rules.cheater.state import Attacking, Owed, Phase, State, Then
from arena.rules.cheater.winning import look_at
from arena.rules.game import Seat, Step


def resolve(state: State, kind: str, answers: Mapping[Seat, Action]) -> Step:
    """Settle the open group of this kind; answers are legal, a missing one is the automatic move."""
    if kind != state.phase.kind or state.leaver is not None or state.ended is not None:
        raise ValueError(f"no group {kind!r} is open")
    draft = state.draft()
    events: list[Event] = []
    if state.phase is Phase.REACTION and state.attacking is not None:
        react(draft, state.attacking, answers.get(state.attacking.target, ALLOW), events)
    else:
        _move(draft, answers.get(state.turn) or automatic(state, state.turn, kind), events)
    return Step(draft, tuple(events))


def _move(draft: State, action: Action, events: list[Event]) -> None:
    """Do what the seat in turn chose."""
    if draft.phase is Phase.DISCARD and isinstance(action, Discard):
        _discard(draft, action.cards, events)
    elif draft.phase is Phase.PICK and draft.attacking is not None:
        pick(draft, draft.attacking, action, events)
    else:
        _act(draft, action, events)


def _act(draft: State, action: Action, events: list[Event]) -> None:
    match action:
        case Draw():
            _draw(draft, 1, Then.ASK_DISCARD, events)
        case DrawTwo():
            _draw(draft, 2, Then.ASK_DISCARD, events)
        case Idle():
            _draw(draft, 1, Then.DISCARD_GAINED, events)
        case TakeTop():
            _take_top(draft, events)
        case Demand(target):
            announce(draft, Attacking(Attack.DEMAND, target, None), events)
        case Play(card, target, wild_as):
            announce(draft, Attacking(wild_as or ATTACKS[card], target, card), events)
        case _:
            raise ValueError(f"{action!r} is no move of phase {draft.phase.value}")


def _draw(draft: State, count: int, then: Then, events: list[Event]) -> None:
    owe(draft, Owed(draft.turn, count), then=then)
    go_on(draft, events)


def _take_top(draft: State, events: list[Event]) -> None:
    """Take the top discard, in the open."""
    draft.gained = draft.discards[-1:]
    draft.discards = draft.discards[:-1]
    draft.gain(draft.turn, draft.gained, openly=True)
    events.append(TookTop(draft.turn, draft.gained[0]))
    ask(draft, Phase.DISCARD)


def _discard(draft: State, cards: bytes, events: list[Event]) -> None:
    """Bring the hand back to seven, and look at it."""
    seat = draft.turn
    discard(draft, seat, cards, events)
    if not look_at(draft, (seat,), events):
        end_turn(draft, events)
