"""A bot that answers around its deadlines: `python -m tools.benchmarks.probe_process ADDRESS TOKEN`.

It holds all seats of its matches. It never answers some of the questions, and sends every other answer at a random
instant around the deadline. It records when each answer was sent and whether the answer counted. All times are in
microseconds. Times marked `ours` are on the monotonic clock that all processes of the machine share. All other times
are on the server's clock.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

from cheatarena.v1 import cheat_pb2, decision_pb2, play_pb2
from tools.benchmarks.child import obey
from tools.benchmarks.raw_stream import RawStream, courtesies, new_channel

ACCEPTED = decision_pb2.DECISION_STATUS_ACCEPTED
EARLIEST_US, LATEST_US = -35_000, 45_000
"""The range of the instants at which answers are sent, relative to the deadline."""
NEVER = 0.15
"""The share of the questions that get no answer."""
SAFE_US = -30_000
"""When an answer that must count is sent, relative to the deadline."""
MAX_MISSED = 1
"""After this many misses in a row, a seat sends an answer that must count. The server stops waiting after three."""

Seat = tuple[int, int]
"""Match and entrant."""
Prompt = tuple[int, int, int]
"""Match, entrant, prompt id."""


class Probe:
    """Answers questions around their deadlines, and records what happens."""

    def __init__(self, stream: RawStream) -> None:
        self.answers: list[dict[str, Any]] = []
        """For every answer: its deadline, when its sending began and ended (ours), and whether it counted."""
        self.defaults: list[tuple[int, int, int]] = []
        """For every question whose time ran out: its deadline, and the time and arrival (ours) of the closing frame."""
        self.started_us: int | None = None
        """When the server's clock was 0 (ours)."""
        self._stream = stream
        self._random = Random(1)
        self._hands: dict[Seat, list[int]] = {}
        self._missed: Counter[Seat] = Counter()
        self._deadlines: dict[Prompt, int] = {}
        self._sent: dict[Prompt, dict[str, Any]] = {}
        self._closed_early: set[Prompt] = set()
        """Questions that closed before their deadlines. Answers to them are not recorded."""
        self._out: list[tuple[Prompt, decision_pb2.Decision]] = []
        self._wake = asyncio.Event()

    async def receive_loop(self) -> None:
        """Read frames and handle their messages."""
        async for frame in self._stream.frames():
            arrived_us = _ours()
            reply = courtesies(frame)
            if reply.notices:
                await self._stream.say(reply)
            for message in frame.messages:
                self._take(message, frame.now_us, arrived_us)

    async def send_loop(self) -> None:
        """Send the answers that are due. Record the time before and after sending; they arrive between these times."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            out, self._out = self._out, []
            before_us = _ours()
            await self._stream.say(play_pb2.PlayRequest(decisions=[decision for _, decision in out]))
            after_us = _ours()
            for prompt, _ in out:
                self._sent[prompt] |= {"before": before_us, "after": after_us}

    def _take(self, message: play_pb2.SeatMessage, now_us: int, arrived_us: int) -> None:
        seat = message.match, message.entrant
        for event in message.events:
            self._learn(seat, event)
        for answer in message.answers:
            self._note_answer((*seat, answer.prompt_id), answer.status == ACCEPTED)
        self._note_defaults([(*seat, prompt_id) for prompt_id in message.withdrawn], now_us, arrived_us)
        for prompt in message.prompts:
            if prompt.id not in message.withdrawn:
                self._ask(seat, prompt)

    def _learn(self, seat: Seat, event: Any) -> None:
        if event.HasField("cheat_hand"):
            self._hands[seat] = list(event.cheat_hand.cards.cards)
        elif event.HasField("cheat_taken"):
            self._hands[seat] += event.cheat_taken.cards.cards
        elif event.HasField("cheat_laid"):
            for card in event.cheat_laid.cards.cards:
                self._hands[seat].remove(card)

    def _ask(self, seat: Seat, prompt: decision_pb2.Prompt) -> None:
        """Decide when to answer, if at all."""
        if self.started_us is None or not prompt.deadline_us:
            return
        name = (*seat, prompt.id)
        self._deadlines[name] = prompt.deadline_us
        aim_us = self._random.randint(EARLIEST_US, LATEST_US)
        if self._missed[seat] >= MAX_MISSED:
            aim_us = SAFE_US
        elif self._random.random() < NEVER:
            return
        delay_us = self.started_us + prompt.deadline_us + aim_us - _ours()
        asyncio.get_running_loop().call_later(delay_us / 1e6, self._answer, seat, prompt)

    def _answer(self, seat: Seat, prompt: decision_pb2.Prompt) -> None:
        name = (*seat, prompt.id)
        decision = decision_pb2.Decision(
            match=seat[0], entrant=seat[1], prompt_id=prompt.id, action_id=1, cheat=self._choose(seat, prompt)
        )
        if name not in self._closed_early:
            self._sent[name] = {"deadline": prompt.deadline_us}
            self._out.append((name, decision))
            self._wake.set()

    def _choose(self, seat: Seat, prompt: decision_pb2.Prompt) -> cheat_pb2.CheatAction:
        if prompt.HasField("cheat_window"):
            return cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_DECLINE)
        turn = prompt.cheat_turn
        count = turn.counts[0]
        cards = bytes(self._hands[seat][:count])
        return cheat_pb2.CheatAction(
            kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY, cards=cards, rank=turn.ranks[0], count=count
        )

    def _note_answer(self, name: Prompt, has_counted: bool) -> None:
        self._missed[name[:2]] = 0 if has_counted else self._missed[name[:2]] + 1
        if has_counted:
            self._deadlines.pop(name, None)
        sent = self._sent.get(name)
        if sent is not None and name not in self._closed_early:
            sent["has_counted"] = has_counted
            self.answers.append(sent)

    def _note_defaults(self, names: Iterable[Prompt], now_us: int, arrived_us: int) -> None:
        for name in names:
            deadline_us = self._deadlines.pop(name, None)
            if deadline_us is None:
                continue
            self._missed[name[:2]] += name not in self._sent
            if now_us < deadline_us:
                self._closed_early.add(name)
            else:
                self.defaults.append((deadline_us, now_us, arrived_us))


def _ours() -> int:
    return time.monotonic_ns() // 1000


async def main(address: str, token: str) -> None:
    """Play until stdin ends."""
    stream = RawStream(new_channel(address), token)
    await stream.open()
    probe = Probe(stream)
    working = [asyncio.create_task(probe.receive_loop()), asyncio.create_task(probe.send_loop())]

    async def answer(asked: dict[str, Any]) -> dict[str, Any]:
        if asked["command"] == "aim":
            probe.started_us = asked["started_us"]
        return {"answers": [each for each in probe.answers if "after" in each], "defaults": probe.defaults}

    await obey({}, answer)
    for task in working:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
