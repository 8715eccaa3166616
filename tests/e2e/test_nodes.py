"""`arena match` on several nodes: complete and fair as on one, and what is killed harms nothing but itself."""

import asyncio
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from arena.fleet.assembly.stores import open_stores
from arena.games.catalogue import games
from arena.match.referee.facts import GameStarted
from arena.match.referee.match_record import group_by_match
from arena.match.referee.orders import AnnounceFact
from arena.match.referee.replay import Replay
from arena.server.store.journal_file import read_records
from tests.support.bots import write_bots
from tests.support.commands import CommandProcess, children_of, is_alive, run_arena, start_command

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks at processes in /proc")

PATIENT = ("--turn-ms", 60_000, "--call-ms", 60_000)
"""Nobody is late on a busy machine."""
SHORT = ("--set", "max_turns=30")


@pytest.fixture(scope="module")
def bots(tmp_path_factory) -> Path:
    return write_bots(tmp_path_factory.mktemp("bots"))


def seatings(data: Path) -> Iterator[tuple[str, int]]:
    """Who sat in which seat, game by game, as the journals of a folder have it."""
    for path in (data / "journals").iterdir():
        for records in group_by_match(read_records(path)).values():
            replay = Replay(records, games())
            orders = [order for moment in replay.moments() for order in moment.orders]
            for order in orders:
                if isinstance(order, AnnounceFact) and isinstance(order.fact, GameStarted):
                    yield from ((replay.terms.entrants[e], seat) for seat, e in enumerate(order.fact.entrants))


def export_and_verify(capsys, data: Path, folder: Path) -> list[str]:
    """The states of all matches, each of which is exported and found right."""
    listed = run_arena(capsys, "replay", "list", "--data", data, "--json").json
    for entry in listed:
        file = folder / f"{entry['match_id']}.json"
        assert (
            run_arena(capsys, "replay", "export", entry["match_id"], "--to", file, "--data", data).code == ExitCode.YES
        )
        assert run_arena(capsys, "replay", "verify", file, "--data", data).code == ExitCode.YES
    return [entry["state"] for entry in listed]


@pytest.mark.slow
def test_match_on_two_nodes_is_complete_and_fair(capsys, bots: Path, tmp_path):
    """All games are played and stored, every bot has every seat equally often, and every replay is valid."""
    data = tmp_path / "data"

    ended = run_arena(
        capsys, "match", "--bot", bots / "honest", "--bot", bots / "doubter", "--games", 6, "--nodes", 2, "--data",
        data, *PATIENT, *SHORT, "--json",
    )  # fmt: skip

    assert ended.code == ExitCode.YES, ended.err
    result = ended.json
    assert (result["nodes"], result["termination"]) == (2, "finished")
    assert [match["game_count"] for match in result["matches"]] == [3, 3]
    assert [entrant["name"] for entrant in result["entrants"]] == ["honest", "doubter"]
    assert len(result["games"]) == 6
    assert all(sorted(game["places"]) in ([1, 2], [1, 1]) for game in result["games"]), (
        "the turns of a game are limited"
    )
    honest, doubter = result["entrants"]
    assert doubter["counts"]["calls_right"] == honest["counts"]["lies_caught"]
    assert Counter(seatings(data)) == dict.fromkeys([(n, s) for n in ("honest", "doubter") for s in (0, 1)], 3)
    assert export_and_verify(capsys, data, tmp_path) == ["finished"] * 2
    assert len({path.stem.partition("-")[2] for path in (data / "journals").iterdir()}) == 1
    assert len(result["bots"]["honest"]["outputs"]) == 2
    assert "cat_" not in run_arena(capsys, "token", "list", "--data", data).out, "no token outlives the match"


@pytest.mark.slow
def test_killed_node_costs_only_its_own_match(capsys, tmp_path):
    """Its finished games count, the other node plays on, one sentence reports it, and its bots are gone with it."""
    data, bots = tmp_path / "data", write_bots(tmp_path / "bots")
    with start_third_game(bots, data) as (match, nodes):
        victims = [nodes[0], *children_of(nodes[0])]

        os.kill(nodes[0], signal.SIGKILL)

        said = match.wait_for_line("node 1")
        until_gone(victims)
        assert is_alive(nodes[1])
        (bots / "waiter" / "go").touch()
        assert match.wait_for_exit() == ExitCode.UNSTEADY
        result = json.loads(match.out[0])
    assert said == "node 1 was killed by SIGKILL; 2 of its 4 games are finished and saved"
    assert {match["termination"]: match["game_count"] for match in result["matches"]} == {
        "interrupted": 2, "finished": 4
    }  # fmt: skip
    assert result["termination"] == "interrupted"
    assert len(victims) == 3
    assert sorted(export_and_verify(capsys, data, tmp_path)) == ["finished", "interrupted"]


@pytest.mark.slow
def test_nodes_of_killed_runner_end_with_their_bots(capsys, tmp_path):
    """They end within moments; the next start closes their matches, whose finished games count."""
    data, bots = tmp_path / "data", write_bots(tmp_path / "bots")
    with start_third_game(bots, data) as (match, nodes):
        everybody = [*nodes, *(bot for node in nodes for bot in children_of(node))]

        match.signal(signal.SIGKILL)

        match.wait_for_exit()
        until_gone(everybody)
    asyncio.run(open_recovered_store(data))
    listed = run_arena(capsys, "replay", "list", "--data", data, "--json").json

    assert len(everybody) == 6
    assert [entry["games_finished"] for entry in listed] == [2, 2]
    assert all(entry["is_stored"] and entry["deal"]["is_opened"] for entry in listed)
    assert export_and_verify(capsys, data, tmp_path) == ["interrupted"] * 2


@pytest.mark.slow
def test_interruption_ends_every_node_and_reports_what_is_kept(capsys, tmp_path):
    data, bots = tmp_path / "data", write_bots(tmp_path / "bots")
    with start_third_game(bots, data) as (match, nodes):
        everybody = [*nodes, *(bot for node in nodes for bot in children_of(node))]

        match.signal(signal.SIGINT)

        assert match.wait_for_exit() == ExitCode.INTERRUPTED
        assert not any(map(is_alive, everybody))
        result = json.loads(match.out[0])
    assert [len(entrant["places"]) for entrant in result["entrants"]] == [4, 4]
    assert {each["termination"] for each in result["matches"]} == {"cancelled"}
    assert match.err[-1].startswith("arena: stopped; saved 4 finished games: arena replay show ")
    assert export_and_verify(capsys, data, tmp_path) == ["cancelled"] * 2


@pytest.mark.slow
def test_bot_that_does_not_start_on_its_node_ends_the_match(capsys, bots: Path, tmp_path):
    """As on one node, its last lines are shown."""
    ended = run_arena(
        capsys, "match", "--bot", bots / "honest", "--bot", bots / "broken", "--games", 2, "--nodes", 2, "--data",
        tmp_path,
    )  # fmt: skip

    assert ended.code == ExitCode.BOT_FAILED
    assert "arena: broken ended with exit code 5; its output is in" in ended.err
    assert "  about to fail" in ended.err


@contextmanager
def start_third_game(bots: Path, data: Path) -> Iterator[tuple[CommandProcess, list[int]]]:
    """A match of twice four games whose third games stand still; gives it and its nodes."""
    with start_command(
        "match", "--bot", bots / "waiter", "--bot", bots / "honest", "--games", 8, "--nodes", 2, "--data", data,
        "--no-deadlines", *SHORT, "--json", "--show-output", "waiter",
    ) as match:  # fmt: skip
        until(lambda: match.err.count("waiter: third game\n") == 2)
        yield match, children_of(match.pid)


async def open_recovered_store(data: Path) -> None:
    """Open the store as the next start does."""
    async with open_stores(data):
        pass


def until_gone(pids: list[int]) -> None:
    until(lambda: not any(map(is_alive, pids)), 5)


def until(is_so: Callable[[], bool], time_s: float = 60) -> None:
    deadline = time.monotonic() + time_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)
