"""Processor time of the SDK for one decision: it reads and answers frames of 64 matches that are built beforehand.

Run it with ``python -m tests.sdk.speed``. It opens no connection: what is measured is decoding, the table, the bot
and encoding, without the transport.
"""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

from cheatarena import Bot, Call, Client, Decline, Play, Settings
from cheatarena.cheat.cards import CARDS, JOKER
from cheatarena.session import Session
from cheatarena.stream import Stream
from cheatarena.testing import Rehearsal, Script
from cheatarena.v1 import cheat_pb2, decision_pb2, play_pb2, session_pb2

DECLINE = Decline()

MATCHES = 64
ROUNDS = 10
REPEATS = 40
BEGINNING = 4
"""Number of frames that begin a match: its terms, its first game, the deal, and the first turn."""


class Passive(Bot):
    """Passes and declines without a look at the table."""

    def turn(self, table, options):
        return options.pass_()

    def call_window(self, table, claim):
        return Decline()


class Cautious(Bot):
    """Reads everything that a simple bot reads."""

    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Call() if table.is_impossible(claim) else Decline()


class Silent(Bot):
    """Has no method for call windows."""

    def turn(self, table, options):
        return options.pass_()


class Trivial(Bot):
    """Reads little: it lays its first card, and declines. The bots of `tools.benchmarks` play in a similar way."""

    def turn(self, table, options):
        return Play(tuple(table.hand)[: options.counts[0]], options.ranks[0])

    def call_window(self, table, claim):
        return DECLINE


def story(bot_class: type[Bot]) -> Iterator[play_pb2.SeatMessage]:
    """Yield the messages to one seat of four in a game of many moves, including the answers to its own decisions."""
    script = Script(seats=4, seat=0)
    rehearsal = Rehearsal(bot_class)
    deck = [*CARDS[:JOKER], CARDS[JOKER], CARDS[JOKER]]
    script.deal(" ".join(map(str, sorted(deck[::4]))), sizes=(14, 14, 13, 13))
    told = 0
    action_id = 0

    def catch_up() -> None:
        nonlocal told
        for message in script.messages[told:]:
            rehearsal.take(message)
        told = len(script.messages)

    def answered() -> None:
        nonlocal action_id
        action_id += 1
        script.messages[-1].answers.append(
            decision_pb2.DecisionAnswer(
                prompt_id=action_id, action_id=action_id, status=decision_pb2.DECISION_STATUS_ACCEPTED
            )
        )

    for _ in range(ROUNDS):
        script.asks_turn("2 3 4 5 6 7 8", (1, 4), can_pass=True)
        catch_up()
        answer = rehearsal.answers[len(rehearsal.answers)]
        if isinstance(answer, Play):
            script.plays(0, answer.rank, " ".join(map(str, answer.cards)))
        else:
            script.passes(0)
        answered()
        script.closes_window()
        for seat in (1, 2, 3):
            script.plays(seat, "7", 1)
            script.messages[-1].prompts.append(
                decision_pb2.Prompt(id=script.next_prompt(), deadline_us=10**15, cheat_window=cheat_pb2.CheatWindow())
            )
            catch_up()
            script.closes_window()
            answered()
    yield from script.messages


def frames(bot_class: type[Bot]) -> list[bytes]:
    """Return a frame for each message of the story, which has the message once for every match."""
    made = []
    for message in _messages(bot_class):
        frame = play_pb2.PlayResponse(now_us=1)
        for match in range(1, MATCHES + 1):
            copy = frame.messages.add()
            copy.CopyFrom(message)
            copy.match = match
        made.append(frame.SerializeToString())
    return made


def _messages(bot_class: type[Bot]) -> list[play_pb2.SeatMessage]:
    return list(story(bot_class))


async def play(bot_class: type[Bot], recorded: list[bytes]) -> list[tuple[float, int]]:
    """Return the seconds and the number of decisions of each frame."""
    session = Session(Client(bot_class, Settings(address="localhost:1", token="none")), "localhost:1")
    call: Any = None
    stream = session._stream = Stream(call, "localhost:1")
    stream._is_reading = True  # frames are handled by the task that reads, which needs no other to write
    session._handle_welcome(stream, session_pb2.Welcome(protocol_version=1, node="one"))
    costs = []
    for data in recorded:
        started_s = time.process_time()
        await session._handle_frame(stream, data, time.monotonic())
        decisions = len(stream._out)
        while stream._out:
            stream._next_frame()
        costs.append((time.process_time() - started_s, decisions))
    return costs


def main() -> None:
    """Print a line for each bot, from the least time of each frame: other programs disturb all longer ones."""
    for bot_class in (Silent, Passive, Trivial, Cautious):
        recorded = frames(bot_class)
        runs = [asyncio.run(play(bot_class, recorded)) for _ in range(REPEATS)]
        best_s = [min(run[index][0] for run in runs) for index in range(len(recorded))]
        decisions = sum(count for _, count in runs[0])
        start_s, rest_s = sum(best_s[:BEGINNING]), sum(best_s[BEGINNING:])
        print(
            f"{bot_class.__name__:9} {rest_s / (decisions - MATCHES) * 1e6:5.1f} us a decision, "
            f"{start_s / MATCHES * 1e6:4.0f} us for the beginning of a match; "
            f"{decisions} decisions in {len(recorded)} frames"
        )


if __name__ == "__main__":
    main()
