"""The replies to a bot's decisions in a recorded seat."""

from arena.author.rerun.answer_judge import AnswerJudge
from arena.games.cheat.rules.game import CHEAT
from arena.match.referee.facts import StrikeKind
from arena.match.referee.orders import DecisionResult, DecisionStatus, Refusal, TellStrike
from arena.match.referee.scalars import EntrantIndex
from tests.match.referee.driver import MS
from tests.support.recorded_matches import ManualMatch

ACE, SPADE, FAR = map(CHEAT.read_action, ("1A AC", "1A AS", "7A ACAS2H3D4C4S5H"))


def make_judge():
    """A judge, the match that it looks at, and the id of seat 0's turn."""
    match = ManualMatch("01K00000000000000000000NEW")
    judge = AnswerJudge(match.bench.referee, EntrantIndex(0))
    prompt_id = match.bench.prompt(0).id
    assert judge.note_prompt(prompt_id)
    return judge, match, prompt_id


def answer_status(orders):
    """Status and reason of the one answer."""
    (answer,) = [order for order in orders if isinstance(order, DecisionResult)]
    return answer.status, answer.reason


def test_first_legal_answer_counts_and_repeats_get_the_same_reply():
    judge, _, prompt_id = make_judge()

    assert answer_status(judge.answer(prompt_id, 1, ACE)) == (DecisionStatus.ACCEPTED, "")
    assert answer_status(judge.answer(prompt_id, 1, ACE)) == (DecisionStatus.ACCEPTED, "")
    assert answer_status(judge.answer(prompt_id, 1, SPADE)) == (DecisionStatus.REFUSED, Refusal.ACTION_ID_CONFLICT)
    assert answer_status(judge.answer(prompt_id, 2, SPADE)) == (DecisionStatus.REFUSED, Refusal.ALREADY_ANSWERED)
    assert judge.responses[prompt_id].action == ACE
    assert judge.pending_responses == {}
    assert not judge.note_prompt(prompt_id), "it is not asked again"


def test_illegal_answer_is_a_strike_and_leaves_prompt_open():
    judge, _, prompt_id = make_judge()

    orders = judge.answer(prompt_id, 1, FAR)

    assert answer_status(orders) == (DecisionStatus.REFUSED, "illegal_count")
    assert [order.struck.kind for order in orders if isinstance(order, TellStrike)] == [StrikeKind.ILLEGAL]
    assert answer_status(judge.reject(prompt_id, 2, Refusal.MALFORMED)) == (DecisionStatus.REFUSED, Refusal.MALFORMED)
    assert list(judge.pending_responses) == [prompt_id]
    assert [refused.action for refused in judge.responses[prompt_id].refused] == [FAR, None]


def test_closed_prompt_cannot_be_answered():
    judge, match, prompt_id = make_judge()
    assert answer_status(judge.answer(prompt_id + 7, 1, ACE)) == (DecisionStatus.REFUSED, Refusal.UNKNOWN_PROMPT)
    assert judge.take_closed_prompts() == []

    match.answer(0, "1A AC", at=12 * MS)

    assert judge.take_closed_prompts() == [prompt_id]
    assert judge.take_closed_prompts() == []
    assert answer_status(judge.answer(prompt_id, 2, ACE)) == (DecisionStatus.REFUSED, Refusal.LATE)
