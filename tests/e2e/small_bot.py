"""A whole bot in some sixty lines, without the SDK: what proto/README.md says, and the generated messages."""

import os
import queue

import grpc

from cheatarena.v1 import cheat_pb2, play_pb2, play_pb2_grpc

JOKER = 52
hands: dict[tuple[int, int], list[int]] = {}
answered: set[tuple[int, int, int]] = set()


def learn(seat, event):
    if event.HasField("cheat_hand"):
        hands[seat] = list(event.cheat_hand.cards.cards)
    elif event.HasField("cheat_taken"):
        hands[seat] += event.cheat_taken.cards.cards
    elif event.HasField("cheat_laid"):
        for card in event.cheat_laid.cards.cards:
            hands[seat].remove(card)
    elif event.HasField("match_ended"):
        print("place sums:", *event.match_ended.place_sums, flush=True)


def choose(hand, prompt):
    if prompt.HasField("cheat_window"):
        return cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_DECLINE)
    turn = prompt.cheat_turn
    least = turn.counts[0]
    true = {rank: [card for card in hand if card // 4 == rank or card == JOKER] for rank in turn.ranks}
    rank = max(turn.ranks, key=lambda each: len(true[each]))
    cards = true[rank][:least] if len(true[rank]) >= least else hand[:least]
    return cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY, cards=bytes(cards), rank=rank, count=len(cards))


def answer_to(frame):
    """Read the whole frame, then answer all of it."""
    reply = play_pb2.PlayRequest()
    for message in frame.messages:
        seat = (message.match, message.entrant)
        for event in message.events:
            learn(seat, event)
            if event.HasField("intermission_started"):
                ready = reply.notices.add().ready
                ready.match, ready.entrant = seat
        for prompt in message.prompts:
            if (*seat, prompt.id) in answered:  # it comes again with new times
                continue
            answered.add((*seat, prompt.id))
            decision = reply.decisions.add(match=seat[0], entrant=seat[1], prompt_id=prompt.id, action_id=prompt.id)
            decision.cheat.CopyFrom(choose(hands[seat], prompt))
    for notice in frame.notices:
        if notice.HasField("offered"):
            reply.notices.add().offer_answer.offer_id = notice.offered.offer_id
            reply.notices[-1].offer_answer.accept = True
        elif notice.HasField("ping"):
            reply.notices.add().pong.nonce = notice.ping.nonce
    return reply


if __name__ == "__main__":
    hello = play_pb2.PlayRequest()
    hello.notices.add().hello.protocol_version = 1
    hello.notices[0].hello.instance = os.environ["CHEATARENA_INSTANCE"]
    hello.notices[0].hello.capacity = 100
    hello.notices[0].hello.games.add(game="cheat")
    outbox: queue.SimpleQueue[play_pb2.PlayRequest] = queue.SimpleQueue()
    outbox.put(hello)
    token = ("authorization", "Bearer " + os.environ["CHEATARENA_TOKEN"])
    with grpc.insecure_channel(os.environ["CHEATARENA_ADDRESS"]) as channel:
        for frame in play_pb2_grpc.PlayServiceStub(channel).Play(iter(outbox.get, None), metadata=(token,)):
            reply = answer_to(frame)
            if reply.decisions or reply.notices:
                outbox.put(reply)
