"""Acceptances that travel with the next message: what they save, and that the seat's stream stays the same."""

from itertools import pairwise

import pytest

from arena.games.cheat.rules.actions import DECLINE
from arena.match.feed.match_feed import SPECTATOR
from arena.match.feed.outbox import Outbox
from arena.match.referee.pace import Pace
from arena.match.referee.scalars import EntrantIndex, StreamSequence
from cheatarena.v1 import decision_pb2, play_pb2
from tests.support.feed_harness import FeedHarness, answer_prompt, make_harness, play

ACCEPTED = decision_pb2.DECISION_STATUS_ACCEPTED
PACES = pytest.mark.parametrize("pace", [Pace.sealed_defaults(), Pace.live_defaults()], ids=["sealed", "live"])
MOST_JOINED = 15
"""The limit that the contract states."""


def join(made: FeedHarness, *entrants: int) -> FeedHarness:
    """Let these entrants take joined acceptances."""
    for entrant in entrants:
        made.boxes[entrant].takes_joined_acceptances = True
    return made


def reconnect(made: FeedHarness, after: int, *, takes_joined: bool) -> Outbox:
    """Connect entrant 0 again. It has the messages up to `after`."""
    box = made.boxes[0] = made.make_outbox()
    box.takes_joined_acceptances = takes_joined
    made.raw[0].clear()
    made.feed.attach(made.table.referee, EntrantIndex(0), box, StreamSequence(after))
    made.open_gate()
    return box


def separate(message: play_pb2.SeatMessage) -> list[play_pb2.SeatMessage]:
    """Return the messages that are joined to a message, and the message without them."""
    count, first = message.joined_count, message.sequence - message.joined_count
    joined = [
        play_pb2.SeatMessage(match=message.match, entrant=message.entrant, sequence=first + index, answers=[answer])
        for index, answer in enumerate(message.answers[:count])
    ]
    rest = play_pb2.SeatMessage()
    rest.CopyFrom(message)
    rest.ClearField("joined_count")
    del rest.answers[:count]
    return [*joined, rest]


def is_lone_acceptance(message: play_pb2.SeatMessage) -> bool:
    fields = {field.name for field, _ in message.ListFields()}
    return fields <= {"match", "entrant", "sequence", "answers"} and all(e.status == ACCEPTED for e in message.answers)


def play_a_while(made: FeedHarness) -> None:
    for _ in range(4):
        play(made, 9)
        play(made, 2, calls=True)
    answer_next(made, 30)


@PACES
def test_joined_messages_are_the_same_as_separate_ones(pace):
    """Same numbers, answers, facts and prompts. No other viewer can see that one of them takes joined acceptances."""
    joined, plain = join(make_harness(pace), 0, 2), make_harness(pace)

    play_a_while(joined)
    play_a_while(plain)

    assert any(is_lone_acceptance(message) for message in plain.read_messages(0))
    for entrant in (0, 2):
        messages = joined.read_messages(entrant)
        assert not any(is_lone_acceptance(message) for message in messages)
        separated = [each for message in messages for each in separate(message)]
        assert separated == plain.read_messages(entrant)[: len(separated)]
        assert len(plain.read_messages(entrant)) - len(separated) <= 1, "the last acceptance may still wait"
        assert len(messages) == sum(not is_lone_acceptance(message) for message in separated)
    for viewer in (1, 3, SPECTATOR):
        assert joined.raw[viewer] == plain.raw[viewer]


def test_watcher_of_a_seat_gets_each_message_alone():
    """The author of a bot sees an acceptance at once."""
    made = join(make_harness(), 1)
    box = made.make_outbox()
    made.feed.watch_entrant(made.table.referee, EntrantIndex(1), box, StreamSequence(0))

    play_a_while(made)
    made.open_gate()

    watched = play_pb2.PlayResponse.FromString(b"".join(box.take_frame())).messages
    assert any(is_lone_acceptance(message) for message in watched)
    assert [each.sequence for each in watched] == [*range(1, len(watched) + 1)]


@PACES
@pytest.mark.parametrize("did_take", [True, False], ids=["joined before", "plain before"])
@pytest.mark.parametrize("takes_joined", [True, False], ids=["joined after", "plain after"])
def test_seat_resumes_at_any_sequence(pace, did_take, takes_joined):
    """After every decision, from every number, also from one that was joined to another message or held back."""
    plain = make_harness(pace)
    answer_next(plain, 40)
    expected = plain.read_messages(0)

    for length in range(1, 40):
        made = make_harness(pace)
        made.boxes[0].takes_joined_acceptances = did_take
        answer_next(made, length)
        sequence = made.feed.sequence_of(EntrantIndex(0))
        for after in range(1, sequence + 1):
            reconnect(made, after, takes_joined=takes_joined)
            assert made.read_messages(0) == expected[after:sequence]
        answer_next(made, 40 - length)
        messages = [each for message in made.read_messages(0) for each in separate(message)]
        assert messages == expected[sequence : sequence + len(messages)]
        assert len(expected) - sequence - len(messages) <= 1, "the last acceptance may still wait"


def answer_next(made: FeedHarness, count: int) -> None:
    """Answer the first open prompt, `count` times."""
    for _ in range(count):
        entrant, view = next(made.open_prompts())
        answer_prompt(made, entrant, view, view.id)


def open_window(made: FeedHarness) -> tuple[int, int]:
    """Let the first seat move; return a seat that may call, and its prompt."""
    answer_next(made, 1)
    entrant, view = next(made.open_prompts())
    return entrant, view.id


def test_acceptance_that_was_held_back_comes_after_a_lost_connection():
    """A program that knows nothing of joined messages may continue the session."""
    made = join(make_harness(), 0, 1, 2, 3)
    entrant, prompt_id = open_window(made)
    messages = made.read_messages(entrant)
    made.answer(entrant, prompt_id, 7, DECLINE)
    assert made.read_messages(entrant) == messages

    box = made.make_outbox()
    made.feed.attach(made.table.referee, EntrantIndex(entrant), box, StreamSequence(messages[-1].sequence))
    made.open_gate()

    (missed,) = play_pb2.PlayResponse.FromString(b"".join(box.take_frame())).messages
    assert (missed.sequence, missed.joined_count) == (messages[-1].sequence + 1, 0)
    assert [(each.action_id, each.status) for each in missed.answers] == [(7, ACCEPTED)]


def test_refusal_comes_at_once_with_what_was_held_back():
    made = join(make_harness(), 0, 1, 2, 3)
    entrant, prompt_id = open_window(made)
    before = made.read_messages(entrant)[-1].sequence

    made.answer(entrant, prompt_id, 7, DECLINE)
    made.answer(entrant, prompt_id, 8, DECLINE)

    last = made.read_messages(entrant)[-1]
    assert (last.sequence, last.joined_count) == (before + 2, 1)
    assert [(each.action_id, each.status == ACCEPTED) for each in last.answers] == [(7, True), (8, False)]


def test_repeated_decision_is_answered_although_nothing_else_happens():
    """At most 15 acceptances wait, so that a bot that repeats itself takes no memory."""
    made = join(make_harness(), 0, 1, 2, 3)
    entrant, prompt_id = open_window(made)
    before = made.read_messages(entrant)[-1].sequence

    for _ in range(100):
        made.answer(entrant, prompt_id, 7, DECLINE)

    messages = [each for each in made.read_messages(entrant) if each.sequence > before]
    assert [each.joined_count for each in messages] == [MOST_JOINED] * (100 // (MOST_JOINED + 1))
    assert all(late.sequence - early.sequence == MOST_JOINED + 1 for early, late in pairwise(messages))
