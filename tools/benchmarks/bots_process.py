"""A process of bots on the SDK: `python -m tools.benchmarks.bots_process ADDRESS TOKEN [--bot BOT] [--sessions N]`.

Without N, the process has one session for all its seats, as every program has. With N, it has N sessions of one seat on
one connection. Each of these sessions has its own stream, and sends every message in a frame of its own.
"""

import argparse
import asyncio
import logging
import time
from collections.abc import Awaitable
from pathlib import Path
from random import Random
from typing import Any

import grpc.aio

from cheatarena import (
    Bot,
    Call,
    Claim,
    Client,
    Decline,
    Doubt,
    Move,
    Play,
    Player,
    Settings,
    Table,
    TurnOptions,
    cheater,
)
from cheatarena import session as sdk_session
from cheatarena.connection import open_channel
from cheatarena.stream import Stream
from tools.benchmarks.child import obey

CALL = Call()
DECLINE = Decline()
CALLED = 10
"""The bots call in one of this many windows, so that piles are taken and games go on."""


class Trivial(Bot):
    """Lays its first cards and claims the first legal rank. The bot of entrant 0 also measures how long turns take."""

    windows = 0
    turns_s: list[float] = []  # noqa: RUF012  of all bots of the process
    """Seconds from one play to the next."""

    def __init__(self) -> None:
        self._landed_s = 0.0
        """When the last play was made; 0 if this bot's own turn came after it."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        self._landed_s = 0.0
        counts = options.counts
        if not counts or options.laid or options.face_up:
            return options.smallest_lie()
        return Play(tuple(table.hand)[: counts[0]], options.ranks[0])

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        if table.entrant == 0:
            self._note_landing(time.monotonic())
        Trivial.windows += 1
        return DECLINE if Trivial.windows % CALLED else CALL

    def _note_landing(self, now_s: float) -> None:
        if self._landed_s:
            self.turns_s.append(now_s - self._landed_s)
        self._landed_s = now_s


class Timed(Trivial):
    """Also records when the first question of each match arrives, and the times from answers to the next questions."""

    answered_s = 0.0
    """When a bot of the process gave its last answer."""
    waits_s: list[float] = []  # noqa: RUF012  of all bots of the process
    """Seconds from the last answer of this process to the arrival of its next question."""
    first_s: dict[int, float] = {}  # noqa: RUF012  of all bots of the process
    """By match: when its first question arrived."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        self._note_question(table)
        move = super().turn(table, options)
        Timed.answered_s = time.monotonic()
        return move

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        self._note_question(table)
        doubt = super().call_window(table, claim)
        Timed.answered_s = time.monotonic()
        return doubt

    def _note_question(self, table: Table) -> None:
        arrived_s = time.monotonic() - table.queued_s
        self.first_s.setdefault(table.match, arrived_s)
        if arrived_s > self.answered_s > 0:
            self.waits_s.append(arrived_s - self.answered_s)


class Mute(Timed):
    """Records when the first question of each match arrives, and never answers."""

    def turn(self, table: Table, options: TurnOptions) -> Awaitable[Move]:  # type: ignore[override]  # a Bot may wait
        """Return no answer: the result is never ready."""
        self._note_question(table)
        return asyncio.get_running_loop().create_future()


class TrivialCheater(cheater.CheaterBot):
    """Plays random legal answers."""

    random = Random(1)

    def act(self, table: cheater.Table, options: cheater.ActOptions) -> cheater.Move:
        return options.random_move(self.random)

    def reaction(self, table: cheater.Table, options: cheater.ReactionOptions) -> cheater.Reaction:
        return options.random_reaction(self.random)


class SingleStream(Stream):
    """A stream whose frames have one message."""

    def _next_frame(self) -> bytes:
        return self._out.pop(0)


class SharedChannel:
    """A connection for many sessions. It stays open when a session ends."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel

    async def __aenter__(self) -> grpc.aio.Channel:
        return self._channel

    async def __aexit__(self, *error: object) -> None:
        """Do nothing: other sessions still use the connection."""


class Troubles(logging.Handler):
    """Counts the warnings of the SDK: missing messages, lost streams and refused answers."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1


BOTS: dict[str, type[Player]] = {"cheat": Trivial, "cheater": TrivialCheater, "timed": Timed, "mute": Mute}


def clients(address: str, token: str, bot: type[Player], session_count: int, ca: Path | None = None) -> list[Client]:
    """Return one client, or a client for each of `session_count` seats."""
    if not session_count:
        return [Client(bot, Settings(address=address, token=token, capacity=10_000, ca=ca))]
    settings = Settings(address=address, token=token)
    shared = SharedChannel(open_channel(settings, address))
    vars(sdk_session).update(open_channel=lambda *_: shared, Stream=SingleStream)  # only for the comparison
    return [
        Client(bot, Settings(address=address, token=token, capacity=1, instance=str(index)))
        for index in range(session_count)
    ]


async def main(wanted: argparse.Namespace) -> None:
    """Play until stdin ends."""
    troubles = Troubles(logging.WARNING)
    logging.getLogger("cheatarena").addHandler(troubles)

    async def answer(asked: dict[str, Any]) -> dict[str, Any]:
        """Return the times measured since the last command, and the counters."""
        turns_s, waits_s = Trivial.turns_s.copy(), Timed.waits_s.copy()
        Trivial.turns_s.clear()
        Timed.waits_s.clear()
        return {
            "turns_s": turns_s,
            "waits_s": waits_s,
            "first_s": list(Timed.first_s.items()),
            "troubles": troubles.count,
            "cpu_s": time.process_time(),
        }

    made = clients(wanted.address, wanted.token, BOTS[wanted.bot], wanted.sessions, wanted.ca)
    playing = [asyncio.create_task(client.play()) for client in made]
    await obey({}, answer)
    for task in playing:
        task.cancel()
    await asyncio.wait(playing)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("token")
    parser.add_argument("--bot", choices=sorted(BOTS), default="cheat")
    parser.add_argument("--sessions", type=int, default=0)
    parser.add_argument("--ca", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(arguments()))
