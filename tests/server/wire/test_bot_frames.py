"""Frames of bots are read as protobuf's parser reads them: ordinary ones, random ones and hostile ones."""

from random import Random

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from arena.server.wire import bot_frames
from arena.server.wire.bot_frames import MAX_SCANNED_BYTES, BotFrame
from cheatarena.v1 import cheat_pb2, cheater_pb2, decision_pb2, play_pb2, session_pb2
from tests.faults.mutation import mutate

HEAD = {"match", "entrant", "prompt_id", "action_id"}
numbers = st.one_of(st.integers(0, 3), st.integers(0, 2**15), st.integers(0, 2**32 - 1))
contents = st.one_of(
    st.just(decision_pb2.Decision()),
    st.builds(
        decision_pb2.Decision,
        note=st.text(max_size=5),
        cheat=st.builds(
            cheat_pb2.CheatAction, kind=st.integers(0, 9), cards=st.binary(max_size=6), rank=numbers, count=numbers
        ),
    ),
    st.builds(
        decision_pb2.Decision,
        cheater=st.builds(
            cheater_pb2.CheaterAction, kind=st.integers(0, 9), card=numbers, cards=st.binary(max_size=150)
        ),
    ),
    st.builds(decision_pb2.Decision, no_answer=st.builds(decision_pb2.NoAnswer, text=st.text(max_size=3))),
)


@st.composite
def decisions(draw: st.DrawFn) -> decision_pb2.Decision:
    decision = draw(contents)
    decision.match, decision.entrant = draw(numbers), draw(numbers)
    decision.prompt_id, decision.action_id = draw(numbers), draw(numbers)
    return decision


frames = st.builds(
    play_pb2.PlayRequest,
    decisions=st.lists(decisions(), max_size=4),
    notices=st.lists(
        st.builds(play_pb2.BotNotice, pong=st.builds(session_pb2.Pong, nonce=numbers)), max_size=1
    ),
)  # fmt: skip


def assert_read_alike(raw: bytes) -> None:
    """Compare with protobuf's parser: the same decisions and notices, or the same refusal."""
    try:
        frame = play_pb2.PlayRequest.FromString(raw)
    except DecodeError:
        with pytest.raises(DecodeError):
            BotFrame(raw)
        return
    read = BotFrame(raw)
    assert read.decision_count == len(frame.decisions)
    whole = []
    for match, entrant, prompt_id, action_id, content, _ in read.read_decisions(0, read.decision_count):
        decision = decision_pb2.Decision.FromString(content)
        assert not {field.name for field, _ in decision.ListFields()} & HEAD
        decision.match, decision.entrant = match, entrant
        decision.prompt_id, decision.action_id = prompt_id, action_id
        whole.append(decision)
    assert whole == list(frame.decisions)
    assert list(read.notices) == list(frame.notices)


@given(frames)
def test_frames_are_read_as_by_the_generated_code(frame):
    assert_read_alike(frame.SerializeToString())
    read = BotFrame(frame.SerializeToString()).read_decisions(0, 100)
    assert [size for *_, size in read] == [each.ByteSize() for each in frame.decisions]


@given(frames, st.integers(0, 2**32))
def test_mutated_frames_are_read_as_by_the_generated_code(frame, seed):
    """Whether or not the same bytes, unchanged, were read before."""
    raw, random = frame.SerializeToString() or b"\x0a\x00", Random(seed)
    BotFrame(raw)

    for _ in range(20):
        assert_read_alike(mutate(raw, random))


@pytest.mark.parametrize("raw", [
    "0a 06 18 01 20 01 08 00",        # the match comes last
    "0a 0a 08 05 18 01 20 01 08 00 52 00",  # the match comes twice, and the second one counts
    "0a 06 18 01 20 01 52 00 0a",     # the frame ends within a tag
    "0a 08 18 01 20 01 52 02 08",     # the action is longer than the decision
    "0a 04 18 01 20 81 01",           # a number reaches beyond its decision
    "0a 07 18 01 20 01 52 01 08",     # the action ends within a field
    "0a 0a 18 01 20 ff ff ff ff 1f 52 00",  # more than 32 bits
    "0a 07 18 81 00 20 01 52 00",     # a number with a needless byte
    "0a 09 18 01 20 01 2a 01 ff 52 00",  # a note that is no text
    "0a 0a 18 01 20 01 52 02 08 04 52 00",  # two actions of the same game, which are merged
    "0a 09 18 01 20 01 52 00 a2 01 00",  # actions of two games: the second one counts
    "0a 08 18 01 20 01 80 01 05",     # a field of a newer contract
    "",
])  # fmt: skip
def test_unusual_frames_are_read_as_by_the_generated_code(raw):
    assert_read_alike(bytes.fromhex(raw))
    assert_read_alike(bytes.fromhex(raw))


def test_decisions_of_a_frame_may_be_read_in_parts():
    """Whether the frame is short, or so long that it is left to protobuf."""
    for count in (3, 2 * MAX_SCANNED_BYTES):
        decisions = [decision_pb2.Decision(prompt_id=1 + index, action_id=1) for index in range(count)]
        frame = BotFrame(play_pb2.PlayRequest(decisions=decisions).SerializeToString())

        assert frame.decision_count == count
        assert [prompt_id for _, _, prompt_id, *_ in frame.read_decisions(1, 3)] == [2, 3]
        assert [prompt_id for _, _, prompt_id, *_ in frame.read_decisions(count - 1, count)] == [count]


def test_memory_of_contents_is_bounded(monkeypatch):
    """A bot that sends another content each time makes the server forget, and nothing else."""
    monkeypatch.setattr(bot_frames, "_MAX_KNOWN", 10)
    monkeypatch.setattr(bot_frames, "_known_contents", set())

    for rank in range(1, 100):
        action = cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY, rank=rank)
        decision = decision_pb2.Decision(prompt_id=1, action_id=1, cheat=action)
        assert_read_alike(play_pb2.PlayRequest(decisions=[decision]).SerializeToString())

        assert len(bot_frames._known_contents) <= 10
