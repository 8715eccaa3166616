"""Decisions become inputs, also those that were read before and those that nobody can read."""

from arena.games.catalogue import pack_of
from arena.games.cheat.rules.actions import CALL
from arena.match.referee.facts import NoAnswerCause, NoAnswerGiven
from arena.match.referee.inputs import Answer, NoAnswer, Reject
from arena.match.referee.orders import Refusal
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.server.node import decisions
from arena.server.node.decisions import DecisionReader
from arena.server.node.limits import Limits
from cheatarena.v1 import cheat_pb2, decision_pb2

AT, NOW = Instant(5), Instant(9)
ENTRANT, PROMPT = EntrantIndex(2), PromptId(3)
CALLS = cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_CALL)


def make_reader(game: str = "cheat") -> DecisionReader:
    return DecisionReader(pack_of(game).load_codec(), Limits())


def read(reader: DecisionReader, size: int = 20, prompt_id: int = PROMPT, action_id: int = 4, **content):
    """Read a decision of entrant 2 with this content."""
    raw = decision_pb2.Decision(**content).SerializeToString()
    return reader.read_input((1, ENTRANT, prompt_id, action_id, raw, size), AT, NOW)


def test_equal_actions_of_two_decisions_have_their_own_ids_and_notes():
    reader = make_reader()

    for note in ("", "", "sure", "unsure", ""):
        for prompt_id in (PROMPT, PromptId(8)):
            answer = read(reader, prompt_id=prompt_id, cheat=CALLS, note=note)
            assert answer == Answer(AT, NOW, ENTRANT, prompt_id, 4, "call", note, CALL)


def test_each_game_reads_only_its_own_actions():
    cheat, cheater = make_reader(), make_reader("cheater")

    for _ in range(2):
        assert isinstance(read(cheat, cheat=CALLS), Answer)
        assert read(cheater, cheat=CALLS) == Reject(AT, NOW, ENTRANT, PROMPT, 4, Refusal.MALFORMED)


def test_no_answer_keeps_its_cause_and_text():
    message = decision_pb2.NoAnswer(cause=decision_pb2.NO_ANSWER_CAUSE_CRASHED, text="KeyError")
    reader = make_reader()

    for _ in range(2):
        given = NoAnswerGiven(NoAnswerCause.CRASHED, "", "KeyError")
        assert read(reader, no_answer=message) == NoAnswer(AT, NOW, ENTRANT, PROMPT, 4, given)


def test_malformed_decisions_are_refused_each_time():
    reader = make_reader()

    for _ in range(2):
        assert isinstance(read(reader, cheat=CALLS), Answer)
        assert read(reader, cheat=CALLS, size=4097).reason == Refusal.MALFORMED
        assert read(reader, cheat=CALLS, prompt_id=0).reason == Refusal.MALFORMED
        assert read(reader, cheat=CALLS, action_id=0).reason == Refusal.MALFORMED
        assert read(reader).reason == Refusal.MALFORMED
        assert read(reader, cheat=CALLS, note="é" * 101).reason == Refusal.NOTE_TOO_LONG
        assert isinstance(read(reader, cheat=CALLS, note="é" * 100), Answer)


def test_memory_of_actions_is_bounded(monkeypatch):
    monkeypatch.setattr(decisions, "_MAX_REMEMBERED", 10)
    reader = make_reader()

    for count in range(1, 100):
        action = cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY, count=count)
        assert read(reader, cheat=action).action.count == count
        assert len(reader._remembered) <= 10
