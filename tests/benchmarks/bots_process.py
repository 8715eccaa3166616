"""A process of bots on the SDK: `python -m tests.benchmarks.bots_process ADDRESS TOKEN [SESSIONS]`.

Without SESSIONS it has one session for all its seats, as any program has. With it, it has so many sessions, each for
one seat and each a stream of its own on one connection, and says every message in a frame of its own.
"""

import asyncio
import sys
import time
from typing import Any

import grpc.aio

from cheatarena import Bot, Call, Claim, Client, Decline, Doubt, Move, Play, Settings, Table, TurnOptions
from cheatarena import session as sdk_session
from cheatarena.connection import open_channel
from cheatarena.session import Session
from tests.benchmarks.child import obey

CALL = Call()
DECLINE = Decline()
CALLED = 10
"""Every so many windows it calls, so that piles are taken and games go on."""


class Trivial(Bot):
    """Lays its first cards under the first rank. The seat of entrant 0 also notes how long turns take."""

    windows = 0
    turns_s: list[float] = []  # noqa: RUF012  of all bots of the process
    """Seconds from one landed play to the next."""

    def __init__(self) -> None:
        self._landed_s = 0.0
        """When the last play landed; 0: the own turn came after it."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        """Play."""
        self._landed_s = 0.0
        count = options.counts[0]
        return Play(tuple(table.hand)[:count], options.ranks[0])

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        """Mostly decline."""
        if table.entrant == 0:
            self._note_landing(time.monotonic())
        Trivial.windows += 1
        return DECLINE if Trivial.windows % CALLED else CALL

    def _note_landing(self, now_s: float) -> None:
        if self._landed_s:
            self.turns_s.append(now_s - self._landed_s)
        self._landed_s = now_s


class SingleSession(Session):
    """A session that says one thing a frame."""

    def _next_frame(self) -> bytes:
        return self._out.pop(0)


class SingleClient(Client):
    """A client with such sessions."""

    def _open(self, address: str, ticket: str = "") -> Session:
        session = self._sessions[address] = SingleSession(self, address, ticket)
        return session


class SharedChannel:
    """A connection for many sessions, which leave it open."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel

    async def __aenter__(self) -> grpc.aio.Channel:
        return self._channel

    async def __aexit__(self, *error: object) -> None:
        """Others use it still."""


def clients(address: str, token: str, session_count: int) -> list[Client]:
    """One client, or one for each seat."""
    if not session_count:
        return [Client(Trivial, Settings(address=address, token=token, capacity=10_000))]
    settings = Settings(address=address, token=token)
    shared = SharedChannel(open_channel(settings, address))
    vars(sdk_session)["open_channel"] = lambda *_: shared  # the comparison alone is made so
    return [
        SingleClient(Trivial, Settings(address=address, token=token, capacity=1, instance=str(index)))
        for index in range(session_count)
    ]


async def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Tell what has been seen since the last time."""
    turns_s = Trivial.turns_s.copy()
    Trivial.turns_s.clear()
    return {"turns_s": turns_s, "cpu_s": time.process_time()}


async def main(address: str, token: str, session_count: int = 0) -> None:
    """Play until stdin ends."""
    playing = [asyncio.create_task(client.play()) for client in clients(address, token, session_count)]
    await obey({}, answer)
    for task in playing:
        task.cancel()
    await asyncio.wait(playing)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
