"""The hand-written encoding agrees with the generated code."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cheatarena import Bot, Call, Decline, Pass, Play, ProtocolError
from cheatarena.encoding import DecisionWriter, encode_accepted
from cheatarena.prompts import split_prompt
from cheatarena.scanning import read_varints, split_frame, split_message
from cheatarena.v1 import cheat_pb2, decision_pb2, event_pb2, play_pb2, session_pb2

numbers = st.integers(0, 2**32 - 1)
times = st.none() | st.integers(0, 2**62)
options: st.SearchStrategy[Any] = st.one_of(
    st.builds(lambda final: {"cheat_window": cheat_pb2.CheatWindow(final=final)}, st.booleans()),
    st.builds(lambda ranks: {"cheat_turn": cheat_pb2.CheatTurn(ranks=ranks, counts=[1, 4])}, st.binary(max_size=13)),
    st.just({}),
)
prompts = st.builds(
    lambda legal, **fields: decision_pb2.Prompt(**legal, **fields),
    options, id=numbers, deadline_us=times, earliest_us=times, lands_us=times,
)  # fmt: skip
answers = st.builds(decision_pb2.DecisionAnswer, prompt_id=numbers, action_id=numbers, status=st.integers(0, 5))
events = st.builds(
    lambda detail: event_pb2.Event(match_ended=event_pb2.MatchEnded(termination=detail)), st.text(max_size=300)
)
messages = st.builds(
    play_pb2.SeatMessage,
    match=numbers,
    entrant=numbers,
    sequence=st.integers(0, 2**64 - 1),
    events=st.lists(events, max_size=3),
    prompts=st.lists(prompts, max_size=3),
    withdrawn=st.lists(numbers, max_size=3),
    answers=st.lists(answers, max_size=3),
    joined_count=st.one_of(st.integers(0, 15), numbers),
)
LISTS = {"events", "prompts", "withdrawn", "answers"}


def pieces_of(message: Any) -> list[bytes]:
    """Encode each field separately, and each value of a repeated field."""
    return [
        type(message)(**{field.name: each}).SerializeToString()
        for field, value in message.ListFields()
        for each in ([[one] for one in value] if field.name in LISTS else [value])
    ]


moves = st.one_of(
    st.builds(Play.of, st.lists(st.integers(0, 52), max_size=200), st.integers(0, 12), st.text(max_size=66)),
    st.builds(Pass, st.text(max_size=66)),
    st.builds(Call),
    st.builds(Decline),
)


@pytest.mark.slow
@given(messages)
def test_message_splits_like_in_the_generated_code(message):
    *head, events, prompts, withdrawn, answers, snapshot, joined_count = split_message(message.SerializeToString())

    assert [*head, joined_count] == [message.match, message.entrant, message.sequence, message.joined_count]
    assert list(map(event_pb2.Event.FromString, events)) == list(message.events)
    assert list(map(decision_pb2.Prompt.FromString, prompts)) == list(message.prompts)
    assert list(map(decision_pb2.DecisionAnswer.FromString, answers)) == list(message.answers)
    assert read_varints(withdrawn) == list(message.withdrawn)
    assert snapshot is None


@given(messages, st.randoms())
def test_message_may_have_its_fields_in_any_order(message, rng):
    """Only the order within a repeated field is guaranteed by the protobuf encoding."""
    pieces = pieces_of(message)
    rng.shuffle(pieces)
    shuffled = play_pb2.SeatMessage.FromString(b"".join(pieces))

    *head, events, prompts, withdrawn, answers, _, joined_count = split_message(b"".join(pieces))

    assert [*head, joined_count] == [message.match, message.entrant, message.sequence, message.joined_count]
    assert list(map(event_pb2.Event.FromString, events)) == list(shuffled.events)
    assert list(map(decision_pb2.Prompt.FromString, prompts)) == list(shuffled.prompts)
    assert list(map(decision_pb2.DecisionAnswer.FromString, answers)) == list(shuffled.answers)
    assert read_varints(withdrawn) == list(shuffled.withdrawn)


@given(prompts, st.randoms())
def test_prompt_splits_into_id_and_legal_actions_in_any_order(prompt, rng):
    pieces = pieces_of(prompt)
    first_id = split_prompt(prompt.SerializeToString())
    rng.shuffle(pieces)

    for prompt_id, legal in (first_id, split_prompt(b"".join(pieces))):
        read = decision_pb2.Prompt.FromString(legal)
        assert prompt_id == prompt.id
        assert read.WhichOneof("options") == prompt.WhichOneof("options")
        assert (read.cheat_turn, read.cheat_window) == (prompt.cheat_turn, prompt.cheat_window)


@given(numbers, numbers)
def test_accepted_decision_is_what_the_server_writes(prompt_id, action_id):
    answer = decision_pb2.DecisionAnswer(
        prompt_id=prompt_id, action_id=action_id, status=decision_pb2.DECISION_STATUS_ACCEPTED
    )

    assert decision_pb2.DecisionAnswer.FromString(encode_accepted(prompt_id, action_id)) == answer
    if prompt_id and action_id:
        assert encode_accepted(prompt_id, action_id) == answer.SerializeToString()


@given(st.lists(st.integers(0, 52), max_size=200), st.integers(0, 12), st.none() | st.integers(0, 300))
def test_plays_are_encoded_like_in_the_generated_code(laid, rank, count):
    claimed = len(laid) if count is None else count
    action = cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY, cards=bytes(laid), rank=rank, count=claimed)

    written = Bot.game.write_action(Play.of(laid, rank, count=count))

    assert written == decision_pb2.Decision(cheat=action).SerializeToString()


@given(st.lists(messages, max_size=4), st.integers(0, 2**62))
def test_frame_splits_into_its_messages_and_the_rest(some, now_us):
    frame = play_pb2.PlayResponse(
        messages=some, now_us=now_us, notices=[play_pb2.ServerNotice(ping=session_pb2.Ping(nonce=now_us))]
    )

    split, rest = split_frame(frame.SerializeToString())

    assert [play_pb2.SeatMessage.FromString(each) for each in split] == some
    assert play_pb2.PlayResponse.FromString(rest) == play_pb2.PlayResponse(now_us=now_us, notices=frame.notices)


@given(numbers, numbers, st.lists(moves, min_size=1, max_size=4))
def test_generated_code_reads_the_decisions(match, entrant, some):
    writer = DecisionWriter(match, entrant, Bot.game.write_action)

    frame = b"".join(writer.write(300 + index, index + 1, move) for index, move in enumerate(some))
    decisions = play_pb2.PlayRequest.FromString(frame).decisions

    assert [(each.match, each.entrant, each.prompt_id, each.action_id) for each in decisions] == [
        (match, entrant, 300 + index, index + 1) for index in range(len(some))
    ]
    assert [each.note for each in decisions] == [move.note for move in some]
    assert [each.cheat.kind for each in decisions] == [[Play, Pass, Call, Decline].index(type(m)) + 1 for m in some]
    for each, move in zip(decisions, some, strict=True):
        if isinstance(move, Play):
            assert (tuple(each.cheat.cards), each.cheat.rank, each.cheat.count) == (
                move.cards,
                move.rank,
                len(move.cards),
            )


@pytest.mark.parametrize("unknown", ["80 01 05", "7d 01 02 03 04", "79 01 02 03 04 05 06 07 08", "fa 01 02 41 42"])
def test_fields_of_a_newer_contract_are_skipped(unknown):
    message = play_pb2.SeatMessage(match=7, sequence=9, withdrawn=[3])
    encoded = bytes.fromhex(unknown) + message.SerializeToString() + bytes.fromhex(unknown)

    match, _, sequence, _, _, withdrawn, *_ = split_message(encoded)
    split, _ = split_frame(bytes.fromhex(unknown) + play_pb2.PlayResponse(messages=[message]).SerializeToString())

    assert (match, sequence, read_varints(withdrawn)) == (7, 9, [3])
    assert split == [message.SerializeToString()]


@pytest.mark.parametrize("broken", ["0a 05 01", "0a", "0a ff", "7f 01"])
def test_truncated_frame_is_refused(broken):
    with pytest.raises(ProtocolError):
        split_frame(bytes.fromhex(broken))


@pytest.mark.parametrize("broken", ["22 05 01", "08", "18 ff", "7f 01"])
def test_truncated_message_is_refused(broken):
    with pytest.raises(ProtocolError):
        split_message(bytes.fromhex(broken))


@pytest.mark.parametrize(("number", "varint"), [(3, "03"), (200, "c8 01")])
def test_ids_of_closed_prompts_are_read_one_by_one(number, varint):
    """The server does not pack them. The protobuf library reads both forms."""
    head = play_pb2.SeatMessage(match=7, sequence=9, events=[event_pb2.Event()]).SerializeToString()
    encoded = head + bytes.fromhex(f"30 {varint} 30 05")

    withdrawn = split_message(encoded)[5]

    assert read_varints(withdrawn) == [number, 5]
    assert list(play_pb2.SeatMessage.FromString(encoded).withdrawn) == [number, 5]
