"""The questions that are open: the turn, the window, or in the live style both (spec A11, A12)."""

from functools import lru_cache

from arena.rules.cheat import cut_and_choose
from arena.rules.cheat.actions import BELIEVE, CALL, DECLINE
from arena.rules.cheat.call_rights import callers
from arena.rules.cheat.legality import turn_options
from arena.rules.cheat.ruleset import CallerPriority
from arena.rules.cheat.state import BEFORE_PLAY, Phase, State
from arena.rules.game import ClosingRule, Question, QuestionGroup, Seat, TimeLimit
from arena.rules.value_class import value_class

TURN_KIND = "turn"
WINDOW_KIND = "window"
ANSWERS_WITHOUT_BELIEF = (DECLINE, CALL)
ANSWERS_WITH_BELIEF = (DECLINE, CALL, BELIEVE)
"""What may be said of a move."""


@value_class()
class WindowOptions:
    """What a seat that is asked about the last move may do: call or decline, or believe where that is on."""

    final: bool
    """No turn follows unless a call or a leave brings one."""
    can_believe: bool = False


def open_groups(state: State) -> tuple[QuestionGroup, ...]:
    """List the open questions; worked out once for a state."""
    known = state.groups
    if known is None:
        known = state.groups = _build_groups(state)
    return known


def _build_groups(state: State) -> tuple[QuestionGroup, ...]:
    if state.ended is not None:
        return ()
    if state.phase in BEFORE_PLAY:
        return cut_and_choose.open_groups(state) if state.phase in cut_and_choose.CUTTING_PHASES else ()
    if state.phase is Phase.WINDOW:
        return (_window_group(state, callers(state)),)
    law = state.compiled_rules
    seats = () if law.sealed or law.in_turn else callers(state)
    return (_turn_group(state, state.landing), _window_group(state, seats)) if seats else (_turn_group(state, None),)


def _turn_group(state: State, lands: int | None) -> QuestionGroup:
    question = Question(state.turn, turn_options(state))
    return QuestionGroup(
        TURN_KIND,
        state.turn_serial,
        (question,),
        ClosingRule.FIRST,
        TimeLimit.TURN,
        state.turn_clock,
        earliest=None,
        lands=lands,
    )


def _window_group(state: State, seats: tuple[Seat, ...]) -> QuestionGroup:
    law = state.compiled_rules
    return QuestionGroup(
        WINDOW_KIND,
        state.window_serial,
        _window_questions(seats, state.closing, law.believes),
        _closing_rule(state),
        TimeLimit.REACTION if state.phase is Phase.WINDOW else None,
        state.window_clock,
        earliest=None if law.sealed or law.in_turn else state.guarded,
        free=ANSWERS_WITH_BELIEF if law.believes else ANSWERS_WITHOUT_BELIEF,
    )


@lru_cache(maxsize=4096)
def _window_questions(seats: tuple[Seat, ...], final: bool, can_believe: bool) -> tuple[Question, ...]:
    """Ask all seats the same; equal questions are one value."""
    options = WindowOptions(final, can_believe)
    return tuple([Question(seat, options) for seat in seats])


def _closing_rule(state: State) -> ClosingRule:
    if state.compiled_rules.sealed:
        return ClosingRule.ALL
    rules = state.compiled_rules.rules
    is_disputed = rules.any_caller and rules.caller_priority is CallerPriority.NEAREST_CLOCKWISE
    return ClosingRule.DISPUTED if is_disputed else ClosingRule.FIRST
