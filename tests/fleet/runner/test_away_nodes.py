"""Nodes with a data folder of their own: everything that has to last is in the runner's."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import cast

import pytest

from arena.errors import EnvironmentFaultError, JournalError, StoreError
from arena.fleet.runner.connection import LineCutError
from arena.fleet.runner.fleet import FleetRoom
from arena.fleet.runner.kept_journal import KeptJournal, SentJournal
from arena.fleet.runner.node_process import NodeProcess
from arena.fleet.runner.node_services import SharedResults
from arena.fleet.runner.runner import Runner, open_runner
from arena.fleet.runner.signed_ahead import JobSigner, SignedAhead, sign_receipts
from arena.match.referee.deal import ReceiptIssuer, prepare_deal
from arena.match.referee.inputs import Answer, read_record
from arena.match.referee.ports import ResultStore
from arena.match.referee.terms import describe_terms
from arena.server.store.journal_file import JournalFile, read_records
from arena.server.store.receipt_key import ReceiptKey
from tests.fleet.runner.test_connection import MATCH
from tests.fleet.runner.test_runner import job
from tests.fleet.runner.test_shared_tables import SLOW_BOT, connect_slow_bots, journal_of, table_order
from tests.support.bots import write_bots
from tests.support.commands import find_user

NAMES = ["ann", "bob", "cid"]


class FoldersApart:
    """Implements `Fleet`: each node has the next of these folders."""

    is_away = True
    room = FleetRoom(2, 2, 16)

    def __init__(self, *folders: Path) -> None:
        self._folders = iter(folders)

    async def start_node(self) -> NodeProcess:
        folder = next(self._folders)
        folder.mkdir()
        return NodeProcess.start(folder)


@pytest.fixture
async def runner(tmp_path: Path) -> AsyncIterator[Runner]:
    (tmp_path / "slow.py").write_text(SLOW_BOT)
    async with open_runner(tmp_path / "data", 2, fleet=FoldersApart(tmp_path / "one", tmp_path / "two")) as runner:
        yield runner


def list_journals(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.journal"))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a node inherits its line")
async def test_table_of_lost_node_continues_elsewhere_from_journal_of_runner(runner: Runner, tmp_path: Path):
    whole, cut, data = table_order(0, NAMES), table_order(1, NAMES), tmp_path / "data"
    first, second = runner.nodes
    for node in (first, second):
        await connect_slow_bots(node, tmp_path, *NAMES)
    await second.play_shared_table(whole)

    playing = asyncio.ensure_future(first.play_shared_table(cut))
    while len(journal_of(data, cut.match_id)) < 60:
        await asyncio.sleep(0.01)
    os.kill(find_user(tmp_path / "one"), signal.SIGKILL)
    with pytest.raises(LineCutError):
        await playing
    await first.clean_up()
    records = journal_of(data, cut.match_id)
    await second.play_shared_table(table_order(1, NAMES, records))

    def decisions(match: str) -> list[tuple[int, str]]:
        entries = map(read_record, journal_of(data, match))
        return sorted((entry.entrant, entry.text) for entry in entries if isinstance(entry, Answer))

    assert len(records) < len(journal_of(data, cut.match_id))
    assert decisions(cut.match_id) == decisions(whole.match_id)
    assert list_journals(tmp_path) == sorted(data.joinpath("journals", node.journal) for node in (first, second))


async def test_journal_is_the_file_that_a_node_would_have_written(tmp_path: Path):
    kept, own = KeptJournal(tmp_path / "kept"), JournalFile(tmp_path / "own")

    for journal in (SentJournal(kept), own):
        for group in ([b"deal", b"begin"], [], [b"answer"]):
            for record in group:
                journal.append(record)
            journal.flush()
            await asyncio.sleep(0)  # what comes in one pass of the loop would become one group

    assert (tmp_path / "kept").read_bytes() == (tmp_path / "own").read_bytes()


class NoResults:
    """A result store that must not be reached."""

    def __getattr__(self, name: str) -> Callable[..., object]:
        return lambda *_: pytest.fail(f"{name} was called")


async def test_results_wait_for_journal_while_the_disk_is_full(tmp_path: Path, monkeypatch):
    journal = KeptJournal(tmp_path / "journal")
    results, match = SharedResults(cast(ResultStore, NoResults()), journal), MATCH

    def fail(file: JournalFile, data: bytes) -> None:
        raise JournalError("the disk is full")

    with monkeypatch.context() as full:
        full.setattr(JournalFile, "_write", fail)
        journal.keep_group([b"first"])
        for store in (results.move_matches([match]), results.add_games(match, []), results.end_match(match)):
            with pytest.raises(StoreError, match="the disk is full"):
                await store
    journal.keep_group([b"second"])
    journal.require_written()

    assert list(read_records(tmp_path / "journal")) == [b"first", b"second"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a node inherits its line")
async def test_another_node_is_asked_for_in_place_of_a_lost_one(tmp_path: Path):
    said: list[str] = []
    fleet = FoldersApart(tmp_path / "one", tmp_path / "two")
    async with open_runner(tmp_path / "data", 1, fleet=fleet, report_loss=said.append) as runner:
        os.kill(find_user(tmp_path / "one"), signal.SIGKILL)

        node = await asyncio.wait_for(runner.next_node(), 60)

        assert node is not None
        assert await node.calls.connected_bots("league", "cheat", "standard") == ()
    assert said == [
        "node 1 was killed by SIGKILL; 0 nodes left, and another one is asked for",
        "node 2 has come; 1 node",
    ]


async def test_runner_signs_the_receipts_of_its_tables_and_jobs_and_no_more():
    key, table = ReceiptKey(bytes(range(32))), table_order(0, NAMES)
    jobs = JobSigner(key)
    ahead = SignedAhead(key.public_key, jobs)

    def issue() -> object:
        issuer = ReceiptIssuer(ahead, table.match_id, describe_terms(table.terms))
        return prepare_deal(table.secret, (), table.terms, issuer).receipts

    receipts = sign_receipts(table, key)
    with ahead.hold(receipts):
        assert issue() == receipts
    with pytest.raises(EnvironmentFaultError, match="does not hold the signature"):
        issue()  # in the loop, which would wait for itself
    jobs.expect(len(NAMES))
    assert await asyncio.to_thread(issue) == receipts
    with pytest.raises(EnvironmentFaultError, match="more receipts than its jobs have seats"):
        await asyncio.to_thread(issue)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a node inherits its line")
async def test_match_of_node_that_is_away_is_in_folder_of_runner(runner: Runner, tmp_path: Path):
    bots = write_bots(tmp_path / "bots")

    result = await asyncio.wait_for(runner.play(job(bots, "honest", "doubter", game_count=2), []), 120)

    assert result.report is not None
    assert (len(result.report.games), result.report.termination) == (2, "finished")
    row = await runner.store.results.match(result.report.match_id)
    assert row.journal in [path.name for path in (tmp_path / "data" / "journals").iterdir()]
    assert not list_journals(tmp_path / "one") + list_journals(tmp_path / "two")
