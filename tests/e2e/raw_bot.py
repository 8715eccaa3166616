"""A bot without the SDK: the generated messages, gRPC, and what proto/README.md says.

It plays true cards where it can and else the smallest lie, calls one move in ten, and comes back by a snapshot.
`arena check` finds no fault in it.
"""

import os
import queue
import random
import signal
import sys
import threading
from collections import defaultdict
from pathlib import Path

import grpc

from cheatarena.v1 import cheat_pb2, decision_pb2, error_reason_pb2, event_pb2, play_pb2, play_pb2_grpc, session_pb2

LASTING = (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)
"""How a stream may end that is worth another one."""
EXIT_CODES = {
    grpc.StatusCode.UNAVAILABLE: 69,
    grpc.StatusCode.ABORTED: 75,
    grpc.StatusCode.PERMISSION_DENIED: 77,
    grpc.StatusCode.UNAUTHENTICATED: 77,
}
"""The exit codes of the guide. Any other end means that the server refused the program, which is 76."""
ANSWER_TIMEOUT_US = 10_000_000
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0
FIRST_ATTEMPTS = 5
"""How often the bot tries to connect for the first time. If it has been connected before, it never gives up."""
JOKER = 52


CLOSED = {
    error_reason_pb2.ERROR_REASON_LATE,
    error_reason_pb2.ERROR_REASON_UNKNOWN_PROMPT,
    error_reason_pb2.ERROR_REASON_ALREADY_ANSWERED,
}
"""Reasons after which there is nothing left to answer."""
MOST_ATTEMPTS = 3


class MissingMessageError(Exception):
    """The state of a seat is wrong. A snapshot on a new stream restores it."""


class Seat:
    def __init__(self) -> None:
        self.sequence = 0
        self.hand: list[int] = []
        self.prompts: dict[int, decision_pb2.Prompt] = {}
        self.asked: dict[int, decision_pb2.Prompt] = {}
        """The open prompts, with those that are answered already."""
        self.attempts: dict[int, int] = defaultdict(int)
        self.random = random.Random()

    def hear(self, message: play_pb2.SeatMessage) -> None:
        known = message.snapshot
        if not message.HasField("snapshot") and message.sequence != self.sequence + 1:
            raise MissingMessageError
        self.sequence = message.sequence
        if message.HasField("snapshot"):
            self.hand = cards_of(known.cheat.hand)
            self.prompts = {prompt.id: prompt for prompt in known.prompts if prompt.id not in known.answered}
            self.asked = {prompt.id: prompt for prompt in known.prompts}
        for event in (*known.events, *message.events):
            self.learn(event)
        for answer in message.answers:
            if answer.status == decision_pb2.DECISION_STATUS_REFUSED:
                print(answer, file=sys.stderr)
                self.answer_again(answer)
        self.prompts.update({prompt.id: prompt for prompt in message.prompts if prompt.id not in self.asked})
        self.asked.update(self.prompts)
        for closed in message.withdrawn:
            self.prompts.pop(closed, None)
            self.asked.pop(closed, None)

    def answer_again(self, answer: decision_pb2.DecisionAnswer) -> None:
        prompt, attempts = self.asked.get(answer.prompt_id), self.attempts[answer.prompt_id]
        if prompt is not None and answer.reason not in CLOSED and attempts < MOST_ATTEMPTS:
            self.attempts[prompt.id] += 1
            self.prompts[prompt.id] = prompt

    def next_action_id(self, prompt_id: int) -> int:
        """Return the same id until an answer was refused, so that a repeated decision counts only once."""
        return prompt_id * 16 + self.attempts[prompt_id]

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
        if prompt.HasField("cheat_cut"):
            packets, total = prompt.cheat_cut.packet_count, prompt.cheat_cut.card_count
            sizes = [total // packets + (index < total % packets) for index in range(packets)]
            return cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_CUT, sizes=sizes)
        if prompt.HasField("cheat_choose"):
            packet = min(prompt.cheat_choose.free, key=lambda each: prompt.cheat_choose.sizes[each])
            return cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_CHOOSE, packet=packet)
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
        if any(event.HasField("intermission_started") for event in (*message.snapshot.events, *message.events)):
            ready = reply.notices.add().ready
            ready.match, ready.entrant = message.match, message.entrant
    for match, entrant in {(message.match, message.entrant) for message in heard}:
        seat = seats[match, entrant]
        for prompt in seat.prompts.values():
            decision = reply.decisions.add(match=match, entrant=entrant, prompt_id=prompt.id)
            decision.action_id = seat.next_action_id(prompt.id)
            decision.cheat.CopyFrom(seat.choose(prompt))
        seat.prompts.clear()
    for notice in frame.notices:
        if notice.HasField("offered"):
            answer = reply.notices.add().offer_answer
            answer.offer_id, answer.accept = notice.offered.offer_id, True
        elif notice.HasField("ping"):
            reply.notices.add().pong.nonce = notice.ping.nonce
    return reply


def is_line_dead(
    frame: play_pb2.PlayResponse, reply: play_pb2.PlayRequest, waiting: dict[tuple[int, int, int, int], int]
) -> bool:
    """Return whether a decision has had no answer for 10 s. `waiting` has the server's time at which each was sent."""
    for message in frame.messages:
        for answer in message.answers:
            waiting.pop((message.match, message.entrant, answer.prompt_id, answer.action_id), None)
    is_dead = any(frame.now_us - since_us >= ANSWER_TIMEOUT_US for since_us in waiting.values())
    for sent in reply.decisions:
        waiting[sent.match, sent.entrant, sent.prompt_id, sent.action_id] = frame.now_us
    return is_dead


class Player:
    """Opens one stream after the other, until one ends for good."""

    def __init__(self) -> None:
        self.outbox: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()
        self.is_stopping = threading.Event()
        self.was_welcomed = False

    def stop(self, *_: object) -> None:
        """Say Goodbye; the server then ends the stream."""
        self.is_stopping.set()
        self.outbox.put(play_pb2.PlayRequest(notices=[play_pb2.BotNotice(goodbye=session_pb2.Goodbye())]))

    def play_once(self, play: play_pb2_grpc.PlayServiceStub) -> grpc.RpcError | None:
        """Play on one stream from Hello to its end. Return the error with which it ended; None for OK."""
        first = play_pb2.PlayRequest()
        hello = first.notices.add().hello
        hello.protocol_version, hello.instance, hello.capacity = 1, os.environ["CHEATARENA_INSTANCE"], 1000
        hello.games.add(game="cheat")
        outbox = self.outbox = queue.SimpleQueue()
        outbox.put(first)
        seats: dict[tuple[int, int], Seat] = defaultdict(Seat)
        waiting: dict[tuple[int, int, int, int], int] = {}
        token = ("authorization", "Bearer " + os.environ["CHEATARENA_TOKEN"])
        stream = play.Play(iter(outbox.get, None), metadata=(token,))
        try:
            for frame in stream:
                self.was_welcomed = True
                reply = answer_to(frame, seats)
                if is_line_dead(frame, reply, waiting):
                    return None
                if reply.decisions or reply.notices:
                    outbox.put(reply)
        except grpc.RpcError as error:
            return error
        except MissingMessageError:
            return None
        finally:
            stream.cancel()
            outbox.put(None)
        return None

    def run(self) -> int:
        """Play until the server or a signal ends it. Return the exit code."""
        pause, attempts = FIRST_PAUSE_S, 0
        with open_channel(os.environ["CHEATARENA_ADDRESS"]) as channel:
            while not self.is_stopping.is_set():
                self.was_welcomed = False
                error = self.play_once(play_pb2_grpc.PlayServiceStub(channel))
                if self.was_welcomed:
                    pause, attempts = FIRST_PAUSE_S, -sys.maxsize
                attempts += 1
                if error is not None and (error.code() not in LASTING or attempts >= FIRST_ATTEMPTS):
                    print(f"{error.code().name}: {error.details()}", file=sys.stderr)
                    return EXIT_CODES.get(error.code(), 76)
                self.is_stopping.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
        return 0


def open_channel(address: str) -> grpc.Channel:
    """Return a channel: TLS off loopback, and wherever an authority is given."""
    authority = os.environ.get("CHEATARENA_CA", "")
    if authority or not address.startswith(("127.0.0.1:", "[::1]:", "localhost:")):
        pem = Path(authority).read_bytes() if authority else None
        return grpc.secure_channel(address, grpc.ssl_channel_credentials(pem))
    return grpc.insecure_channel(address)


if __name__ == "__main__":
    player = Player()
    signal.signal(signal.SIGTERM, player.stop)
    sys.exit(player.run())
