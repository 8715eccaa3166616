"""The questions that are open: the turn, the window, or in the live style both (spec A11, A12)."""

from dataclasses import dataclass
from functools import lru_cache

from arena.rules.cheat.legality import turn_options
from arena.rules.cheat.state import Layer, Phase, State
from arena.rules.game import Closing, Group, Length, Question, Seat

TURN = "turn"
WINDOW = "window"


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """What a seat that is asked about the last move may do: call or decline."""

    final: bool
    """No turn follows unless a call or a leave brings one."""


def groups(state: State) -> tuple[Group, ...]:
    """List the open questions; worked out once for a state."""
    known = state.groups
    if known is None:
        known = state.groups = _groups(state)
    return known


def _groups(state: State) -> tuple[Group, ...]:
    if state.ended is not None or state.phase in (Phase.DECK, Phase.FIRST_MOVER):
        return ()
    if state.last is None:
        return (_turn_group(state, None),)
    window = _window_group(state, state.last)
    return (window,) if state.phase is Phase.WINDOW else (_turn_group(state, state.landing), window)


def _turn_group(state: State, lands: int | None) -> Group:
    question = Question(state.turn, turn_options(state))
    return Group(
        TURN, state.turn_serial, (question,), Closing.FIRST, Length.TURN, state.turn_clock, earliest=None, lands=lands
    )


def _window_group(state: State, last: Layer) -> Group:
    ask = _ask_finally if state.closing else _ask
    mover, sizes = last.claim.seat, state.sizes
    questions = tuple([ask(seat) for seat in state.law.ring[mover] if sizes[seat] and seat != mover])
    return Group(
        WINDOW,
        state.window_serial,
        questions,
        Closing.ALL if state.law.sealed else Closing.FIRST,
        Length.REACTION if state.phase is Phase.WINDOW else None,
        state.window_clock,
        earliest=None if state.law.sealed else state.guarded,
    )


_OPEN, _FINAL = WindowOptions(final=False), WindowOptions(final=True)


@lru_cache(maxsize=256)
def _ask(seat: Seat) -> Question:
    return Question(seat, _OPEN)


@lru_cache(maxsize=256)
def _ask_finally(seat: Seat) -> Question:
    return Question(seat, _FINAL)
