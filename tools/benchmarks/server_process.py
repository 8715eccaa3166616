"""Runs the server under test: the real server, with limits that a benchmark needs.

`python -m tools.benchmarks.server_process FOLDER [--single] [--records] [--journal LEVEL] [--tls] [--port PORT]
[--socket PATH]`.
With ``--single``, the server sends each message in a frame of its own, for the comparison with one stream per seat.
With ``--records``, it stores results, and takes up the matches that an earlier server left unfinished.
"""

import argparse
import asyncio
import gc
import logging
import sys
import time
from array import array
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from arena.fleet.assembly.node import run_node_loop
from arena.fleet.assembly.server import RunningServer, start_server
from arena.games.catalogue import games
from arena.match.referee.interrupted_match import MAX_MATCH_AGE_US
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Terms
from arena.server.config.server_config import ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.limits import Limits
from arena.server.rpc.local_authority import LocalAuthority
from cheatarena.addresses import UNIX_PREFIX
from tools.benchmarks.child import obey
from tools.benchmarks.weight import own_bytes, resident_bytes

LIMITS = Limits(sessions_a_token=10_000)
"""Limits under which a token may have as many sessions as any measurement needs."""
SINGLE_LIMITS = replace(LIMITS, streams_a_connection=10_000, sent_frame_messages=1)
"""Limits for one stream per seat and one message in a frame. By default, a connection may have only eight streams."""
PACE = replace(Pace.sealed_defaults(), turn_ms=600_000, call_ms=600_000)
"""A sealed pace. Its deadlines are so late that no bot misses one on a busy machine."""
GAME_COUNT = 1000
"""More games than any measurement can play."""
AT_ONCE = 2
"""The number of matches that are created before the loop runs again and serves the bots."""
KEPT = (bytes, bytearray, array)
"""The types that hold the messages kept for bots that reconnect."""
GAP_US = 5_000
"""Longer passes of the loop are recorded as gaps."""


class GapWatch:
    """Records gaps: times of more than GAP_US microseconds in which the loop did not poll."""

    def __init__(self, clock: NodeClock, selector: StampingSelector) -> None:
        self.gaps: list[tuple[int, int]] = []
        """The first and the last instant of each gap, on the node's clock."""
        self._select = selector.select
        self._clock = clock
        self._returned = clock.now()
        vars(selector)["select"] = self._watched  # `run_node_loop` makes the selector, so it is patched

    def _watched(self, timeout: float | None = None) -> Any:
        now = self._clock.now()
        if now - self._returned > GAP_US:
            self.gaps.append((self._returned, now))
        events = self._select(timeout)
        self._returned = self._clock.now()
        return events


class Commands:
    """The commands that the benchmark may give to the server."""

    def __init__(self, server: RunningServer, watch: GapWatch) -> None:
        self._node = server.node
        self._result_writer = server.result_writer
        self._watch = watch

    async def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Carry out a command, and return its answer."""
        match asked["command"]:
            case "create":
                return {"made_s": await self._create(asked)}
            case "cancel":
                return await self._cancel(asked["after"])
            case "weigh":
                return self._weigh()
            case "clock":
                return {"started_us": time.monotonic_ns() // 1000 - self._node.now(), "gaps": self._watch.gaps}
            case _:
                return self._count(asked.get("upto", sys.maxsize))

    async def _create(self, asked: Mapping[str, Any]) -> list[float]:
        """Create matches, and wait until all of them run. Return the instants at which they were requested."""
        node, game = self._node, games()[asked["game"]]
        rules, pace = game.build_ruleset(asked["preset"], asked["options"]), replace(PACE, **asked["pace"])
        made_s = []
        for index, entrants in enumerate(asked["matches"], 1):
            made_s.append(time.monotonic())
            terms = Terms(game, asked["preset"], rules, pace, tuple(entrants), game_count=GAME_COUNT, rated=False)
            node.registry.offer_seats(node.registry.reserve(terms, node.now()), node.now())
            if index % AT_ONCE == 0:
                await asyncio.sleep(0)
        node.rearm_timer()
        while not all(booking.is_running for booking in node.registry.matches.values()):
            await asyncio.sleep(0.01)
        return made_s

    async def _cancel(self, after: int) -> dict[str, Any]:
        """Cancel the matches with numbers above `after`, and wait until their ends are stored."""
        registry, now = self._node.registry, self._node.now()
        for number in [number for number in registry.matches if number > after]:
            registry.cancel(number, now, now)
        await self._result_writer.drain()
        return {}

    def _running(self, upto: int = sys.maxsize) -> list[HostedMatch]:
        return [booking for number, booking in self._node.registry.matches.items() if number <= upto]

    def _count(self, upto: int) -> dict[str, Any]:
        """Return all counters. Those of matches count only matches with numbers up to `upto`."""
        node, running = self._node, self._running(upto)
        conducts = [each for booking in running for each in booking.table.referee.entrant_records]
        return {
            "decisions": sum(conduct.decision_count for conduct in conducts),
            "strikes": sum(conduct.strikes.total() for conduct in conducts),
            "messages": sum(session.sent_message_count for session in node.sessions.values()),
            "frames_in": node.frames["in"],
            "frames_out": node.frames["out"],
            "sessions": len(node.sessions),
            "matches": len(running),
            "cpu_s": time.process_time(),
            "at_s": time.perf_counter(),
        }

    def _weigh(self) -> dict[str, Any]:
        """Return the memory of the process, of the messages that matches keep, and of the referees, in bytes."""
        gc.collect()
        running = self._running()
        return {
            "resident": resident_bytes(),
            "kept": own_bytes((booking.feed for booking in running), KEPT),
            "objects": own_bytes(booking.table.referee for booking in running),
        }


async def main(wanted: argparse.Namespace, clock: NodeClock, selector: StampingSelector) -> int:
    """Serve until stdin ends."""
    limits = replace(SINGLE_LIMITS if wanted.single else LIMITS, keeps_records=wanted.records)
    config = ServerConfig(wanted.folder, port=wanted.port, limits=limits, grace_s=0, journal=wanted.journal)
    if wanted.socket:
        config = replace(config, listen=(f"127.0.0.1:{wanted.port}", f"{UNIX_PREFIX}{wanted.socket}"))
    ca = ""
    if wanted.tls:
        authority = LocalAuthority(wanted.folder / "tls")
        pair, ca = authority.issue_server_certificate(["127.0.0.1"]), str(authority.certificate)
        config = replace(config, tls_cert=pair.certificate, tls_key=pair.key, tls_on_loopback=True)
    async with start_server(config, clock, selector, resumes=wanted.records) as server:
        scopes = {"one": ["play"], "two": ["play"], "guest": ["play"], "organizer": ["organize"]}
        tokens = {name: await server.store.tokens.create(name, scope) for name, scope in scopes.items()}
        commands = Commands(server, GapWatch(clock, selector))
        await obey({"address": server.address, "tokens": tokens, "ca": ca}, commands.answer)
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--records", action="store_true")
    parser.add_argument("--journal", choices=("process", "disk"), default="process")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--socket")
    return parser.parse_args()


if __name__ == "__main__":
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    wanted = arguments()
    sys.exit(run_node_loop(lambda clock, selector: main(wanted, clock, selector), MAX_MATCH_AGE_US))
