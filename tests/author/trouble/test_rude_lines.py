"""Rude neighbours do what they are said to do, and each time is counted."""

import asyncio
from collections import Counter
from random import Random

import pytest

from arena.author.trouble.rude_lines import (
    LAST_MOMENT_S,
    REPEATS,
    AnswerAtLastMoment,
    AnswerIllegally,
    Flood,
    Leave,
    Manner,
    Reconnect,
    RudeTap,
    rude_taps,
)
from arena.server.rpc.play_relay import RelayedStream
from cheatarena.v1 import cheat_pb2, play_pb2

MANY = 200


def answer(prompt_id: int = 1) -> play_pb2.PlayRequest:
    frame = play_pb2.PlayRequest()
    frame.decisions.add(prompt_id=prompt_id).cheat.kind = cheat_pb2.CHEAT_ACTION_KIND_DECLINE
    return frame


def question(prompt_id: int, left_s: float) -> play_pb2.PlayResponse:
    frame = play_pb2.PlayResponse(now_us=1_000_000)
    prompt = frame.messages.add().prompts.add(id=prompt_id)
    prompt.deadline_us = frame.now_us + int(left_s * 1e6)
    return frame


def make(kind: type[Manner], **settings: int) -> tuple[RudeTap, Counter[str], RelayedStream]:
    counts: Counter[str] = Counter()
    return RudeTap([kind(counts, Random(1), **settings)]), counts, RelayedStream(1, {})


async def test_flood_repeats_some_frames():
    tap, counts, stream = make(Flood)

    sizes = [len(tap.on_bot_frame(stream, answer())) for _ in range(MANY)]

    assert set(sizes) == {1, REPEATS}
    assert sizes.count(REPEATS) == counts["floods"] > 0


async def test_illegal_answers_have_no_action():
    tap, counts, stream = make(AnswerIllegally)

    sent = [frame for _ in range(MANY) for frame in tap.on_bot_frame(stream, answer())]

    assert len(sent) == MANY
    spoiled = [frame for frame in sent if frame.decisions[0].WhichOneof("action") is None]
    assert len(spoiled) == counts["illegal answers"] > 0


async def test_answers_are_held_until_shortly_before_the_deadline():
    """The question leaves 0.25 s, so the held answer leaves after the rest of them without the margin."""
    tap, counts, stream = make(AnswerAtLastMoment)
    held = 0
    while not counts:
        tap.on_server_frame(stream, question(7, left_s=LAST_MOMENT_S + 0.1))
        asked = asyncio.get_running_loop().time()
        held = 1 - len(tap.on_bot_frame(stream, answer(7)))

    assert held == 1
    sent = await asyncio.wait_for(stream.to_server.get(), 5)

    assert sent == answer(7)
    assert asyncio.get_running_loop().time() - asked >= 0.09


async def test_an_answer_without_a_deadline_is_not_held():
    tap, counts, stream = make(AnswerAtLastMoment)

    assert all(tap.on_bot_frame(stream, answer()) for _ in range(MANY))
    assert not counts


async def test_connection_is_lost_again_and_again():
    tap, counts, _ = make(Reconnect)
    streams = [RelayedStream(1, {})]
    for _ in range(MANY):
        tap.on_server_frame(streams[-1], question(1, 1))
        if streams[-1].is_over:
            streams.append(RelayedStream(len(streams) + 1, {}))

    assert len(streams) - 1 == counts["reconnections"] > 1


async def test_goodbye_comes_once_and_in_the_last_game_only():
    tap, counts, stream = make(Leave, game_count=2)
    for game, has_left in ((0, False), (1, True)):
        started = play_pb2.PlayResponse()
        started.messages.add().events.add().game_started.game = game
        for frame in (started, *[question(1, 1)] * MANY):
            tap.on_server_frame(stream, frame)
        assert stream.to_server.empty() is not has_left

    sent = stream.to_server.get_nowait()
    assert sent is not None
    assert sent.notices[0].HasField("goodbye")
    assert stream.to_server.empty()
    assert counts["departures"] == 1
    again = RelayedStream(2, {})
    tap.on_opened(again)
    assert again.is_over, "it does not come back"


async def test_frames_without_decisions_pass():
    tap, counts, stream = make(Flood)
    ready = play_pb2.PlayRequest()
    ready.notices.add().ready.SetInParent()

    assert [tap.on_bot_frame(stream, ready) for _ in range(MANY)] == [[ready]] * MANY
    assert not counts


@pytest.mark.parametrize(("neighbours", "manners"), [(1, 4), (2, 5), (3, 5), (9, 5)])
def test_each_manner_has_its_neighbour_and_nobody_leaves_a_table_for_two(neighbours, manners):
    taps = rude_taps(neighbours, 2, Counter(), Random(1))

    kinds = [type(manner) for tap in taps for manner in tap._manners]
    assert len(taps) == neighbours
    assert len(kinds) == len(set(kinds)) == manners
    assert (Leave in kinds) is (neighbours > 1)
