"""A server with a synced journal on a slow or failing disk sends nothing too early, and no bot pays for it."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator

import pytest

from arena.errors import JournalError
from arena.match.referee.inputs import Cancel, Credit, read_record
from arena.server.store.journal_file import read_records
from arena.server.store.synced_journal import SyncedJournalFile
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.wire_bot import Message, WireBot, play_lowest


class Disk:
    """The journal's disk, slower than it is."""

    def __init__(self, journal) -> None:
        self._sync = journal.sync
        self.takes_s = 0.0
        self.is_broken = False
        self.has_failed = threading.Event()

    def sync(self) -> None:
        time.sleep(self.takes_s)
        if self.is_broken:
            self.has_failed.set()
            raise JournalError("input/output error")
        self._sync()


async def wait_until_dealt(ann: WireBot, bob: WireBot) -> None:
    """Wait until the bot to move has received its prompt, and leave it unread."""
    message, _ = await ann.wait_for_prompt("cheat_turn")
    ann.unread.appendleft(message)
    await bob.wait_for_event("cheat_dealt")


@pytest.fixture
async def site(tmp_path) -> AsyncIterator[LocalServer]:
    async with open_server(tmp_path / "data", journal="disk") as opened:
        yield opened


@pytest.fixture
def disk(site, monkeypatch) -> Disk:
    journal = site.node.journal._syncer.journal
    made = Disk(journal)
    monkeypatch.setattr(journal, "sync", made.sync)
    return made


@pytest.mark.slow
async def test_prompt_clock_starts_when_prompt_is_sent(site: LocalServer, disk: Disk):
    """Syncs longer than a turn cost no bot a strike, and a replay shows it without a disk."""
    disk.takes_s = 0.15
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace(turn_ms=100, call_ms=100))

    def is_enough(message: Message) -> bool:
        return message.sequence > 12

    await asyncio.gather(ann.play(play_lowest, is_enough), bob.play(play_lowest, is_enough))

    conducts = site.node.registry.matches[match.match_number].table.referee.entrant_records
    assert [conduct.strikes.total() for conduct in conducts] == [0, 0]
    credited = [each.us for each in site.read_journal() if isinstance(each, Credit)]
    assert max(credited) >= 150_000


async def test_silent_bot_gets_its_sync_time_back_only_once(site: LocalServer, disk: Disk):
    """A prompt's time is credited once, not with each sync that ends while it is open."""
    disk.takes_s = 0.03
    match, _ = await site.seat_bots("ann", "bob", pace=slow_pace(turn_ms=100, call_ms=100))
    others, (carl, dora) = await site.seat_bots("carl", "dora", pace=slow_pace())
    playing = asyncio.gather(carl.play(play_lowest), dora.play(play_lowest))  # keep the disk busy

    started = time.monotonic()
    while not sum(each.strikes.total() for each in site.node.registry.matches[1].table.referee.entrant_records):
        await asyncio.sleep(0.005)

    stalled_s = sum(site.node.stalls_us) / 1e6  # which bots get back too
    assert time.monotonic() - started < 0.1 + 5 * 0.03 + stalled_s
    site.node.registry.cancel(match.match_number, site.node.now(), site.node.now())
    await playing
    assert (await site.wait_for_result(others)).termination == "finished"


async def test_decisions_are_accepted_but_nothing_is_sent_during_sync(site: LocalServer, disk: Disk):
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    await wait_until_dealt(ann, bob)
    decided = site.node.registry.matches[1].table.referee.entrant_records
    disk.takes_s = 0.3

    playing = asyncio.gather(ann.play(play_lowest), bob.play(play_lowest))
    while not sum(conduct.decision_count for conduct in decided):
        await asyncio.sleep(0.001)
    before = len(ann.messages), len(bob.messages)
    await asyncio.sleep(0.15)
    assert (len(ann.messages), len(bob.messages)) == before
    disk.takes_s = 0.0

    await playing
    assert (await site.wait_for_result(match)).termination == "finished"


async def test_failing_disk_pauses_matches_until_it_recovers(site: LocalServer, disk: Disk):
    """Records left in doubt by the failed sync are rewritten; the pause counts against no bot."""
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace(turn_ms=400, call_ms=400))
    await wait_until_dealt(ann, bob)
    before = len(ann.messages), len(bob.messages)

    disk.is_broken = True
    playing = asyncio.gather(ann.play(play_lowest), bob.play(play_lowest))
    await asyncio.get_running_loop().run_in_executor(None, disk.has_failed.wait, 5)
    await asyncio.sleep(0.6)
    assert not site.node.resumed.is_set()
    assert (len(ann.messages), len(bob.messages)) == before
    disk.is_broken = False
    await playing
    ended = await site.wait_for_result(match)

    assert ended.termination == "finished"
    assert [each.missing + each.late for each in ended.strikes] == [0, 0]
    assert [message.sequence for message in ann.messages] == [*range(1, len(ann.messages) + 1)]


async def test_stopping_server_leaves_everything_on_disk(tmp_path, monkeypatch):
    """The last sync follows the last record."""
    synced: list[int] = []

    def sync(journal: SyncedJournalFile) -> None:
        synced.append(journal.path.stat().st_size)

    monkeypatch.setattr(SyncedJournalFile, "sync", sync)
    async with open_server(tmp_path / "data", journal="disk") as site:
        await wait_until_dealt(*(await site.seat_bots("ann", "bob", pace=slow_pace()))[1])
        path = site.store.journals_folder / f"{site.node.name}.journal"

    assert isinstance([read_record(record) for record in read_records(path)][-1], Cancel)
    assert synced[-1] == path.stat().st_size
