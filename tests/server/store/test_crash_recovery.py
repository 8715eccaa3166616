"""What a killed server left running is closed by rule when the next one begins."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from arena.games.cheat.rules.game import CHEAT
from arena.match.deal.commitment import Contribution, promise_hash
from arena.match.referee.deal import DealSecret, new_secret, prepare_deal, receipt_issuer
from arena.match.referee.deal_serialization import new_deal_row as first_deal
from arena.match.referee.deal_serialization import revealed_deal_from_plain
from arena.match.referee.inputs import Begin, Deal, write_record
from arena.match.referee.match_record import new_match_row
from arena.match.referee.pace import Pace
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Terms, describe_terms
from arena.server.store.crash_recovery import (
    JournalCache,
    close_interrupted_matches,
    reveal_abandoned_deals,
    warn_of_strange_journals,
)
from arena.server.store.journal_file import JournalFile
from arena.server.store.open_store import Store, open_store
from arena.server.store.receipt_key import open_receipt_key

GAMES = {"cheat": CHEAT}
TERMS = Terms(
    CHEAT, "standard", CHEAT.build_ruleset("standard", {}), Pace.sealed_defaults(), ("ann", "bob", "cid"), game_count=2
)


def begin(number: int, match_id: str) -> bytes:
    return write_record(number, Begin(Instant(0), Instant(0), MatchId(match_id), describe_terms(TERMS)))


async def test_unfinished_match_becomes_interrupted(tmp_path: Path):
    """Its row no longer says running, and it has no result for the game being dealt."""
    async with await open_store(tmp_path) as store:
        await store.results.add_match(new_match_row(MatchId("M1"), 1, TERMS, "n.journal", 0.0))
        journal = JournalFile(store.journals_folder / "n.journal")
        journal.append(begin(1, "M1"))
        journal.flush()
        journal.close()

        count = await close_interrupted_matches(store.results, JournalCache(store.journals_folder), GAMES)

        row = await store.results.match(MatchId("M1"))
        assert count == 1
        assert (row.state, row.termination) == ("ended", "interrupted")
        assert await store.results.games(MatchId("M1")) == []


async def test_match_abandoned_by_other_entrants_keeps_its_forfeits(tmp_path: Path):
    """Games forfeited before the server died are kept, with both absent entrants placed last."""
    async with await open_store(tmp_path) as store:
        await store.results.add_match(new_match_row(MatchId("M2"), 7, TERMS, "n.journal", 0.0))
        journal = JournalFile(store.journals_folder / "n.journal")
        absent = EntrantIndex(0), EntrantIndex(2)
        begun = Begin(Instant(0), Instant(0), MatchId("M2"), describe_terms(TERMS), absent)
        journal.append(write_record(7, begun))
        journal.flush()
        journal.close()

        await close_interrupted_matches(store.results, JournalCache(store.journals_folder), GAMES)

        games = await store.results.games(MatchId("M2"))
        assert [game.places for game in games] == [(3, 1, 2), (3, 1, 2)]
        assert (await store.results.match(MatchId("M2"))).termination == "forfeited"


async def test_missing_journal_costs_only_the_games_of_its_match(tmp_path: Path):
    """The next server still starts."""
    async with await open_store(tmp_path) as store:
        await store.results.add_match(new_match_row(MatchId("M3"), 1, TERMS, "gone.journal", 0.0))

        await close_interrupted_matches(store.results, JournalCache(store.journals_folder), GAMES)

        assert (await store.results.match(MatchId("M3"))).termination == "interrupted"


def new_deal(match_id: str) -> DealSecret:
    numbers = iter(range(10))
    return new_secret(match_id, TERMS, lambda: bytes([next(numbers)]) * 32)


async def left_deal(store: Store, number: int, match_id: str, *records: bytes) -> DealSecret:
    """A deal as a killed server leaves it: committed in the store, its secrets in the journal alone."""
    secret = new_deal(match_id)
    await store.deals.commit(first_deal(secret, MatchId(match_id), number, "n.journal", 0.0))
    journal = JournalFile(store.journals_folder / "n.journal")
    for record in (write_record(number, Deal(Instant(0), Instant(0), secret)), *records):
        journal.append(record)
    journal.flush()
    journal.close()
    return secret


async def test_merely_committed_deal_is_opened(tmp_path: Path):
    """Its match never began: seed and salts are revealed, and no card was dealt."""
    async with await open_store(tmp_path) as store:
        secret = await left_deal(store, 3, "M4")

        assert await reveal_abandoned_deals(store.deals, JournalCache(store.journals_folder), GAMES, None) == 1

        row = await store.deals.deal(MatchId("M4"))
        assert row is not None
        assert row.revealed is not None
        opened = revealed_deal_from_plain(row.revealed)
        assert (opened.seed, opened.salts, opened.root) == (secret.seed, secret.salts, b"")
        assert opened.commitment == row.commitment
        assert not await store.deals.unrevealed_deals()


async def test_played_deal_is_opened_with_contributions_and_receipts(tmp_path: Path):
    """Everything that the seats received can be recomputed, including the signatures."""
    added = (Contribution(1, promise_hash(bytes(32)), bytes(32)), Contribution(2, bytes(32), fault="missing"))
    begin = Begin(Instant(0), Instant(0), MatchId("M5"), describe_terms(TERMS), contributions=added)
    begun = write_record(5, begin)
    async with await open_store(tmp_path) as store:
        secret = await left_deal(store, 5, "M5", begun)
        key = open_receipt_key(tmp_path)

        await reveal_abandoned_deals(store.deals, JournalCache(store.journals_folder), GAMES, key)
        await reveal_abandoned_deals(store.deals, JournalCache(store.journals_folder), GAMES, key)

        row = await store.deals.deal(MatchId("M5"))
        assert row is not None
        assert row.revealed is not None
        opened = revealed_deal_from_plain(row.revealed)
        assert opened.contributions == added
        issuer = receipt_issuer(key, MatchId("M5"), TERMS)
        assert opened.receipts == prepare_deal(secret, added, TERMS, issuer).receipts


async def test_deal_with_missing_journal_stays_closed(tmp_path: Path):
    """It remains in the chain as one that cannot be opened, and the server starts."""
    async with await open_store(tmp_path) as store:
        await store.deals.commit(first_deal(new_deal("M6"), MatchId("M6"), 1, "gone.journal", 0.0))

        await reveal_abandoned_deals(store.deals, JournalCache(store.journals_folder), GAMES, None)

        assert [row.match_id for row in await store.deals.unrevealed_deals()] == ["M6"]


@pytest.mark.parametrize("content", [b"garbage" * 9, b"ARENAJRN\2\0\0\0"], ids=["garbage", "version"])
def test_file_that_is_no_journal_is_reported_at_start(tmp_path: Path, content: bytes):
    """One that is empty or torn in its first bytes is what a killed server may leave, and no reason for a warning."""
    JournalFile(tmp_path / "good.journal").close()
    (tmp_path / "empty.journal").touch()
    (tmp_path / "torn.journal").write_bytes(b"AREN")
    (tmp_path / "strange.journal").write_bytes(content)

    with capture_logs() as logs:
        warn_of_strange_journals(tmp_path)

    assert [(each["log_level"], each["journal"]) for each in logs] == [("warning", "strange.journal")]


async def test_bytes_dropped_from_a_needed_journal_are_reported(tmp_path: Path):
    """What follows the last whole group cannot be read: the log says in which file, and how many bytes."""
    async with await open_store(tmp_path) as store:
        await left_deal(store, 3, "M4")
        journal = store.journals_folder / "n.journal"
        journal.write_bytes(journal.read_bytes() + b"garbage")

        with capture_logs() as logs:
            await reveal_abandoned_deals(store.deals, JournalCache(store.journals_folder), GAMES, None)

    dropped = [each for each in logs if "dropped_bytes" in each]
    assert [(each["log_level"], each["journal"], each["dropped_bytes"]) for each in dropped] == [
        ("warning", "n.journal", 7)
    ]


async def test_recovery_does_nothing_without_running_matches(tmp_path: Path):
    """A clean folder stays unchanged."""
    async with await open_store(tmp_path) as store:
        assert await close_interrupted_matches(store.results, JournalCache(store.journals_folder), GAMES) == 0
