"""What a seat may do now, and the rule code that forbids the rest (codes and their order: docs/rules/cases.md)."""

from arena.rules.cheat.actions import Action, Pass, Play
from arena.rules.cheat.cards import holds
from arena.rules.cheat.law import CountRanges
from arena.rules.cheat.state import Phase, State, TurnOptions
from arena.rules.game import Seat


def why_illegal(state: State, seat: Seat, action: Action, kind: str | None = None) -> str | None:
    """Give the rule code that forbids this action now, or None."""
    if state.ended is not None:
        return "game_over"
    if isinstance(action, _MOVES):
        if seat != state.turn or state.phase is not Phase.TURN or kind not in (None, "turn"):
            return "not_your_turn"
        return _why_no_play(state, action) if isinstance(action, Play) else _why_no_pass(state)
    if kind not in (None, "window"):
        return "not_asked"
    return _why_no_answer(state, seat)


def turn_options(state: State) -> TurnOptions:
    """What the seat to move may do (spec A4, A5, A6)."""
    options = state.options
    if options is None:
        options = state.options = _turn_options(state)
    return options


def is_asked(state: State, seat: Seat) -> bool:
    """Tell whether a seat may call the last move (spec A7)."""
    return state.last is not None and seat != state.last.claim.seat and state.sizes[seat] > 0


def _turn_options(state: State) -> TurnOptions:
    law, prev, size = state.law, state.prev, state.sizes[state.turn]
    if prev is None:
        return TurnOptions(law.opening_ranks, ((1, min(law.max_count, size)),), False, False, True)
    counts = _fitting(law.next_counts[prev.count], size)
    return TurnOptions(law.next_ranks[prev.rank], counts, law.zero, law.offers_pass, False)


def _fitting(counts: CountRanges, size: int) -> CountRanges:
    """Cut the counts to the hand; where none fits, the whole hand is the one legal count (spec A5.4)."""
    if counts[-1][1] <= size:
        return counts
    return tuple([(first, min(last, size)) for first, last in counts if first <= size]) or ((size, size),)


def _why_no_pass(state: State) -> str | None:
    return None if turn_options(state).can_pass else "pass_not_allowed"


def _why_no_play(state: State, play: Play) -> str | None:
    if not holds(state.hands[state.turn], play.cards):
        return "not_in_hand"
    options = turn_options(state)
    if play.rank not in _RANKS or play.rank not in options.ranks:
        return "illegal_rank"
    if play.count != len(play.cards):
        return "count_mismatch"
    return None if _is_count(options, play.count) else "illegal_count"


def _is_count(options: TurnOptions, count: int) -> bool:
    if count == 0:
        return options.zero
    for first, last in options.counts:  # noqa: SIM110  runs for every move, a generator costs more
        if first <= count <= last:
            return True
    return False


def _why_no_answer(state: State, seat: Seat) -> str | None:
    """Judge a call or a decline."""
    if is_asked(state, seat):
        return None
    if state.law.sealed:
        return "not_asked"
    if state.last is None:
        return "nothing_to_call"
    return "own_move" if seat == state.last.claim.seat else "caller_not_allowed"


_MOVES = (Play, Pass)
_RANKS = range(256)
"""What `in` can look for in bytes; anything else is no rank."""
