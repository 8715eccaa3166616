"""The server is killed again and again while matches are played: nothing acknowledged is lost, and all of them end.

`make kill-soak` does it a hundred times; KILL_CYCLES sets how often.
"""

import asyncio
import os
import random
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import pytest

from arena.match.referee.inputs import Answer, read_record
from arena.match.referee.match_record import group_by_match
from arena.match.referee.ports import MatchId
from arena.server.store.journal_file import read_records
from cheatarena.v1 import match_pb2
from tests.support.commands import start_command
from tests.support.server import ServerClients, slow_pace, visit_server
from tests.support.wire_bot import WireBot, play_lowest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")

CYCLES = int(os.environ.get("KILL_CYCLES", "3"))
NAMES = ("ann", "bob", "cid", "dan")
MATCHES = 8
GAMES = 10
RECOVERY_S = 3.0
"""Wanted on an idle machine; reported, and held loosely, since this machine may be busy."""

Decision = tuple[str, int, int, int]
"""Match id, entrant, prompt id and action id: prompts keep their ids over restarts, and match numbers do not."""


@dataclass
class Soak:
    """What is known over all servers."""

    data: Path
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    tokens: dict[str, str] = field(default_factory=dict)
    matches: list[str] = field(default_factory=list)
    accepted: set[Decision] = field(default_factory=set)
    recoveries_s: list[float] = field(default_factory=list)

    async def cycle(self, clients: ServerClients, started_s: float, kill) -> None:
        """Reconnect, see that every match goes on, play for a random while, and kill the server."""
        clients.tokens |= self.tokens
        bots = await clients.connect_bots(*NAMES)
        self.tokens = dict(clients.tokens)
        playing = [asyncio.create_task(_play_until_cut(bot)) for bot in bots]
        open_matches = [found for each in self.matches if (found := await self._find_open(clients, each)) is not None]
        seated = {name for match in open_matches for name in match.terms.entrants}
        expected = [bot for name, bot in zip(NAMES, bots, strict=True) if name in seated]
        while not all(bot.accepted for bot in expected):
            await asyncio.sleep(0.005)
        if open_matches:
            self.recoveries_s.append(time.monotonic() - started_s)
        for _ in range(MATCHES - len(open_matches)):
            entrants = self.rng.sample(NAMES, 3)
            made = await clients.create_match(*entrants, pace=slow_pace(), game_count=GAMES, seed=b"")
            self.matches.append(made.match_id)
        await asyncio.sleep(self.rng.uniform(0.2, 1.0))
        kill()
        await asyncio.gather(*playing)
        numbers = await self._numbers(clients)
        for number, entrant, prompt, action in (each for bot in bots for each in bot.accepted):
            self.accepted.add((numbers[number], entrant, prompt, action))

    async def finish(self, clients: ServerClients) -> list[match_pb2.Match]:
        """Let every match end."""
        clients.tokens |= self.tokens
        bots = await clients.connect_bots(*NAMES)
        playing = [asyncio.create_task(_play_until_cut(bot)) for bot in bots]
        ended = []
        for match_id in self.matches:
            request = match_pb2.WaitForResultRequest(match_id=match_id)
            waiting = clients.matches.WaitForResult(request, metadata=clients.organizing, timeout=60)
            ended.append((await waiting).match)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        return ended

    async def _find_open(self, clients: ServerClients, match_id: str) -> match_pb2.Match | None:
        request = match_pb2.GetMatchRequest(match_id=match_id)
        found: match_pb2.Match = (await clients.matches.GetMatch(request, metadata=clients.organizing)).match
        return found if found.state != match_pb2.MATCH_STATE_ENDED else None

    async def _numbers(self, clients: ServerClients) -> dict[int, str]:
        """Return the match ids by the numbers that they had on the last server."""
        rows = [await clients.store.results.match(MatchId(each)) for each in self.matches]
        newest = max(row.journal for row in rows)
        return {row.number: row.match_id for row in rows if row.journal == newest}


async def _play_until_cut(bot: WireBot) -> None:
    with suppress(grpc.aio.AioRpcError, AssertionError, asyncio.InvalidStateError):
        await bot.play(play_lowest, stop=lambda _: False)


@pytest.mark.slow
@pytest.mark.long
async def test_nothing_is_lost_over_many_kills(tmp_path, capsys):
    soak = Soak(tmp_path / "data")
    for _ in range(CYCLES):
        started_s = time.monotonic()
        with start_command("serve", "--data", soak.data) as server:
            address = (await asyncio.to_thread(server.wait_for_line, "READY")).split()[1]
            async with visit_server(soak.data, address) as clients:
                await soak.cycle(clients, started_s, lambda: server.signal(signal.SIGKILL))
            await asyncio.to_thread(server.wait_for_exit)
    with start_command("serve", "--data", soak.data) as server:
        address = (await asyncio.to_thread(server.wait_for_line, "READY")).split()[1]
        async with visit_server(soak.data, address) as clients:
            ended = await soak.finish(clients)
            rows = [await clients.store.results.match(MatchId(each)) for each in soak.matches]
    journaled = {decision for row in rows for decision in _answers(soak.data / "journals" / row.journal, row)}

    with capsys.disabled():
        recoveries = sorted(soak.recoveries_s) or [0.0]
        median, slowest = recoveries[len(recoveries) // 2], recoveries[-1]
        print(
            f"\n{CYCLES} kills, {len(soak.matches)} matches, {len(soak.accepted):,} acknowledged decisions, "
            f"{len(soak.accepted - journaled)} lost; recovery {median:.1f} s, at most {slowest:.1f} s"
        )
    assert soak.accepted <= journaled
    assert {each.termination for each in ended} == {"finished"}
    assert {len(each.games) for each in ended} == {GAMES}
    assert all([*each.strikes] == [match_pb2.Strikes()] * 3 for each in ended)
    assert max(soak.recoveries_s) < 10 * RECOVERY_S


def _answers(journal: Path, row) -> set[Decision]:
    records = group_by_match(read_records(journal))[row.number]
    inputs = [read_record(record) for record in records]
    return {(row.match_id, i.entrant, i.prompt_id, i.action_id) for i in inputs if isinstance(i, Answer)}
