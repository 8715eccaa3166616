"""The bot without the SDK, broken in one way: `python broken_bot.py FAULT`."""

import os
import random
import runpy
import secrets
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from cheatarena.v1 import cheat_pb2, decision_pb2, event_pb2, play_pb2

raw_bot: Any = import_module("tests.e2e.raw_bot")
"""The sound bot. Each fault replaces some of its parts."""


def decline_offers() -> None:
    def decline(_, reply):
        for notice in reply.notices:
            if notice.HasField("offer_answer"):
                notice.offer_answer.accept = False

    _change_replies(decline)


def ignore_windows() -> None:
    _drop_decisions(lambda prompt: prompt.HasField("cheat_window"))


def answer_twice() -> None:
    def double(_, reply):
        for decision in list(reply.decisions):
            reply.decisions.add().CopyFrom(decision)
            reply.decisions[-1].action_id += 1

    _change_replies(double)


def claim_illegal_ranks() -> None:
    choose = raw_bot.Seat.choose

    def choose_wrongly(seat, prompt):
        action = choose(seat, prompt)
        if action.kind == cheat_pb2.CHEAT_ACTION_KIND_PLAY:
            action.rank = 40
        return action

    raw_bot.Seat.choose = choose_wrongly


def forget_refusals() -> None:
    raw_bot.Seat.answer_again = lambda seat, answer: None


def repeat_refused_id() -> None:
    raw_bot.Seat.next_action_id = lambda seat, prompt_id: prompt_id * 16


def refuse_unknown_facts() -> None:
    learn = raw_bot.Seat.learn

    def learn_strictly(seat, event: event_pb2.Event):
        if event.WhichOneof("fact") is None:
            raise ValueError("unknown fact")
        learn(seat, event)

    raw_bot.Seat.learn = learn_strictly


def read_only_single_cards() -> None:
    raw_bot.cards_of = lambda message: list(message.cards)


def read_withdrawn_first() -> None:
    hear = raw_bot.Seat.hear

    def hear_withdrawn_first(seat, message):
        for closed in message.withdrawn:
            seat.prompts.pop(closed, None)
        del message.withdrawn[:]
        hear(seat, message)

    raw_bot.Seat.hear = hear_withdrawn_first


def ignore_gaps() -> None:
    raw_bot.MissingMessageError = type("NeverRaised", (Exception,), {})
    hear = raw_bot.Seat.hear

    def hear_all(seat, message):
        seat.sequence = message.sequence - 1
        hear(seat, message)

    raw_bot.Seat.hear = hear_all


def end_at_withdrawn_offer() -> None:
    def end(frame, _):
        if any(notice.HasField("offer_closed") for notice in frame.notices):
            os._exit(3)

    _change_replies(end)


def break_promise() -> None:
    def promise_zeros(frame, reply):
        for notice in reply.notices:
            if notice.HasField("offer_answer"):
                notice.offer_answer.entropy_promise = bytes(32)
        for notice in frame.notices:
            if notice.HasField("entropy_asked"):
                entropy = reply.notices.add().entropy
                entropy.offer_id, entropy.entropy = notice.entropy_asked.offer_id, bytes(32)

    _change_replies(promise_zeros)


def leave_seats() -> None:
    def leave_each(_, reply):
        for decision in reply.decisions:
            leave = reply.notices.add().leave
            leave.match, leave.entrant = decision.match, decision.entrant

    _change_replies(leave_each)


def forget_ticket() -> None:
    """Open a stream to the node that Assigned names, but without the ticket."""

    def open_stream(frame, _):
        for notice in frame.notices:
            if notice.assigned.node_address:
                stub = raw_bot.play_pb2_grpc.PlayServiceStub(raw_bot.open_channel(notice.assigned.node_address))
                threading.Thread(target=raw_bot.Player().play_once, args=(stub,), daemon=True).start()

    _change_replies(open_stream)


def speak_version_2() -> None:
    play_once = raw_bot.Player.play_once

    class Stub:
        def __init__(self, stub):
            self.stub = stub

        def Play(self, frames, metadata):  # noqa: N802  the name of the method in the contract
            return self.stub.Play(map(_with_version_2, frames), metadata=metadata)

    raw_bot.Player.play_once = lambda player, stub: play_once(player, Stub(stub))


def _with_version_2(frame: play_pb2.PlayRequest) -> play_pb2.PlayRequest:
    if frame.notices and frame.notices[0].HasField("hello"):
        frame.notices[0].hello.protocol_version = 2
    return frame


def never_ready() -> None:
    _drop_notices("ready")


def never_pong() -> None:
    _drop_notices("pong")


def change_instance() -> None:
    play_once = raw_bot.Player.play_once

    def play(player, stub):
        os.environ["CHEATARENA_INSTANCE"] = secrets.token_hex(4)
        return play_once(player, stub)

    raw_bot.Player.play_once = play


def give_up_when_lost() -> None:
    raw_bot.LASTING = ()


def come_back_when_replaced() -> None:
    raw_bot.LASTING = (*raw_bot.LASTING, raw_bot.grpc.StatusCode.ABORTED)


def hurry_back() -> None:
    raw_bot.FIRST_PAUSE_S = raw_bot.LONGEST_PAUSE_S = 1.0  # long enough that a busy machine does not make it grow


def use_own_clock() -> None:
    started = time.monotonic()

    def is_late(prompt: decision_pb2.Prompt) -> bool:
        now_us = (time.monotonic() - started) * 1e6
        return prompt.HasField("deadline_us") and not now_us - 60e6 < prompt.deadline_us < now_us + 60e6

    _drop_decisions(is_late)


def answer_each_in_a_frame() -> None:
    player = raw_bot.Player()
    raw_bot.Player = lambda: player

    def send_each(_, reply):
        for decision in reply.decisions:
            player.outbox.put(play_pb2.PlayRequest(decisions=[decision]))
        del reply.decisions[:]

    _change_replies(send_each)


def answer_unnumbered() -> None:
    def answer(frame, reply):
        for message in frame.messages:
            if not message.sequence:
                refused = message.answers[0]
                reply.decisions.add(match=message.match, entrant=message.entrant, prompt_id=refused.prompt_id)
                reply.decisions[-1].action_id = 1 + random.randrange(100)

    _change_replies(answer)


def leave_without_goodbye() -> None:
    raw_bot.Player.stop = lambda *_: os._exit(0)


def stay_on_dead_line() -> None:
    raw_bot.is_line_dead = lambda *_: False


def leave_at_first_interrupt() -> None:
    """Play with the SDK, and without what it does when it is interrupted in a pool."""
    client: Any = import_module("cheatarena.client").Client
    client.finish = lambda _: False
    runpy.run_path(str(Path(__file__).parents[3] / "sample_bots/python/honest/bot.py"), run_name="__main__")


def keep_silent_about_token() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def open_second_stream() -> None:
    play_once = raw_bot.Player.play_once

    def play(player, stub):
        threading.Thread(target=play_once, args=(raw_bot.Player(), stub), daemon=True).start()
        return play_once(player, stub)

    raw_bot.Player.play_once = play


def end_with_code_1() -> None:
    run = raw_bot.Player.run
    raw_bot.Player.run = lambda player: min(1, run(player))


def repeat_ready() -> None:
    """Say Ready twice on each stream after the first."""
    play_once = raw_bot.Player.play_once
    counts = {"streams": 0, "repeated": 0}

    def play(player, stub):
        counts["streams"] += 1
        return play_once(player, stub)

    def repeat(_, reply):
        if counts["streams"] > 1 and not counts["repeated"]:
            repeated = [notice for notice in reply.notices if notice.HasField("ready")]
            counts["repeated"] = len(repeated)
            reply.notices.extend(repeated)

    raw_bot.Player.play_once = play
    _change_replies(repeat)


def _drop_decisions(is_dropped) -> None:
    def drop(frame, reply):
        dropped = {
            (message.match, message.entrant, prompt.id)
            for message in frame.messages
            for prompt in (*message.prompts, *message.snapshot.prompts)
            if is_dropped(prompt)
        }
        kept = [each for each in reply.decisions if (each.match, each.entrant, each.prompt_id) not in dropped]
        del reply.decisions[:]
        reply.decisions.extend(kept)

    _change_replies(drop)


def _drop_notices(kind: str) -> None:
    def drop(_, reply):
        kept = [notice for notice in reply.notices if not notice.HasField(kind)]
        del reply.notices[:]
        reply.notices.extend(kept)

    _change_replies(drop)


def _change_replies(change) -> None:
    """Let the sound bot answer each frame, then pass the frame and the reply to `change` before the reply is sent."""
    answer_to = raw_bot.answer_to

    def answer(frame, seats):
        reply = answer_to(frame, seats)
        change(frame, reply)
        return reply

    raw_bot.answer_to = answer


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    player = raw_bot.Player()
    raw_bot.signal.signal(raw_bot.signal.SIGTERM, player.stop)
    sys.exit(player.run())
