"""What a bot is told of its decisions in a recorded place."""

from arena.match.facts import FaultKind
from arena.match.orders import Answer, Refusal, Status, Strike
from arena.rerun.judge import Judge
from arena.rules.cheat.game import CHEAT
from tests.match.driver import MS
from tests.support.played import Match

ACE, SPADE, FAR = map(CHEAT.read_action, ("1A AC", "1A AS", "7A ACAS2H3D4C4S5H"))


def asked():
    """A judge, the match that it looks at, and the id of seat 0's turn."""
    match = Match("01K00000000000000000000NEW")
    judge = Judge(match.bench.referee, 0)
    prompt_id = match.bench.prompt(0).id
    assert judge.show(prompt_id)
    return judge, match, prompt_id


def told(orders):
    """Status and reason of the one answer."""
    (answer,) = [order for order in orders if isinstance(order, Answer)]
    return answer.status, answer.reason


def test_the_first_legal_answer_counts_and_the_same_one_again_gets_the_same_answer():
    judge, _, prompt_id = asked()

    assert told(judge.answer(prompt_id, 1, ACE)) == (Status.ACCEPTED, "")
    assert told(judge.answer(prompt_id, 1, ACE)) == (Status.ACCEPTED, "")
    assert told(judge.answer(prompt_id, 1, SPADE)) == (Status.REFUSED, Refusal.ACTION_ID_CONFLICT)
    assert told(judge.answer(prompt_id, 2, SPADE)) == (Status.REFUSED, Refusal.ALREADY_ANSWERED)
    assert judge.given[prompt_id].action == ACE
    assert judge.waiting == {}
    assert not judge.show(prompt_id), "it is not asked again"


def test_an_illegal_answer_is_a_strike_and_leaves_the_question_open():
    judge, _, prompt_id = asked()

    orders = judge.answer(prompt_id, 1, FAR)

    assert told(orders) == (Status.REFUSED, "illegal_count")
    assert [order.struck.kind for order in orders if isinstance(order, Strike)] == [FaultKind.ILLEGAL]
    assert told(judge.reject(prompt_id, 2, Refusal.MALFORMED)) == (Status.REFUSED, Refusal.MALFORMED)
    assert list(judge.waiting) == [prompt_id]
    assert [refused.action for refused in judge.given[prompt_id].refused] == [FAR, None]


def test_what_is_not_open_cannot_be_answered():
    judge, match, prompt_id = asked()
    assert told(judge.answer(prompt_id + 7, 1, ACE)) == (Status.REFUSED, Refusal.UNKNOWN_PROMPT)
    assert judge.close() == []

    match.says(0, "1A AC", at=12 * MS)

    assert judge.close() == [prompt_id]
    assert judge.close() == []
    assert told(judge.answer(prompt_id, 2, ACE)) == (Status.REFUSED, Refusal.LATE)
