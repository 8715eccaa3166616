"""A bot without the SDK: the generated messages, gRPC, and what proto/README.md says.

It plays true cards where it can and else the smallest lie, calls one move in ten, and comes back by a snapshot.
"""

import os
import queue
import random
import sys
import time
from collections import defaultdict

import grpc

from cheatarena.v1 import cheat_pb2, decision_pb2, event_pb2, play_pb2, play_pb2_grpc

LASTING = (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)
"""How a stream may end that is worth another one."""
JOKER = 52


class Seat:
    def __init__(self) -> None:
        self.sequence = 0
        self.hand: list[int] = []
        self.prompts: dict[int, decision_pb2.Prompt] = {}
        self.random = random.Random()

    def hear(self, message: play_pb2.SeatMessage) -> None:
        known = message.snapshot
        assert message.HasField("snapshot") or message.sequence == self.sequence + 1, "a message is missing"
        self.sequence = message.sequence
        if message.HasField("snapshot"):
            self.hand = cards_of(known.cheat.hand)
            self.prompts = {prompt.id: prompt for prompt in known.prompts if prompt.id not in known.answered}
        for event in (*known.events, *message.events):
            self.learn(event)
        for answer in message.answers:
            if answer.status == decision_pb2.DECISION_STATUS_REFUSED:
                print(answer, file=sys.stderr)
        self.prompts.update({prompt.id: prompt for prompt in message.prompts})
        for closed in message.withdrawn:
            self.prompts.pop(closed, None)

    def learn(self, event: event_pb2.Event) -> None:
        if event.HasField("entrant_seed"):
            self.random.seed(event.entrant_seed.seed)
        elif event.HasField("cheat_hand"):
            self.hand = cards_of(event.cheat_hand.cards)
        elif event.HasField("cheat_taken"):
            self.hand += cards_of(event.cheat_taken.cards)
        elif event.HasField("cheat_laid"):
            for card in cards_of(event.cheat_laid.cards):
                self.hand.remove(card)
        elif event.HasField("match_ended"):
            print("place sums:", *event.match_ended.place_sums, flush=True)
        elif event.HasField("fault"):
            print(event, file=sys.stderr)

    def choose(self, prompt: decision_pb2.Prompt) -> cheat_pb2.CheatAction:
        if prompt.HasField("cheat_window"):
            is_doubted = self.random.random() < 0.1 and not prompt.HasField("earliest_us")
            return cheat_pb2.CheatAction(
                kind=cheat_pb2.CHEAT_ACTION_KIND_CALL if is_doubted else cheat_pb2.CHEAT_ACTION_KIND_DECLINE
            )
        turn = prompt.cheat_turn
        spans = zip(turn.counts[::2], turn.counts[1::2], strict=True)
        counts = [count for first, last in spans for count in range(first, last + 1)]
        best, cards = turn.ranks[0], sorted(self.hand)[: counts[0]]
        most = 0
        for rank in turn.ranks:
            true = sorted(card for card in self.hand if card // 4 == rank or card == JOKER)
            fitting = max((count for count in counts if count <= len(true)), default=0)
            if fitting > most:
                most, best, cards = fitting, rank, true[:fitting]
        return cheat_pb2.CheatAction(
            kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY, cards=bytes(cards), rank=best, count=len(cards)
        )


def cards_of(message: cheat_pb2.CheatCards) -> list[int]:
    pairs = zip(message.counted[::2], message.counted[1::2], strict=True)
    return [*message.cards, *(card for card, number in pairs for _ in range(number))]


def answer_to(frame: play_pb2.PlayResponse, seats: dict[tuple[int, int], Seat]) -> play_pb2.PlayRequest:
    """Read the whole frame, then answer all of it."""
    reply = play_pb2.PlayRequest()
    heard = [message for message in frame.messages if message.sequence]
    for message in heard:
        seats[message.match, message.entrant].hear(message)
        if any(event.HasField("intermission_started") for event in message.events):
            ready = reply.notices.add().ready
            ready.match, ready.entrant = message.match, message.entrant
    for match, entrant in {(message.match, message.entrant) for message in heard}:
        seat = seats[match, entrant]
        for prompt in seat.prompts.values():
            decision = reply.decisions.add(match=match, entrant=entrant, prompt_id=prompt.id, action_id=prompt.id * 16)
            decision.cheat.CopyFrom(seat.choose(prompt))
        seat.prompts.clear()
    for notice in frame.notices:
        if notice.HasField("offered"):
            answer = reply.notices.add().offer_answer
            answer.offer_id, answer.accept = notice.offered.offer_id, True
        elif notice.HasField("ping"):
            reply.notices.add().pong.nonce = notice.ping.nonce
    return reply


def play_once(play: play_pb2_grpc.PlayServiceStub) -> grpc.StatusCode:
    """One stream, from Hello to its end, whatever the reason."""
    first = play_pb2.PlayRequest()
    hello = first.notices.add().hello
    hello.protocol_version, hello.instance, hello.capacity = 1, os.environ["CHEATARENA_INSTANCE"], 100
    hello.games.add(game="cheat")
    outbox: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()
    outbox.put(first)
    seats: dict[tuple[int, int], Seat] = defaultdict(Seat)
    token = ("authorization", "Bearer " + os.environ["CHEATARENA_TOKEN"])
    call = play.Play(iter(outbox.get, None), metadata=(token,), wait_for_ready=True)
    try:
        for frame in call:
            reply = answer_to(frame, seats)
            if reply.decisions or reply.notices:
                outbox.put(reply)
    except grpc.RpcError:
        pass  # the code tells
    outbox.put(None)
    return call.code()


if __name__ == "__main__":
    with grpc.insecure_channel(os.environ["CHEATARENA_ADDRESS"]) as channel:
        while play_once(play_pb2_grpc.PlayServiceStub(channel)) in LASTING:
            time.sleep(0.1)
