"""The decisions a bot may send to a running match; the worst of them harm no other bot."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import grpc
import pytest

from arena.match.referee.inputs import Answer, InputKind
from arena.match.referee.scalars import Instant
from arena.server.node.frame_handler import FrameHandler
from arena.server.node.limits import Limits
from arena.server.wire.bot_frames import SentDecision
from cheatarena.v1 import cheat_pb2, decision_pb2, error_reason_pb2, lobby_pb2, match_pb2, play_pb2, session_pb2
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.wire_bot import play_lowest

PLAY = cheat_pb2.CHEAT_ACTION_KIND_PLAY
CALL = cheat_pb2.CHEAT_ACTION_KIND_CALL
DECLINE = cheat_pb2.CHEAT_ACTION_KIND_DECLINE
ACCEPTED = decision_pb2.DECISION_STATUS_ACCEPTED
REFUSED = decision_pb2.DECISION_STATUS_REFUSED

ANN, BOB = (1, 0), (1, 1)


def reason(answer: decision_pb2.DecisionAnswer) -> str:
    return error_reason_pb2.ErrorReason.Name(answer.reason).removeprefix("ERROR_REASON_")


def lay(bot, seat, count=1, **changes):
    """Return a legal first move, with any given changes."""
    return {"kind": PLAY, "cards": bytes(sorted(bot.hands[seat])[:count]), "count": count, "rank": 0} | changes


async def test_each_decision_gets_one_answer(site: LocalServer):
    """It is accepted once; a repeat gets the same answer, and a different decision does not count."""
    _, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
    _, prompt = await ann.wait_for_prompt("cheat_turn")
    move = lay(ann, ANN)

    first = await ann.wait_for_answer(await ann.decide(ANN, prompt.id, 7, **move))
    again = await ann.wait_for_answer(await ann.decide(ANN, prompt.id, 7, **move))
    conflict = await ann.wait_for_answer(await ann.decide(ANN, prompt.id, 7, kind=CALL))
    second = await ann.wait_for_answer(await ann.decide(ANN, prompt.id, 8, **move))

    assert first.status == again.status == ACCEPTED
    assert reason(conflict) == "ACTION_ID_CONFLICT"
    assert reason(second) == "ALREADY_ANSWERED"
    answers = [answer for message in ann.messages for answer in message.answers]
    assert len(answers) == 4


async def test_refusal_reveals_nothing_about_other_prompts(site: LocalServer):
    """Another seat's prompt, another match, an unknown match and a future prompt get one refusal, equal but for ids."""
    match, (_, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    await bob.wait_for_event("cheat_dealt")
    cases = {
        "another's seat": (ANN, 1),
        "another's seat, no prompt": (ANN, 99),
        "no such entrant": ((1, 77), 1),
        "no such match": ((55, 1), 1),
        "a prompt of another seat": (BOB, 1),
        "a prompt that will come": (BOB, 2),
        "nonsense": (BOB, 4_000_000_000),
    }

    told = {}
    for name, (seat, prompt_id) in cases.items():
        action_id = await bob.decide(seat, prompt_id, kind=CALL)
        answer = await bob.wait_for_answer(action_id)
        message = bob.messages[-1]
        assert (message.match, message.entrant) == seat
        assert (answer.prompt_id, answer.action_id) == (prompt_id, action_id)
        answer.ClearField("prompt_id")
        answer.ClearField("action_id")
        message.answers[0].CopyFrom(answer)
        for field in ("match", "entrant", "sequence"):
            message.ClearField(field)
        told[name] = message.SerializeToString()

    assert len(set(told.values())) == 1, told
    assert reason(answer) == "UNKNOWN_PROMPT"
    running = (await site.matches.GetMatch(_get(match), metadata=site.organizing)).match
    assert running.strikes[1].illegal == 0


def _get(match):
    return match_pb2.GetMatchRequest(match_id=match.match_id)


async def test_illegal_answer_is_refused_and_prompt_stays_open(site: LocalServer):
    """Each refusal has the rule's reason; cards held by others and cards held by no seat get the same one."""
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    _, prompt = await ann.wait_for_prompt("cheat_turn")
    await bob.wait_for_event("cheat_dealt")
    others, own = bob.hands[BOB][0], ann.hands[ANN][0]
    wrong = {
        "others": lay(ann, ANN, cards=bytes([others])),
        "no card": lay(ann, ANN, cards=bytes([200])),
        "all cards": lay(ann, ANN, cards=bytes(3_000), count=3_000),
        "double": lay(ann, ANN, cards=bytes([own, own]), count=2),
        "count": lay(ann, ANN, count=2, cards=bytes([own])),
        "rank": lay(ann, ANN, rank=13),
        "call": {"kind": CALL},
    }

    reasons = {}
    for name, action in wrong.items():
        reasons[name] = reason(await ann.wait_for_answer(await ann.decide(ANN, prompt.id, **action)))
    right = await ann.wait_for_answer(await ann.decide(ANN, prompt.id, **lay(ann, ANN)))

    assert reasons["others"] == reasons["double"] == reasons["no card"] == reasons["all cards"] == "NOT_IN_HAND"
    assert reasons["count"] == "COUNT_MISMATCH"
    assert reasons["rank"] == "ILLEGAL_RANK"
    assert reasons["call"] == "NOT_ASKED"
    assert right.status == ACCEPTED
    await asyncio.gather(ann.play(play_lowest), bob.play(play_lowest))
    ended = await site.wait_for_result(match)
    assert ended.termination == "finished"
    assert ended.strikes[0].illegal == len(wrong)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"cheat": None}, "MALFORMED", id="no-action"),
        pytest.param({"cheat": cheat_pb2.CheatAction()}, "MALFORMED", id="no-kind"),
        pytest.param({"cheat": cheat_pb2.CheatAction(kind=9)}, "MALFORMED", id="unknown-kind"),  # type: ignore[arg-type]  # no kind
        pytest.param({"cheat": cheat_pb2.CheatAction(kind=PLAY, cards=b"\xc8", count=1)}, "NOT_IN_HAND", id="no-card"),
        pytest.param({"cheat": cheat_pb2.CheatAction(kind=PLAY, rank=13)}, "ILLEGAL_RANK", id="no-rank"),
        pytest.param({"cheat": cheat_pb2.CheatAction(kind=PLAY, rank=2**32 - 1)}, "ILLEGAL_RANK", id="huge-rank"),
        pytest.param({"cheat": cheat_pb2.CheatAction(kind=PLAY, count=2**32 - 1)}, "COUNT_MISMATCH", id="huge-count"),
        pytest.param({"cheat": cheat_pb2.CheatAction(kind=PLAY, cards=bytes(4_000))}, "NOT_IN_HAND", id="many-cards"),
        pytest.param({"cheat": cheat_pb2.CheatAction(kind=PLAY, cards=bytes(5_000))}, "MALFORMED", id="too-large"),
        pytest.param({"action_id": 0}, "MALFORMED", id="no-action-id"),
        pytest.param({"prompt_id": 0}, "MALFORMED", id="no-prompt-id"),
        pytest.param({"note": "x" * 201}, "NOTE_TOO_LONG", id="long-note"),
        pytest.param({"note": "é" * 101}, "NOTE_TOO_LONG", id="long-note-in-bytes"),
    ],
)
async def test_nonsensical_decision_is_refused(site: LocalServer, changes, expected):
    """The rules refuse it if it is an action, otherwise it is unreadable: a strike with a reason.

    A legal answer still counts.
    """
    match, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
    _, prompt = await ann.wait_for_prompt("cheat_turn")
    given = {"match": 1, "entrant": 0, "prompt_id": prompt.id, "action_id": 5, "cheat": {"kind": PLAY}} | changes

    await ann.send(decisions=[decision_pb2.Decision(**given)])
    refused = await ann.wait_for_answer(given["action_id"])
    right = await ann.wait_for_answer(await ann.decide(ANN, prompt.id, 6, **lay(ann, ANN)))

    assert reason(refused) == expected
    assert right.status == ACCEPTED
    assert (InputKind.REJECT in {each.kind for each in site.read_journal()}) == (
        expected in ("MALFORMED", "NOTE_TOO_LONG")
    )
    running = (await site.matches.GetMatch(_get(match), metadata=site.organizing)).match
    assert running.strikes[0].illegal == 1


async def test_note_reaches_journal(site: LocalServer):
    """The note has the maximum length, in letters of more than one byte."""
    _, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
    _, prompt = await ann.wait_for_prompt("cheat_turn")
    note = "é" * 100
    decision = decision_pb2.Decision(match=1, prompt_id=prompt.id, action_id=1, note=note, cheat=lay(ann, ANN))

    await ann.send(decisions=[decision])

    assert (await ann.wait_for_answer(1)).status == ACCEPTED
    assert [each.note for each in site.read_journal() if isinstance(each, Answer)] == [note]


FEW_TURNS = (match_pb2.OptionSetting(name="max_turns", value="4"),)
"""Enough for a match to go on without a bot; it waits for that bot at every second turn."""
GARBAGE = {
    "bytes": b"\xff\xff\xff\xff",
    "text": b"\x0a\x04\x2a\x02\xff\xfe",  # a note that is no UTF-8
    "unset-notice": play_pb2.PlayRequest(notices=[play_pb2.BotNotice()]).SerializeToString(),
    "unknown-notice": b"\x12\x05\xca\x3e\x02ab",
}  # fmt: skip


@pytest.mark.parametrize("frame", GARBAGE.values(), ids=GARBAGE)
async def test_garbage_is_counted_and_ends_stream(site: LocalServer, frame):
    """Nineteen invalid messages are tolerated.

    The twentieth within ten seconds ends that stream, and its match continues.
    """
    match, (ann, bob) = await site.seat_bots(
        "ann", "bob", pace=slow_pace(reconnect_grace_ms=0, turn_ms=200, call_ms=200), options=FEW_TURNS
    )
    await ann.wait_for_prompt()
    for _ in range(19):
        await ann.send_raw(frame)
    ping = await ann.decide((9, 9), 1)
    await ann.wait_for_answer(ping)

    await ann.send_raw(frame)
    refusal = await ann.wait_for_end()

    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.reason == "TOO_MANY_INVALID"
    await bob.play(play_lowest)
    assert (await site.wait_for_result(match)).termination == "finished"


async def test_oversized_frame_ends_only_its_stream(site: LocalServer):
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    await ann.wait_for_prompt()

    await ann.send_raw(bytes((1 << 20) + 1))
    refusal = await ann.wait_for_end()

    assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    again = await site.open_stream("ann")
    await again.open_session()
    await asyncio.gather(again.play(play_lowest), bob.play(play_lowest))
    assert (await site.wait_for_result(match)).strikes[0].missing == 0


async def test_flood_is_dropped_and_counted(site: LocalServer):
    """Messages beyond the allowance get no answer; the flooder's match and all others continue."""
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    _, prompt = await ann.wait_for_prompt("cheat_turn")
    flood = [
        decision_pb2.Decision(match=1, prompt_id=99, action_id=i, cheat=cheat_pb2.CheatAction(kind=CALL))
        for i in range(1, 2001)
    ]

    await ann.send(decisions=flood)
    await ann.wait_for_answer(40)
    dropped = site.node.sessions["ann", "one"].dropped_count
    await asyncio.sleep(0.05)  # the allowance comes back with time
    right = await ann.wait_for_answer(await ann.decide(ANN, prompt.id, 5000, **lay(ann, ANN)))
    answered = sum(len(message.answers) for message in ann.messages) - 1

    assert dropped == 2000 - answered
    assert 50 <= answered < 80
    assert right.status == ACCEPTED
    await asyncio.gather(_play_on(ann), bob.play(play_lowest))
    assert (await site.wait_for_result(match)).strikes[1].missing == 0


@pytest.mark.slow
@pytest.mark.replaces_code
async def test_answer_at_end_of_long_frame_is_judged_by_arrival(tmp_path, monkeypatch):
    """However long the frame takes, no deadline and no later message is judged before the frame is processed."""

    def slowly(self: FrameHandler, decisions: Sequence[SentDecision], at: Instant, now: Instant) -> None:
        for decision in decisions:
            time.sleep(pauses[0])
            decide(self, [decision], at, now)

    decide = FrameHandler._handle_decisions
    pauses = [0.0]
    monkeypatch.setattr(FrameHandler, "_handle_decisions", slowly)
    stale = [decision_pb2.Decision(match=1, prompt_id=99, action_id=i) for i in range(1, 3001)]
    async with open_server(tmp_path, replace(Limits(), messages_a_second=1_000_000, invalid_messages=10_000)) as site:
        match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace(turn_ms=3000))
        _, prompt = await ann.wait_for_prompt("cheat_turn")
        move = decision_pb2.Decision(match=1, prompt_id=prompt.id, action_id=9000, cheat=lay(ann, ANN))
        left_s = (prompt.deadline_us - site.node.now()) / 1e6
        pauses[0] = 1.2 * left_s / len(stale)  # it comes in good time, also to a busy machine, and takes longer

        await ann.send(decisions=[*stale, move])
        asked = asyncio.ensure_future(bob.wait_for_prompt("cheat_window"))
        given = await ann.wait_for_answer(9000)

        assert given.status == ACCEPTED
        assert site.node.now() > prompt.deadline_us, "the frame took longer than the time for the answer"
        await asked
        await site.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id=match.match_id), metadata=site.organizing)
        assert (await site.wait_for_result(match)).strikes[0].missing == 0


async def _play_on(bot):
    bot._action_ids = iter(range(6000, 9000))
    await bot.play(play_lowest)


@pytest.mark.slow
async def test_bot_that_does_not_read_is_disconnected(tmp_path):
    """Its own outbox fills up, its stream ends, and its match continues without delaying the others."""
    limits = replace(Limits(), outbox_bytes=20_000, outbox_bytes_a_seat=100, messages_a_second=1_000_000)
    small = (("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0))
    async with open_server(tmp_path, limits) as site:
        ann = await site.open_stream("ann", *small)
        await ann.open_session()
        bob = await site.connect_bot("bob")
        match = await site.create_match("ann", "bob", pace=slow_pace(turn_ms=300, call_ms=300, reconnect_grace_ms=0))
        await ann.answer_offer()
        await bob.answer_offer()
        asks = [decision_pb2.Decision(match=7, prompt_id=1, action_id=i) for i in range(1, 4001)]

        playing = asyncio.ensure_future(bob.play(play_lowest))
        for _ in range(5):
            await ann.send(decisions=asks)
        await site.wait_until_gone("ann")
        await playing
        refusal = await ann.wait_for_end()

        assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert refusal.reason == "TOO_SLOW"
        ended = await site.wait_for_result(match)
        assert ended.strikes[0].missing > 0
        assert ended.strikes[1].missing == 0


async def test_seat_can_be_given_up(site: LocalServer):
    """The other bots play on."""
    match, (ann, bob, cid) = await site.seat_bots("ann", "bob", "cid", pace=slow_pace())
    await ann.wait_for_prompt()

    await ann.send(play_pb2.BotNotice(leave=lobby_pb2.Leave(match=1, entrant=0)))
    await asyncio.gather(bob.play(play_lowest), cid.play(play_lowest), ann.wait_for_event("match_ended"))

    ended = await site.wait_for_result(match)
    assert ended.games[0].places[0] == 3
    assert ended.strikes[0].gone == 1


async def test_bot_cannot_give_up_another_seat(site: LocalServer):
    _, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    await ann.wait_for_prompt()

    await bob.send(
        play_pb2.BotNotice(leave=lobby_pb2.Leave(match=1, entrant=0)),
        play_pb2.BotNotice(ready=lobby_pb2.Ready(match=1, entrant=0)),
        play_pb2.BotNotice(pong=session_pb2.Pong(nonce=12)),
    )
    await bob.wait_for_answer(await bob.decide((9, 9), 1))

    assert not site.node.registry.matches[1].table.referee.entrant_records[0].gone
