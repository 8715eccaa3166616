"""The bot without the SDK, broken in one way: `python broken_bot.py FAULT`."""

import os
import random
import secrets
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from cheatarena.v1 import cheat_pb2, decision_pb2, event_pb2, play_pb2

raw_bot: Any = import_module("tests.e2e.raw_bot")
"""The sound bot. Each fault replaces some of its parts."""


def decline_offers() -> None:
    answer_to = raw_bot.answer_to

    def answer(frame, seats):
        reply = answer_to(frame, seats)
        for notice in reply.notices:
            if notice.HasField("offer_answer"):
                notice.offer_answer.accept = False
        return reply

    raw_bot.answer_to = answer


def ignore_windows() -> None:
    _drop_decisions(lambda prompt: prompt.HasField("cheat_window"))


def answer_twice() -> None:
    answer_to = raw_bot.answer_to

    def answer(frame, seats):
        reply = answer_to(frame, seats)
        for decision in list(reply.decisions):
            reply.decisions.add().CopyFrom(decision)
            reply.decisions[-1].action_id += 1
        return reply

    raw_bot.answer_to = answer


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
    raw_bot.LONGEST_PAUSE_S = raw_bot.FIRST_PAUSE_S


def use_own_clock() -> None:
    started = time.monotonic()

    def is_late(prompt: decision_pb2.Prompt) -> bool:
        now_us = (time.monotonic() - started) * 1e6
        return prompt.HasField("deadline_us") and not now_us - 60e6 < prompt.deadline_us < now_us + 60e6

    _drop_decisions(is_late)


def answer_each_in_a_frame() -> None:
    answer_to = raw_bot.answer_to
    player = raw_bot.Player()
    raw_bot.Player = lambda: player

    def answer(frame, seats):
        reply = answer_to(frame, seats)
        for decision in reply.decisions:
            player.outbox.put(play_pb2.PlayRequest(decisions=[decision]))
        del reply.decisions[:]
        return reply

    raw_bot.answer_to = answer


def answer_unnumbered() -> None:
    answer_to = raw_bot.answer_to

    def answer(frame, seats):
        reply = answer_to(frame, seats)
        for message in frame.messages:
            if not message.sequence:
                refused = message.answers[0]
                reply.decisions.add(match=message.match, entrant=message.entrant, prompt_id=refused.prompt_id)
                reply.decisions[-1].action_id = 1 + random.randrange(100)
        return reply

    raw_bot.answer_to = answer


def leave_without_goodbye() -> None:
    raw_bot.Player.stop = lambda *_: os._exit(0)


def keep_silent_about_token() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def open_second_stream() -> None:
    play_once = raw_bot.Player.play_once

    def play(player, stub):
        threading.Thread(target=play_once, args=(raw_bot.Player(), stub), daemon=True).start()
        return play_once(player, stub)

    raw_bot.Player.play_once = play


def _drop_decisions(is_dropped) -> None:
    answer_to = raw_bot.answer_to

    def answer(frame, seats):
        dropped = {
            (message.match, message.entrant, prompt.id)
            for message in frame.messages
            for prompt in (*message.prompts, *message.snapshot.prompts)
            if is_dropped(prompt)
        }
        reply = answer_to(frame, seats)
        kept = [each for each in reply.decisions if (each.match, each.entrant, each.prompt_id) not in dropped]
        del reply.decisions[:]
        reply.decisions.extend(kept)
        return reply

    raw_bot.answer_to = answer


def _drop_notices(kind: str) -> None:
    answer_to = raw_bot.answer_to

    def answer(frame, seats):
        reply = answer_to(frame, seats)
        kept = [notice for notice in reply.notices if not notice.HasField(kind)]
        del reply.notices[:]
        reply.notices.extend(kept)
        return reply

    raw_bot.answer_to = answer


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    player = raw_bot.Player()
    raw_bot.signal.signal(raw_bot.signal.SIGTERM, player.stop)
    sys.exit(player.run())
