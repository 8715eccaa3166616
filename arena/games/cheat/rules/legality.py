"""Decides which actions are legal, and gives the code of the rule that an illegal action breaks.

docs/rules/cases.md lists the codes, and says in which order the rules are checked.
"""

from arena.games.cheat.rules import cut_and_choose
from arena.games.cheat.rules.actions import Action, Believe, Call, Decline, Pass, Play
from arena.games.cheat.rules.call_rights import is_caller
from arena.games.cheat.rules.cards import JOKER, Hand, are_of_rank, has_cards, largest_set_size
from arena.games.cheat.rules.compiled_rules import CountRanges, merge_ranges
from arena.games.cheat.rules.state import Phase, State, TurnOptions
from arena.match.game import Seat


def why_illegal(state: State, seat: Seat, action: Action, kind: str | None = None) -> str | None:
    if state.ended is not None:
        return "game_over"
    if isinstance(action, _MOVE_TYPES):
        if seat != state.turn or state.phase is not Phase.TURN or kind not in (None, "turn"):
            return "not_your_turn"
        if isinstance(action, Play):
            return _why_no_play(state, action)
        return None if turn_options(state).can_pass else "pass_not_allowed"
    if isinstance(action, _ANSWER_TYPES):
        return _why_no_answer(state, seat, action, kind)
    return cut_and_choose.why_illegal(state, seat, action, kind)


def turn_options(state: State) -> TurnOptions:
    """Return the options of the seat to move (spec A4, A5, A6). They are computed once per state."""
    options = state.options
    if options is None:
        options = state.options = _build_turn_options(state)
    return options


def _build_turn_options(state: State) -> TurnOptions:
    compiled, prev, size = state.compiled_rules, state.prev, state.sizes[state.turn]
    opens = prev is None
    counts = compiled.opening_counts if prev is None else compiled.next_counts[prev.count]
    zero, can_pass = compiled.zero and not opens, compiled.offers_pass and not opens
    if compiled.is_plain:
        return TurnOptions(_claimable_ranks(state), _fit_counts(counts, size), zero, can_pass, opens)
    face_up = opens and compiled.face_up
    lies = compiled.count_lies and not face_up
    if face_up:
        counts = _face_up_counts(state)
    elif not lies:
        counts = _fit_counts(counts, size)
    elif size < compiled.min_count:  # a hand below the minimum may be claimed whole (spec A5.6)
        counts = merge_ranges([(size, size), *counts])
    can_call = compiled.in_turn and is_caller(state, state.turn)
    return TurnOptions(
        ranks=_claimable_ranks(state),
        counts=counts,
        zero=zero,
        can_pass=can_pass,
        opens=opens,
        laid=(min(compiled.min_count, size), size) if lies else None,
        face_up=face_up,
        can_call=can_call,
        can_believe=can_call and compiled.believes,
    )


def _claimable_ranks(state: State) -> bytes:
    """Return the ranks that may be claimed (spec A4)."""
    if state.compiled_rules.rotates:
        return bytes((state.required_rank,))
    return (
        state.compiled_rules.opening_ranks if state.prev is None else state.compiled_rules.next_ranks[state.prev.rank]
    )


def _fit_counts(counts: CountRanges, size: int) -> CountRanges:
    """Limit the counts to the hand size. If no count fits, the whole hand is the only legal count (spec A5.4)."""
    if counts[-1][1] <= size:
        return counts
    return tuple([(first, min(last, size)) for first, last in counts if first <= size]) or ((size, size),)


def _face_up_counts(state: State) -> CountRanges:
    """Return the range of the numbers of cards that a face-up opening may lay (spec A5.7).

    The range starts at the minimum count, or at 1 if the hand has no true set that is large enough.
    """
    compiled = state.compiled_rules
    largest = min(largest_set_size(state.hands[state.turn]), compiled.max_count)
    return ((compiled.min_count if largest >= compiled.min_count else 1, largest),)


def _why_no_play(state: State, play: Play) -> str | None:
    hand = state.hands[state.turn]
    if not has_cards(hand, play.cards):
        return "not_in_hand"
    options = turn_options(state)
    if play.rank not in _BYTE_VALUES or play.rank not in options.ranks:
        return "illegal_rank"
    if options.face_up and not _is_legal_face_up(play, hand):
        return "opening_must_match"
    if options.laid is None and play.count != len(play.cards):
        return "count_mismatch"
    if options.laid is not None:
        fewest, most = options.laid if play.count else (0, 0)
        if not fewest <= len(play.cards) <= most:
            return "illegal_count"
    return None if _is_legal_count(options, play.count) else "illegal_count"


def _is_legal_face_up(play: Play, hand: Hand) -> bool:
    """Return whether a face-up opening is true. Jokers alone are legal only if the hand holds nothing else (A5.7)."""
    if play.count != len(play.cards) or not are_of_rank(play.cards, play.rank):
        return False
    return not play.cards or play.cards[0] != JOKER or not any(hand[:JOKER])


def _is_legal_count(options: TurnOptions, count: int) -> bool:
    if count == 0:
        return options.zero
    for first, last in options.counts:  # noqa: SIM110  runs for every move, a generator costs more
        if first <= count <= last:
            return True
    return False


def _why_no_answer(state: State, seat: Seat, action: Action, kind: str | None) -> str | None:
    """Return the code of the rule that forbids a call, a belief or a decline now; None if it is legal."""
    if isinstance(action, Believe) and not state.compiled_rules.believes:
        return "believe_off"
    in_turn = state.compiled_rules.in_turn and state.phase is Phase.TURN
    if kind not in (None, "turn" if in_turn else "window") or (in_turn and isinstance(action, Decline)):
        return "not_asked"
    sealed = state.compiled_rules.sealed
    if is_caller(state, seat) and (in_turn or not sealed or state.phase is Phase.WINDOW):
        return None
    if sealed:
        return "not_asked"
    if state.last is None:
        return "nothing_to_call"
    return "own_move" if seat == state.last.claim.seat else "caller_not_allowed"


_MOVE_TYPES = (Play, Pass)
_ANSWER_TYPES = (Call, Believe, Decline)
_BYTE_VALUES = range(256)
"""The numbers that Python's `in` accepts for bytes. No other number can be a rank."""
