"""A whole bot of CHEATER without the SDK: what proto/README.md says, and the generated messages."""

import os
import queue

import grpc

from cheatarena.v1 import cheater_pb2 as pb
from cheatarena.v1 import play_pb2, play_pb2_grpc

LAYING = ("cheater_hidden", "cheater_attacked")
WORDS: list[list[int]] = [[color * 6 + letter for letter in (0, 1, 2, 2, 3, 4, 5)] for color in range(4)]
hands: dict[tuple[int, int], list[int]] = {}
seated: dict[tuple[int, int], int] = {}


def learn(seat, me, event):
    """Keep the hand: what is drawn, taken, laid, hidden and busted."""
    kind = event.WhichOneof("fact")
    fact = getattr(event, kind)
    mine = hands.setdefault(seat, [])
    if kind in ("cheater_hand", "cheater_drawn"):
        mine[:] = [*([] if kind == "cheater_hand" else mine), *fact.cards]
    elif kind in ("cheater_discarded", "cheater_busted") and me == (fact.target if "busted" in kind else fact.seat):
        for card in fact.cards:
            mine.remove(card)
    elif (kind == "cheater_hidden" and me == fact.seat) or (
        kind == "cheater_attacked" and me == fact.seat and fact.HasField("card")
    ):
        mine.remove(fact.card)
    elif kind == "cheater_taken" and me in (fact.seat, fact.target):
        mine.append(fact.card) if me == fact.seat else mine.remove(fact.card)
    elif kind == "cheater_took_top" and me == fact.seat:
        mine.append(fact.card)
    elif kind == "match_ended":
        print("place sums:", *fact.place_sums, flush=True)


def spare(hand):
    """The cards that the best word does not need come first."""
    best = max(WORDS, key=lambda word: sum(min(word.count(card), hand.count(card)) for card in set(word)))
    word, useless = list(best), []
    for card in hand:
        if card in word:
            word.remove(card)
        else:
            useless.append(card)
    return [*useless, *hand]


def choose(hand, prompt):
    kind = prompt.WhichOneof("options")
    asked = getattr(prompt, kind)
    if kind == "cheater_discard":
        return pb.CheaterAction(kind=pb.CHEATER_ACTION_KIND_DISCARD, cards=bytes(spare(hand)[: asked.count]))
    if kind == "cheater_reaction" and asked.hiding:
        return pb.CheaterAction(kind=pb.CHEATER_ACTION_KIND_HIDE, card=asked.hiding[0])
    if kind == "cheater_reaction":
        return pb.CheaterAction(kind=pb.CHEATER_ACTION_KIND_ALLOW)
    if kind == "cheater_pick" and asked.attack == pb.CHEATER_ATTACK_BUST:
        return pb.CheaterAction(kind=pb.CHEATER_ACTION_KIND_BUST, cards=asked.hand[: asked.most])
    if kind == "cheater_pick":
        wanted = [card for card in asked.hand if card not in spare([*hand, card])[: -len(hand) - 1]]
        return pb.CheaterAction(kind=pb.CHEATER_ACTION_KIND_TAKE, card=(wanted or list(asked.hand))[0])
    if asked.playable and asked.playable[0] != 28:
        return pb.CheaterAction(kind=pb.CHEATER_ACTION_KIND_PLAY, card=asked.playable[0], target=asked.targets[0])
    return pb.CheaterAction(kind=pb.CHEATER_ACTION_KIND_DRAW)


def answer_to(frame):
    """Read the whole frame, then answer all of it."""
    reply = play_pb2.PlayRequest()
    for message in frame.messages:
        seat = (message.match, message.entrant)
        for event in message.events:
            if event.HasField("game_started"):
                seated[seat] = event.game_started.entrants.index(seat[1])
            learn(seat, seated.get(seat), event)
        for prompt in message.prompts:
            decision = reply.decisions.add(match=seat[0], entrant=seat[1], prompt_id=prompt.id, action_id=prompt.id)
            decision.cheater.CopyFrom(choose(hands[seat], prompt))
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
    hello.notices[0].hello.games.add(game="cheater")
    outbox: queue.SimpleQueue[play_pb2.PlayRequest] = queue.SimpleQueue()
    outbox.put(hello)
    token = ("authorization", "Bearer " + os.environ["CHEATARENA_TOKEN"])
    with grpc.insecure_channel(os.environ["CHEATARENA_ADDRESS"]) as channel:
        for frame in play_pb2_grpc.PlayServiceStub(channel).Play(iter(outbox.get, None), metadata=(token,)):
            reply = answer_to(frame)
            if reply.decisions or reply.notices:
                outbox.put(reply)
