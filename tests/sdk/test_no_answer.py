"""A bot without an answer: the seat says so at once, with the reason in the author's words."""

import asyncio
import logging
from typing import Any

import pytest

from cheatarena import Bot, Call, Card, Decline, Pass, Play, Rank
from cheatarena.no_answer import MAX_WORDS_BYTES
from cheatarena.v1 import decision_pb2, error_reason_pb2
from tests.sdk.test_bots import FakeRuntime, refusal, seat_with_story, started_story, tell

CAUSES = decision_pb2.NoAnswerCause
UNCHECKED_PLAY: Any = Play
"""`Play` with any arguments, as an author without a type checker may write it."""


class Answers(Bot):
    """Runs what the test wants as its turn."""

    def __init__(self, do):
        self.do = do
        self.refused = []

    def turn(self, table, options):
        return self.do()

    def on_refused(self, table, decision, reason):
        self.refused.append(reason)


class PlainlyAnswering(Bot):
    """Gives one answer to every turn, and leaves all other methods as they are."""

    def __init__(self, answer):
        self.answer = answer

    def turn(self, table, options):
        return self.answer


@pytest.fixture(autouse=True)
def server_that_takes_no_answer(monkeypatch):
    monkeypatch.setattr(FakeRuntime, "takes_no_answer", True)


def told_at_turn(do):
    """Ask for a turn, and return the bot, its seat, and what it told the server."""
    bot = Answers(do)
    seat, wire = seat_with_story(bot, started_story().asks_turn("K", (1, 4)))
    return bot, seat, wire.decisions


def crash():
    raise KeyError(3)


async def run_out_of_time():
    raise TimeoutError


@pytest.mark.parametrize(
    ("do", "cause", "words"),
    [
        (crash, CAUSES.NO_ANSWER_CAUSE_CRASHED, "turn() raised KeyError: 3 (test_no_answer.py:"),
        (lambda: None, CAUSES.NO_ANSWER_CAUSE_EMPTY, "turn() returned None, expected Play or Pass"),
        (lambda: "2 kings", CAUSES.NO_ANSWER_CAUSE_EMPTY, "turn() returned '2 kings', expected Play or Pass"),
    ],
)
def test_mistake_is_told_at_once_in_the_authors_words(do, cause, words):
    _, _, decisions = told_at_turn(do)

    (only,) = decisions
    assert (only.prompt_id, only.action_id, only.no_answer.cause) == (1, 1, cause)
    assert only.no_answer.text.startswith(words)


def test_card_that_is_not_in_hand_is_named_after_a_second_try():
    """The server never sees the answer. The bot is asked once more before it gives up."""
    bot, _, decisions = told_at_turn(lambda: Play.of("7H KC", "K"))

    (only,) = decisions
    assert bot.refused == ["NOT_IN_HAND", "NOT_IN_HAND"]
    assert only.no_answer.cause == CAUSES.NO_ANSWER_CAUSE_ILLEGAL
    assert only.no_answer.reason == error_reason_pb2.ERROR_REASON_NOT_IN_HAND
    assert only.no_answer.text.startswith("turn(): 7H not in hand: the answer was ")


def test_second_answer_that_is_legal_is_sent_instead():
    answers = iter([Play.of("7H", "K"), Play.of("KC", "K")])

    _, _, decisions = told_at_turn(lambda: next(answers))

    assert [each.WhichOneof("action") for each in decisions] == ["cheat"]


def test_bot_gives_up_after_two_refused_answers():
    _, seat, decisions = told_at_turn(lambda: Play.of("KC", "2"))

    tell(seat, refusal(seat, decisions[0], "ILLEGAL_RANK"))
    tell(seat, refusal(seat, decisions[1], "ILLEGAL_RANK"))

    assert [each.WhichOneof("action") for each in decisions] == ["cheat", "cheat", "no_answer"]
    assert decisions[2].no_answer.cause == CAUSES.NO_ANSWER_CAUSE_GAVE_UP
    assert decisions[2].no_answer.text == (
        "the server refused both answers of turn(), the last as ILLEGAL_RANK: 2 may not be claimed, only K; "
        "legal: play CARDS as RANK (number: 1 to 4; rank: K)"
    )


@pytest.mark.parametrize(
    ("answer", "reason", "told"),
    [
        (
            Play.of("KC", "2"),
            "ILLEGAL_RANK",
            "'KC as 2' was refused: ILLEGAL_RANK; 2 may not be claimed, only K; legal:",
        ),
        (
            Play.of("KC", "K", count=9),
            "ILLEGAL_COUNT",
            "'KC as 9 x K' was refused: ILLEGAL_COUNT; 9 cards may not be claimed, only 1 to 4; legal:",
        ),
        (
            Pass(),
            "PASS_NOT_ALLOWED",
            "'pass' was refused: PASS_NOT_ALLOWED; legal: play CARDS as RANK (number: 1 to 4;",
        ),
    ],
)
def test_log_of_a_refused_answer_says_what_is_legal_instead(caplog, answer, reason, told):
    seat, wire = seat_with_story(PlainlyAnswering(answer), started_story().asks_turn("K", (1, 4)))

    tell(seat, refusal(seat, wire.decisions[0], reason))

    assert told in caplog.text


@pytest.mark.parametrize("reason", ["LATE", "NOTE_TOO_LONG"])
def test_log_of_another_refusal_says_nothing_of_the_rules(caplog, reason):
    seat, wire = seat_with_story(PlainlyAnswering(Play.of("KC", "K")), started_story().asks_turn("K", (1, 4)))

    tell(seat, refusal(seat, wire.decisions[0], reason))

    assert f"was refused: {reason}\n" in caplog.text


def test_check_of_the_package_is_not_told_as_a_refusal(caplog):
    """The error says which card is missing, what the hand is, and what is legal."""
    seat_with_story(PlainlyAnswering(Play.of("7H KC", "K")), started_story().asks_turn("K", (1, 4)))

    assert "turn() broke a rule: 7H not in hand: the answer was 7H KC as K, the hand is " in caplog.text
    assert "; legal: play CARDS as RANK (number: 1 to 4; rank: K)\n" in caplog.text
    assert "was refused" not in caplog.text


def test_card_that_is_held_less_often_is_told_with_its_number():
    _, _, decisions = told_at_turn(lambda: Play.of("KC KC KC 7H 7H", "K"))

    told = "turn(): KC not in hand 3 times, 7H not in hand: the answer was KC KC KC 7H 7H as K, the hand is "
    assert decisions[0].no_answer.text.startswith(told)


@pytest.mark.parametrize(
    "answer",
    [
        UNCHECKED_PLAY("KC", "K"),
        UNCHECKED_PLAY(("KC",), Rank.KING),
        UNCHECKED_PLAY(None, Rank.KING),
        UNCHECKED_PLAY((Card.of("KC"),), "K"),
    ],
)
def test_play_of_texts_instead_of_cards_is_told_how_to_be_written(answer):
    _, _, decisions = told_at_turn(lambda: answer)

    assert decisions[0].no_answer.cause == CAUSES.NO_ANSWER_CAUSE_EMPTY
    told = "turn() returned a play without cards or rank; Play.of('KS KD', 'K') makes one from text: Play(cards="
    assert decisions[0].no_answer.text.startswith(told)


def test_bot_that_is_late_says_nothing_more():
    _, seat, decisions = told_at_turn(lambda: Play.of("KC", "K"))

    tell(seat, refusal(seat, decisions[0], "LATE", late_us=10))

    assert len(decisions) == 1


def test_refusal_of_the_message_itself_is_not_told_to_the_bot():
    bot, seat, decisions = told_at_turn(crash)

    tell(seat, refusal(seat, decisions[0], "LATE"))

    assert bot.refused == []
    assert len(decisions) == 1


def test_early_call_that_is_refused_twice_is_no_reason_to_give_up():
    class Caller(Answers):
        def call_window(self, table, claim):
            return Call()

    seat, wire = seat_with_story(Caller(crash), started_story().plays(1, "K", 1).asks_window())

    tell(seat, refusal(seat, wire.decisions[0], "TOO_EARLY"))
    tell(seat, refusal(seat, wire.decisions[1], "TOO_EARLY"))

    assert [each.WhichOneof("action") for each in wire.decisions] == ["cheat", "cheat"]


def test_words_are_one_short_line():
    def fail():
        raise ValueError("žluťoučký\nkůň " * 100)

    _, _, decisions = told_at_turn(fail)

    words = decisions[0].no_answer.text
    assert len(words.encode()) <= MAX_WORDS_BYTES
    assert "\n" not in words


def test_exception_without_a_printable_text_is_told_by_its_name():
    class UnprintableError(Exception):
        def __str__(self):
            raise RuntimeError

    def fail():
        raise UnprintableError

    _, _, decisions = told_at_turn(fail)

    assert decisions[0].no_answer.text.startswith("turn() raised UnprintableError (")


async def test_own_time_limit_counts_as_giving_up():
    _, _, decisions = told_at_turn(run_out_of_time)
    for _ in range(3):
        await asyncio.sleep(0)

    assert decisions[0].no_answer.cause == CAUSES.NO_ANSWER_CAUSE_GAVE_UP
    assert decisions[0].no_answer.text.startswith("turn() raised TimeoutError (")


def test_server_of_an_older_release_is_told_nothing(monkeypatch, caplog):
    monkeypatch.setattr(FakeRuntime, "takes_no_answer", False)

    with caplog.at_level(logging.ERROR, "cheatarena"):
        _, _, decisions = told_at_turn(crash)

    assert decisions == []
    assert "Answers.turn failed: KeyError(3)" in caplog.text


def test_other_hooks_that_raise_say_nothing_about_a_question():
    class Seer(Answers):
        def game_started(self, table):
            raise KeyError(3)

        def call_window(self, table, claim):
            return Decline()

    _, wire = seat_with_story(Seer(crash), started_story().plays(1, "K", 1).asks_window())

    assert [each.WhichOneof("action") for each in wire.decisions] == ["cheat"]
