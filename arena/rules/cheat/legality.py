"""What a seat may do now, and the rule code that forbids the rest (codes and their order: docs/rules/cases.md)."""

from arena.rules.cheat import cutting
from arena.rules.cheat.actions import Action, Believe, Call, Decline, Pass, Play
from arena.rules.cheat.asking import is_caller
from arena.rules.cheat.cards import JOKER, Hand, holds, is_true, largest_set
from arena.rules.cheat.law import CountRanges, merged
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
    if isinstance(action, _ANSWERS):
        return _why_no_answer(state, seat, action, kind)
    return cutting.why_illegal(state, seat, action, kind)


def turn_options(state: State) -> TurnOptions:
    """What the seat to move may do (spec A4, A5, A6)."""
    options = state.options
    if options is None:
        options = state.options = _turn_options(state)
    return options


def _turn_options(state: State) -> TurnOptions:
    law, prev, size = state.law, state.prev, state.sizes[state.turn]
    opens = prev is None
    counts = law.opening_counts if prev is None else law.next_counts[prev.count]
    zero, can_pass = law.zero and not opens, law.offers_pass and not opens
    if law.is_plain:
        return TurnOptions(_ranks(state), _fitting(counts, size), zero, can_pass, opens)
    face_up = opens and law.face_up
    lies = law.count_lies and not face_up
    can_call = law.in_turn and is_caller(state, state.turn)
    return TurnOptions(
        ranks=_ranks(state),
        counts=_open_counts(state)
        if face_up
        else _lied(counts, size, law.min_count)
        if lies
        else _fitting(counts, size),
        zero=zero,
        can_pass=can_pass,
        opens=opens,
        laid=(min(law.min_count, size), size) if lies else None,
        face_up=face_up,
        can_call=can_call,
        can_believe=can_call and law.believes,
    )


def _ranks(state: State) -> bytes:
    """Ranks that may be claimed (spec A4)."""
    if state.law.rotates:
        return bytes((state.required_rank,))
    return state.law.opening_ranks if state.prev is None else state.law.next_ranks[state.prev.rank]


def _fitting(counts: CountRanges, size: int) -> CountRanges:
    """Cut the counts to the hand; where none fits, the whole hand is the one legal count (spec A5.4)."""
    if counts[-1][1] <= size:
        return counts
    return tuple([(first, min(last, size)) for first, last in counts if first <= size]) or ((size, size),)


def _lied(counts: CountRanges, size: int, min_count: int) -> CountRanges:
    """Counts that may be claimed whatever is laid; a hand below the smallest may be claimed whole (spec A5.6)."""
    return counts if size >= min_count else merged([(size, size), *counts])


def _open_counts(state: State) -> CountRanges:
    """Sizes of true sets: from the smallest legal count on, or any where no set is that large (spec A5.7)."""
    law = state.law
    largest = min(largest_set(state.hands[state.turn]), law.max_count)
    return ((law.min_count if largest >= law.min_count else 1, largest),)


def _why_no_pass(state: State) -> str | None:
    return None if turn_options(state).can_pass else "pass_not_allowed"


def _why_no_play(state: State, play: Play) -> str | None:
    hand = state.hands[state.turn]
    if not holds(hand, play.cards):
        return "not_in_hand"
    options = turn_options(state)
    if play.rank not in _RANKS or play.rank not in options.ranks:
        return "illegal_rank"
    if options.face_up and not _is_open_set(play, hand):
        return "opening_must_match"
    if options.laid is None and play.count != len(play.cards):
        return "count_mismatch"
    return None if _is_count(options, play.count) and _is_laid(options, play) else "illegal_count"


def _is_open_set(play: Play, hand: Hand) -> bool:
    """Tell whether a face-up opening is true; jokers alone are so only from a hand of nothing else (spec A5.7)."""
    if play.count != len(play.cards) or not is_true(play.cards, play.rank):
        return False
    return not play.cards or play.cards[0] != JOKER or not any(hand[:JOKER])


def _is_count(options: TurnOptions, count: int) -> bool:
    if count == 0:
        return options.zero
    for first, last in options.counts:  # noqa: SIM110  runs for every move, a generator costs more
        if first <= count <= last:
            return True
    return False


def _is_laid(options: TurnOptions, play: Play) -> bool:
    """Tell whether so many cards may be laid under this claim (spec A5.6)."""
    if options.laid is None:
        return True
    first, last = options.laid if play.count else (0, 0)
    return first <= len(play.cards) <= last


def _why_no_answer(state: State, seat: Seat, action: Action, kind: str | None) -> str | None:
    """Judge a call, a belief or a decline."""
    if isinstance(action, Believe) and not state.law.believes:
        return "believe_off"
    in_turn = state.law.in_turn and state.phase is Phase.TURN
    if kind not in (None, "turn" if in_turn else "window") or (in_turn and isinstance(action, Decline)):
        return "not_asked"
    sealed = state.law.sealed
    if is_caller(state, seat) and (in_turn or not sealed or state.phase is Phase.WINDOW):
        return None
    if sealed:
        return "not_asked"
    if state.last is None:
        return "nothing_to_call"
    return "own_move" if seat == state.last.claim.seat else "caller_not_allowed"


_MOVES = (Play, Pass)
_ANSWERS = (Call, Believe, Decline)
_RANKS = range(256)
"""What `in` can look for in bytes; anything else is no rank."""
