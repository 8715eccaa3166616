"""Judges the last move: after a call or a belief (spec A7, A8), or immediately if the move emptied a hand."""

from collections.abc import Mapping

from arena.games.cheat.rules.actions import Action, Believe, Call
from arena.games.cheat.rules.cards import are_of_rank
from arena.games.cheat.rules.events import Believed, Called, Event, HandChecked, Overruled
from arena.games.cheat.rules.flow import advance
from arena.games.cheat.rules.ruleset import AfterCall
from arena.games.cheat.rules.state import Layer, State
from arena.games.cheat.rules.tricks import banish_pile, count_pile, give_turn, start_trick, take_pile
from arena.games.cheat.rules.winning import confirm_win
from arena.match.game import Seat, Transition

_CHALLENGES = (Call, Believe)


def judge_last_move(state: State, answers: Mapping[Seat, Action]) -> Transition:
    """Judge the last move, which was called or believed.

    If several seats called or believed, the answer of the seat nearest clockwise from the mover counts.
    """
    last = state.last
    if last is None:
        raise ValueError("there is no move to call")
    seat, *others = [
        seat for seat in state.compiled_rules.ring[last.claim.seat] if isinstance(answers.get(seat), _CHALLENGES)
    ]
    draft = state.draft()
    draft.last = None
    events: list[Event] = []
    judge = _judge_call if isinstance(answers[seat], Call) else _judge_belief
    verdict = judge(draft, last, seat, events)
    overruled = map(Overruled, others) if state.compiled_rules.sealed else ()
    return Transition(draft, (verdict, *overruled, *events))


def check_emptied_hand(draft: State, last: Layer, events: list[Event]) -> None:
    """Check the move that emptied a hand (spec A8).

    If the move was a lie, the mover takes the pile, and the next seat leads a new trick.
    """
    seat = last.claim.seat
    is_honest = is_truthful(last.cards, last.claim.count, last.claim.rank)
    taken = count_pile(draft)
    draft.last = None
    verdicts: list[Event] = []
    if is_honest:
        confirm_win(draft, verdicts)
    else:
        draft.pending = None
        take_pile(draft, seat)
        leader = next(other for other in draft.compiled_rules.ring[seat] if draft.sizes[other])
        start_trick(draft, leader, verdicts)
    events += [HandChecked(seat, is_honest, taken, draft.compiled_rules.rules.sizes_visible), *verdicts]


def is_truthful(cards: bytes, count: int, rank: int) -> bool:
    """Return whether a claim is true: `count` cards were laid, and each is of the claimed rank or a joker."""
    return len(cards) == count and are_of_rank(cards, rank)


def _judge_call(draft: State, last: Layer, caller: Seat, events: list[Event]) -> Called:
    """Judge a call: the loser takes the whole pile."""
    claim, rules = last.claim, draft.compiled_rules.rules
    right = not is_truthful(last.cards, claim.count, claim.rank)
    taker = claim.seat if right else caller
    taken = take_pile(draft, taker)
    if right:
        draft.pending = None
    if not confirm_win(draft, events):
        _set_turn_after_call(draft, caller, claim.seat, right, events)
    advance(draft, events)
    return Called(caller, claim.seat, right, last.cards, rules.check, taker, taken, draft.to_move, rules.sizes_visible)


def _set_turn_after_call(draft: State, caller: Seat, accused: Seat, right: bool, events: list[Event]) -> None:
    """Set who moves after a call, and start a new trick if one is due (spec A7.5, A7.6)."""
    rules = draft.compiled_rules.rules
    following = rules.success_next if right else rules.failure_next
    match following:
        case AfterCall.NO_CHANGE:
            seat = draft.turn
        case AfterCall.CHALLENGED:
            seat = accused
        case AfterCall.AFTER_CALLER:
            seat = draft.next_active_seat(caller)
        case AfterCall.CALLER:
            seat = caller
    if rules.success_new_trick if right else rules.failure_new_trick:
        start_trick(draft, seat if draft.sizes[seat] else draft.next_active_seat(seat), events)
    else:
        give_turn(draft, seat, events)


def _judge_belief(draft: State, last: Layer, believer: Seat, events: list[Event]) -> Believed:
    """Judge a belief. If the move was true, banish the pile. If it was a lie, give the pile to the believer.

    In both cases a pending win of the mover becomes final.
    """
    claim, rules = last.claim, draft.compiled_rules.rules
    right = is_truthful(last.cards, claim.count, claim.rank)
    pile = banish_pile(draft) if right else take_pile(draft, believer)
    confirm_win(draft, events)
    advance(draft, events)
    return Believed(believer, claim.seat, right, last.cards, rules.check, pile, draft.to_move, rules.sizes_visible)
