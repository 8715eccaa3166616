"""Crashed bots: how often they are started again, what the ledger says of it, and when every node gives them up."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.bots.launch.programs import BotProgram
from arena.competition.league.ports import LedgerEntry
from arena.errors import BotGameError, BotStartError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.started_bot import BotExit
from arena.games.catalogue import games
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Terms
from arena.organizer.play.node_bots import MAX_RESTARTS, RESTART_WINDOW, BotRestarts, NodeBots

CHEAT = games()["cheat"]
TERMS = Terms(CHEAT, "standard", CHEAT.build_ruleset("standard", {}), Pace.sealed_defaults(), ("a", "b"))


class FakeNode:
    """A node that counts the starts of its bots."""

    is_up = True

    def __init__(self) -> None:
        self.lost_bots: asyncio.Queue[BotExit] = asyncio.Queue()
        self.starts: list[str] = []
        self.given_up: list[str] = []
        self.broken: set[str] = set()
        self.other_game: set[str] = set()
        self.calls = self

    async def start_bot(self, bot: BotEntrant, *_: str) -> None:
        self.starts.append(bot.name)
        if bot.name in self.broken:
            raise BotStartError(f"{bot.name} does not start")
        if bot.name in self.other_game:
            raise BotGameError(f"{bot.name} plays something else")

    async def give_up_bot(self, name: str, _: str) -> None:
        self.given_up.append(name)


class FakeLedger:
    """A ledger in memory; `failure` is raised by the next entry."""

    def __init__(self) -> None:
        self.acts: list[LedgerEntry] = []
        self.failure: Exception | None = None
        self.games = 0

    def count_games_of(self, name: str) -> int:
        return self.games

    async def add_entry(self, kind: str, values: dict[str, Any]) -> None:
        if self.failure is not None:
            raise self.failure
        self.acts.append(LedgerEntry(len(self.acts) + 1, 0.0, kind, values))

    @property
    def entries(self) -> list[tuple[str, str]]:
        return [(act.kind, act.values["name"]) for act in self.acts]


async def check_nothing(name: str) -> None:
    """Accept every start."""


def restarts_of(ledger: FakeLedger, *nodes: FakeNode) -> BotRestarts:
    bots = {name: BotEntrant(name, BotProgram(name, (), Path())) for name in "ab"}

    def build_nodes(on_crash: Callable[[str, BotStartError], Any]) -> Sequence[NodeBots]:
        return [NodeBots(node, bots, TERMS, 4, on_crash, check_nothing) for node in nodes]  # type: ignore[arg-type]  # nodes in memory

    return BotRestarts(ledger, build_nodes)  # type: ignore[arg-type]  # a ledger in memory


@asynccontextmanager
async def watching(restarts: BotRestarts) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(restarts.restart_lost_bots(node)) for node in restarts.nodes]
    yield
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def lose(node: FakeNode, name: str) -> None:
    node.lost_bots.put_nowait(BotExit(name, "ended with exit code 0", (), Path(f"{name}.log")))
    await asyncio.sleep(0.005)


async def test_lost_bot_is_restarted_until_it_forfeits_at_every_node():
    first, second, ledger = FakeNode(), FakeNode(), FakeLedger()
    restarts = restarts_of(ledger, first, second)
    await restarts.nodes[0].acquire(["a", "b"])

    async with watching(restarts):
        for _ in range(MAX_RESTARTS + 1):
            await lose(first, "a")

    assert ledger.entries == [*[("restarted", "a")] * MAX_RESTARTS, ("away", "a")]
    assert first.starts == ["a", "b", *"a" * MAX_RESTARTS]
    assert "a" in first.given_up
    assert second.given_up == ["a"]
    assert list(restarts.away) == ["a"]


async def test_bot_that_does_not_start_is_retried_until_it_forfeits():
    node, ledger = FakeNode(), FakeLedger()
    node.broken = {"a"}

    await restarts_of(ledger, node).nodes[0].acquire(["a", "b"])

    assert ledger.entries == [*[("restarted", "a")] * MAX_RESTARTS, ("away", "a")]
    assert node.starts.count("a") == MAX_RESTARTS + 1


async def test_bot_of_another_game_forfeits_without_a_restart():
    node, ledger = FakeNode(), FakeLedger()
    node.other_game = {"a"}

    await restarts_of(ledger, node).nodes[0].acquire(["a", "b"])

    assert ledger.entries == [("away", "a")]
    assert node.starts == ["a", "b"]


async def test_idle_bot_is_not_restarted_before_a_block_needs_it():
    node, ledger = FakeNode(), FakeLedger()
    restarts = restarts_of(ledger, node)
    bots = restarts.nodes[0]
    bots.reserve_table(["a", "b"])
    await bots.acquire(["a", "b"])
    bots.release_table(["a", "b"], has_bots=True)

    async with watching(restarts):
        await lose(node, "a")
        assert node.starts == ["a", "b"]
        await bots.acquire(["a", "b"])

    assert node.starts == ["a", "b", "a"]


async def test_earlier_restarts_count_when_a_league_is_resumed():
    node, ledger = FakeNode(), FakeLedger()
    ledger.acts = [LedgerEntry(number, 0.0, "restarted", {"name": "a"}) for number in range(MAX_RESTARTS)]
    restarts = restarts_of(ledger, node)

    assert not await restarts.record_crash("a", BotStartError("a does not start"))
    assert not await restarts.record_crash("a", BotStartError("a does not start"))
    assert ledger.entries.count(("away", "a")) == 1


async def test_restarts_count_over_a_hundred_games_of_the_bot():
    """A bot that crashes every fifty games plays on. One that crashes four times within a hundred games does not."""
    ledger, error = FakeLedger(), BotStartError("a ends")
    restarts = restarts_of(ledger, FakeNode())

    for ledger.games in range(0, 1000, RESTART_WINDOW // 2):
        assert await restarts.record_crash("a", error)
    for more in (20, 40):
        ledger.games = 950 + more
        can_restart = await restarts.record_crash("a", error)

    assert not can_restart
    assert [act.values.get("time") for act in ledger.acts][:5] == [1, 2, 2, 2, 2]
    assert ledger.entries[-1] == ("away", "a")


async def test_resumed_league_knows_when_a_bot_was_restarted():
    ledger = FakeLedger()
    values = {"name": "a", "games": 10}
    ledger.acts = [LedgerEntry(number, 0.0, "restarted", values) for number in range(MAX_RESTARTS)]

    ledger.games = 10 + RESTART_WINDOW
    assert await restarts_of(ledger, FakeNode()).record_crash("a", BotStartError("a ends"))
    ledger.games = 10 + RESTART_WINDOW - 1
    assert not await restarts_of(ledger, FakeNode()).record_crash("a", BotStartError("a ends"))


async def test_bot_lost_after_play_has_ended_is_not_blamed():
    node, ledger = FakeNode(), FakeLedger()
    restarts = restarts_of(ledger, node)
    await restarts.nodes[0].acquire(["a", "b"])
    async with watching(restarts):
        pass

    await lose(node, "a")

    assert ledger.entries == []


async def test_error_of_the_ledger_is_not_lost():
    node, ledger = FakeNode(), FakeLedger()
    restarts, ledger.failure = restarts_of(ledger, node), RuntimeError("broken")
    task = asyncio.create_task(restarts.restart_lost_bots(restarts.nodes[0]))

    await lose(node, "a")

    with pytest.raises(ExceptionGroup):
        await task
