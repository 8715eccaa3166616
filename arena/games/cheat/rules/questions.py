"""Builds the open questions: the turn or the window. In the live style, both may be open (spec A11, A12).

A seat that does not answer acts by its own hand and public facts alone (A11).
"""

from functools import lru_cache

from arena.games.cheat.rules import cut_and_choose
from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Play
from arena.games.cheat.rules.call_rights import callers
from arena.games.cheat.rules.cards import JOKER, RANK_COUNT, Hand, cards_of_rank, lowest_cards
from arena.games.cheat.rules.legality import turn_options
from arena.games.cheat.rules.ruleset import CallerPriority
from arena.games.cheat.rules.state import BEFORE_PLAY, Phase, State
from arena.match.game import ClosingRule, Question, QuestionGroup, Seat, TimeLimit
from arena.match.value_class import value_class

TURN_KIND = "turn"
WINDOW_KIND = "window"
ANSWERS_WITHOUT_BELIEF = (DECLINE, CALL)
ANSWERS_WITH_BELIEF = (DECLINE, CALL, BELIEVE)
"""The possible answers in a window, for rulesets without beliefs and for rulesets with them."""


@value_class()
class WindowOptions:
    """The options of a seat that is asked about the last move: call, decline and, if the ruleset has it, believe."""

    final: bool
    """Whether the window is final: no turn follows unless somebody calls or leaves."""
    can_believe: bool = False


def open_groups(state: State) -> tuple[QuestionGroup, ...]:
    """Return the open questions. They are computed once per state."""
    groups = state.groups
    if groups is None:
        groups = state.groups = _build_groups(state)
    return groups


def _build_groups(state: State) -> tuple[QuestionGroup, ...]:
    if state.ended is not None:
        return ()
    if state.phase in BEFORE_PLAY:
        return cut_and_choose.open_groups(state) if state.phase in cut_and_choose.CUTTING_PHASES else ()
    if state.phase is Phase.WINDOW:
        return (_window_group(state, callers(state)),)
    compiled = state.compiled_rules
    seats = () if compiled.sealed or compiled.in_turn else callers(state)
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
    compiled = state.compiled_rules
    if compiled.sealed:
        closing = ClosingRule.ALL
    elif compiled.any_caller and compiled.rules.caller_priority is CallerPriority.NEAREST_CLOCKWISE:
        closing = ClosingRule.DISPUTED
    else:
        closing = ClosingRule.FIRST
    return QuestionGroup(
        WINDOW_KIND,
        state.window_serial,
        _window_questions(seats, state.closing, compiled.believes),
        closing,
        TimeLimit.REACTION if state.phase is Phase.WINDOW else None,
        state.window_clock,
        earliest=None if compiled.sealed or compiled.in_turn else state.guarded,
        free=ANSWERS_WITH_BELIEF if compiled.believes else ANSWERS_WITHOUT_BELIEF,
    )


@lru_cache(maxsize=4096)
def _window_questions(seats: tuple[Seat, ...], final: bool, can_believe: bool) -> tuple[Question, ...]:
    """Return the same question for each seat. The result is cached, so that equal questions are one object."""
    options = WindowOptions(final, can_believe)
    return tuple([Question(seat, options) for seat in seats])


def automatic_action(state: State, seat: Seat, kind: str) -> Action:
    """Return the action taken for a seat that did not answer.

    In a window the seat declines. In a turn it passes if a pass is legal. Otherwise it claims the smallest legal
    number of cards, which may be zero, and lays its lowest cards. A face-up opening must be true, so there it lays the
    lowest rank of which it holds enough.
    """
    if kind == "window":
        return DECLINE
    if state.phase in cut_and_choose.CUTTING_PHASES:
        return cut_and_choose.automatic_action(state)
    options, hand, prev = turn_options(state), state.hands[seat], state.prev
    if options.can_pass:
        return PASS
    count = 0 if options.zero else options.counts[0][0]
    if options.face_up:
        return _lowest_true_set(hand, count)
    laid = count
    if options.laid is not None and count > 0:
        fewest, most = options.laid
        laid = min(max(count, fewest), most)
    rank = prev.rank if prev is not None and prev.rank in options.ranks else options.ranks[0]
    return Play(lowest_cards(hand, laid), count, rank)


def _lowest_true_set(hand: Hand, count: int) -> Play:
    """Return a true play of `count` cards of the lowest possible rank.

    Jokers are added only if no rank has `count` cards of its own.
    """
    sets = [cards_of_rank(hand, rank) for rank in range(RANK_COUNT)]
    jokers = bytes((JOKER,)) * hand[JOKER]
    if not any(sets):
        return Play(jokers[:count], count, 0)
    enough = [rank for rank, cards in enumerate(sets) if len(cards) >= count]
    filled = [rank for rank, cards in enumerate(sets) if cards and len(cards) + len(jokers) >= count]
    rank = (enough or filled)[0]
    return Play((sets[rank] + jokers)[:count], count, rank)
