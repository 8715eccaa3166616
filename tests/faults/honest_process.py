"""A process of honest bots on the SDK: `python -m tests.faults.honest_process ADDRESS TOKEN,TOKEN [THINK_MS]`.

It says how many decisions its bots have made, and what the SDK complained about, when it is asked for its `count`.
"""

import asyncio
import logging
import sys
import time
from typing import Any

from cheatarena import Bot, Call, Claim, Client, Decline, Doubt, Move, Settings, Table, TurnOptions
from tools.benchmarks.child import obey

CALLED = 10
"""A bot calls once in this many windows, so that piles are taken and games go on."""


class Honest(Bot):
    """Plays quickly, and counts."""

    decision_count = 0
    """Of all bots of the process."""
    think_s = 0.0
    decided_at = longest_pause_s = 0.0
    """When the last decision was made, and the longest time between two of them since somebody asked."""

    @classmethod
    def note_decision(cls) -> None:
        """Count a decision."""
        cls.decision_count += 1
        now = time.monotonic()
        cls.longest_pause_s, cls.decided_at = max(cls.longest_pause_s, now - cls.decided_at), now

    async def turn(self, table: Table, options: TurnOptions) -> Move:
        """Play an honest move if there is one."""
        Honest.note_decision()
        if self.think_s:
            await asyncio.sleep(self.think_s)
        return options.largest_honest() or options.smallest_lie()

    async def call_window(self, table: Table, claim: Claim) -> Doubt:
        """Mostly decline."""
        Honest.note_decision()
        if self.think_s:
            await asyncio.sleep(self.think_s)
        return Decline() if Honest.decision_count % CALLED else Call()


class Complaints(logging.Handler):
    """Keeps what the SDK warns of: a missing message, a lost stream, a refused answer."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self.texts.append(record.getMessage())


async def main(address: str, tokens: str, think_ms: str = "0") -> None:
    """Play until stdin ends."""
    Honest.think_s = int(think_ms) / 1000
    complaints = Complaints()
    logging.getLogger("cheatarena").addHandler(complaints)
    clients = [Client(Honest, Settings(address=address, token=token, capacity=1000)) for token in tokens.split(",")]
    playing = [asyncio.create_task(client.play()) for client in clients]

    async def answer(_: dict[str, Any]) -> dict[str, Any]:
        pause_s = max(Honest.longest_pause_s, time.monotonic() - Honest.decided_at)
        Honest.longest_pause_s = 0.0
        return {"decisions": Honest.decision_count, "complaints": complaints.texts, "pause_s": pause_s}

    await obey({}, answer)
    for task in playing:
        task.cancel()
    await asyncio.wait(playing)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
