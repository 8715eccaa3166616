"""The server under test: the real one, with limits that a benchmark needs.

`python -m tests.benchmarks.server_process FOLDER [--single] [--records] [--journal LEVEL] [--tls] [--port PORT]`.
With ``--single`` it sends each message in a frame of its own, for the comparison with one stream a seat; with
``--records`` it stores results too, and takes up the matches that an earlier one left.
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

from arena.app import RunningServer, run_node_loop, start_server
from arena.config.server_config import ServerConfig
from arena.feed.outbox import Outbox
from arena.games.catalogue import games
from arena.match.pace import Pace
from arena.match.scalars import EntrantIndex
from arena.match.terms import Terms
from arena.node import session
from arena.node.event_loop import NodeClock, StampingSelector
from arena.node.hosted_match import HostedMatch
from arena.node.limits import Limits
from arena.node.record_rebase import MAX_MATCH_AGE_US
from arena.rpc.local_authority import LocalAuthority
from tests.benchmarks.child import obey
from tests.benchmarks.weight import own_bytes, resident_bytes

LIMITS = Limits(sessions_a_token=10_000)
"""A token may have as many sessions as a row wants."""
SINGLE_LIMITS = replace(LIMITS, streams_a_connection=10_000)
"""A stream a seat would otherwise be a connection for eight seats."""
PACE = replace(Pace.sealed_defaults(), turn_ms=600_000, call_ms=600_000)
"""Sealed; deadlines so far away that a busy machine makes no move for a bot."""
GAME_COUNT = 1000
"""More than any row can play."""
AT_ONCE = 2
"""So many matches are made before bots get a turn."""
KEPT = (bytes, bytearray, array)
"""Of what messages for bots that come back are made."""
GAP_US = 5_000
"""A pass of the loop that takes longer is noted."""


class SingleOutbox(Outbox):
    """Gives one message at a time."""

    def take_frame(self) -> list[bytes]:
        """The oldest message that may leave."""
        ready = super().take_frame()
        self._ready = ready[1:] + self._ready
        self._size += sum(map(len, ready[1:]))
        return ready[:1]


class GapWatch:
    """Notes when the loop was away from its poll for long."""

    def __init__(self, clock: NodeClock, selector: StampingSelector) -> None:
        self.gaps: list[tuple[int, int]] = []
        """First and last instant of each, on the node's clock."""
        self._select = selector.select
        self._clock = clock
        self._returned = clock.now()
        vars(selector)["select"] = self._watched  # it is made inside of `run_node_loop`

    def _watched(self, timeout: float | None = None) -> Any:
        now = self._clock.now()
        if now - self._returned > GAP_US:
            self.gaps.append((self._returned, now))
        events = self._select(timeout)
        self._returned = self._clock.now()
        return events


class Commands:
    """What the benchmark may ask of the server."""

    def __init__(self, server: RunningServer, watch: GapWatch) -> None:
        self._node = server.node
        self._result_writer = server.result_writer
        self._watch = watch

    async def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Obey one command."""
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
        """Make matches, and wait until all of them run; gives the instants at which they were asked for."""
        node, game = self._node, games()[asked["game"]]
        rules, pace = game.build_ruleset(asked["preset"], asked["options"]), replace(PACE, **asked["pace"])
        made_s = []
        for index, entrants in enumerate(asked["matches"], 1):
            made_s.append(time.monotonic())
            terms = Terms(game, asked["preset"], rules, pace, tuple(entrants), game_count=GAME_COUNT, rated=False)
            node.registry.create(terms, node.now())
            if index % AT_ONCE == 0:
                await asyncio.sleep(0)
        node.rearm_timer()
        while not all(booking.is_running for booking in node.registry.matches.values()):  # noqa: ASYNC110  a few looks
            await asyncio.sleep(0.01)
        return made_s

    async def _cancel(self, after: int) -> dict[str, Any]:
        """End all matches but the first ones, and wait until that is stored: what comes then has the server alone."""
        registry, now = self._node.registry, self._node.now()
        for number in [number for number in registry.matches if number > after]:
            registry.cancel(number, now, now)
        await self._result_writer.drain()
        return {}

    def _running(self, upto: int = sys.maxsize) -> list[HostedMatch]:
        return [booking for number, booking in self._node.registry.matches.items() if number <= upto]

    def _count(self, upto: int) -> dict[str, Any]:
        """Everything that has happened so far, in the first matches alone where `upto` says so."""
        node, running = self._node, self._running(upto)
        conducts = [each for booking in running for each in booking.table.referee.entrant_records]
        return {
            "decisions": sum(conduct.decision_count for conduct in conducts),
            "strikes": sum(conduct.strikes.total() for conduct in conducts),
            "messages": sum(
                booking.room.sequence_of(EntrantIndex(e)) for booking in running for e in range(len(booking.keys))
            ),
            "frames_in": node.frames["in"],
            "frames_out": node.frames["out"],
            "sessions": len(node.sessions),
            "matches": len(running),
            "cpu_s": time.process_time(),
            "at_s": time.perf_counter(),
        }

    def _weigh(self) -> dict[str, Any]:
        """The process's memory, and what of it the matches keep; bytes."""
        gc.collect()
        running = self._running()
        return {
            "resident": resident_bytes(),
            "kept": own_bytes((booking.room for booking in running), KEPT),
            "objects": own_bytes(booking.table.referee for booking in running),
        }


async def main(wanted: argparse.Namespace, clock: NodeClock, selector: StampingSelector) -> int:
    """Serve until stdin ends."""
    limits = replace(SINGLE_LIMITS if wanted.single else LIMITS, keeps_records=wanted.records)
    config = ServerConfig(wanted.folder, port=wanted.port, limits=limits, grace_s=0, journal=wanted.journal)
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
    """Read what is wanted of the server."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--records", action="store_true")
    parser.add_argument("--journal", choices=("process", "disk"), default="process")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--port", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    wanted = arguments()
    if wanted.single:
        vars(session)["Outbox"] = SingleOutbox  # the comparison alone is made so
    sys.exit(run_node_loop(lambda clock, selector: main(wanted, clock, selector), MAX_MATCH_AGE_US))
