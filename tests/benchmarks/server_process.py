"""The server under test: the real one, with limits that a benchmark needs. `... server_process FOLDER [FLAG]`.

With ``--single`` it sends each message in a frame of its own, for the comparison with one stream a seat.
With ``--disk`` its journal is synced.
"""

import asyncio
import logging
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import structlog

from arena.app import RunningServer, ServerConfig, run_node, serving
from arena.feed.outbox import Outbox
from arena.match.pace import Pace
from arena.match.terms import Terms
from arena.rpc import session
from arena.rpc.limits import Limits
from arena.rpc.loop import NodeClock, StampingSelector
from arena.rules.cheat.game import CHEAT
from tests.benchmarks.child import obey

LIMITS = Limits(
    keeps_records=False,
    messages_a_second=1_000_000,
    sessions_a_token=10_000,
    streams_a_connection=10_000,
)
"""Nothing is stored but the journal, and no bot is held back."""
PACE = replace(Pace.sealed(), turn_ms=600_000, call_ms=600_000)
"""Sealed; deadlines so far away that a busy machine makes no move for a bot."""
GAMES = 1000
"""More than any row can play."""
LOOK = 40
"""So many calibrations at a time: 25 microseconds every 50 milliseconds."""
AT_ONCE = 20
"""So many matches are made before bots get a turn."""


class SingleOutbox(Outbox):
    """Gives one message at a time."""

    def take(self) -> list[bytes]:
        """The oldest message that may leave."""
        ready = super().take()
        self._ready = ready[1:] + self._ready
        self._size += sum(map(len, ready[1:]))
        return ready[:1]


class Commands:
    """What the benchmark may ask of the server."""

    def __init__(self, server: RunningServer) -> None:
        self._node = server.node
        self._looks = 0
        self._looked_s = 0.0

    async def calibrate(self) -> None:
        """Go on looking how fast this core is, by CPU time: what else runs on the machine slows everything alike."""
        while True:
            started_s = time.thread_time()
            for _ in range(LOOK):
                sum(range(100))
            self._looked_s += time.thread_time() - started_s
            self._looks += LOOK
            await asyncio.sleep(0.05)

    async def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Obey one command."""
        if asked["command"] == "create":
            await self._create(asked["matches"])
            return {}
        return self._count()

    async def _create(self, matches: list[list[str]]) -> None:
        """Make matches between these entrants, and wait until all of them run."""
        node, rules = self._node, CHEAT.ruleset("standard", {})
        for index, entrants in enumerate(matches, 1):
            terms = Terms(CHEAT, "standard", rules, PACE, tuple(entrants), game_count=GAMES, rated=False)
            node.hall.create(terms, node.now())
            if index % AT_ONCE == 0:
                await asyncio.sleep(0)
        node.rewind()
        while not all(booking.is_running for booking in node.hall.bookings.values()):  # noqa: ASYNC110  a few looks
            await asyncio.sleep(0.05)

    def _count(self) -> dict[str, Any]:
        """Everything that has happened so far."""
        node = self._node
        conducts = [each for booking in node.hall.bookings.values() for each in booking.table.referee.conducts]
        return {
            "decisions": sum(conduct.decision_count for conduct in conducts),
            "strikes": sum(conduct.strikes.total() for conduct in conducts),
            "frames_in": node.frames["in"],
            "frames_out": node.frames["out"],
            "sessions": len(node.sessions),
            "stalls": len(node.stalls_us),
            "looks": self._looks,
            "looked_s": self._looked_s,
            "cpu_s": time.process_time(),
            "at_s": time.perf_counter(),
        }


async def main(clock: NodeClock, selector: StampingSelector) -> int:
    """Serve until stdin ends."""
    journal: Literal["process", "disk"] = "disk" if "--disk" in sys.argv else "process"
    config = ServerConfig(Path(sys.argv[1]), limits=LIMITS, grace_s=0, journal=journal)
    async with serving(config, clock, selector) as server:
        tokens = [await server.store.tokens.create(name, ["play"]) for name in ("one", "two")]
        commands = Commands(server)
        calibrating = asyncio.create_task(commands.calibrate())
        await obey({"address": server.address, "tokens": tokens}, commands.answer)
        calibrating.cancel()
    return 0


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    if "--single" in sys.argv:
        vars(session)["Outbox"] = SingleOutbox  # the comparison alone is made so
    sys.exit(run_node(main))
