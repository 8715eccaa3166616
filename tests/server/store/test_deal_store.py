"""The chain of deals: gapless, opened once, and secret until then; and the key of receipts."""

import asyncio
import stat
import subprocess

import pytest
from sqlalchemy import delete, update

from arena.errors import StoreError
from arena.match.deal.commitment import GENESIS_LINK, next_link
from arena.match.referee.ports import DealRow, MatchId
from arena.replays.proof.verification import check_chain
from arena.server.store.open_store import Store
from arena.server.store.receipt_key import KEY_FILE, is_valid_signature, open_receipt_key
from arena.server.store.tables import DEALS


def row(match_id: str, commitment: bytes = b"c" * 32) -> DealRow:
    return DealRow(0, MatchId(match_id), match_id, "j", 1, 0.0, b"r" * 32, commitment, b"")


async def test_each_deal_is_linked_to_the_previous_one(store: Store):
    first = await store.deals.commit(row("M1", b"1" * 32))
    second = await store.deals.commit(row("M2", b"2" * 32))

    assert (first.number, second.number) == (1, 2)
    assert first.link == next_link(GENESIS_LINK, b"1" * 32)
    assert second.link == next_link(first.link, b"2" * 32)
    assert await store.deals.chain() == [first, second]


async def test_match_is_committed_once(store: Store):
    await store.deals.commit(row("M1"))

    with pytest.raises(StoreError):
        await store.deals.commit(row("M1"))


async def test_deal_is_opened_once(store: Store):
    """Later openings change nothing; a match without a deal needs none."""
    await store.deals.commit(row("M1"))
    await store.deals.commit(row("M2"))

    await store.deals.reveal(MatchId("M1"), {"seed": "00"})
    await store.deals.reveal(MatchId("M1"), {"seed": "ff"})
    await store.deals.reveal(MatchId("no such match"), {"seed": "ff"})

    opened = await store.deals.deal(MatchId("M1"))
    assert opened is not None
    assert opened.revealed == {"seed": "00"}
    assert [each.match_id for each in await store.deals.unrevealed_deals()] == ["M2"]
    assert await store.deals.deal(MatchId("M3")) is None


async def test_deal_stays_secret_while_its_match_goes_on_in_another_journal(store: Store, match_row):
    """Its first writer, which was given up but lives, must not open cards that are in play."""
    await store.deals.commit(row(match_row().match_id))
    await store.results.add_match(match_row())
    await store.results.move_matches([match_row(journal="13.journal")])

    await store.deals.reveal(match_row().match_id, {"seed": "00"}, "j")

    assert [each.journal for each in await store.deals.unrevealed_deals()] == ["13.journal"]
    await store.deals.reveal(match_row().match_id, {"seed": "00"}, "13.journal")
    assert await store.deals.unrevealed_deals() == []


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (delete(DEALS).where(DEALS.c.number == 2), "deal 2 is missing from the store's chain"),
        (delete(DEALS).where(DEALS.c.number == 3), "does not have this commitment"),
        (
            update(DEALS).where(DEALS.c.number == 2).values(commitment=bytes(32)),
            "deal 2 of the store's chain does not follow",
        ),
        (
            update(DEALS).where(DEALS.c.number == 1).values(link=bytes(32)),
            "deal 1 of the store's chain does not follow",
        ),
    ],
    ids=["first", "last", "commitment", "link"],
)
async def test_dropped_or_changed_deal_is_detected(store: Store, damage, sentence):
    for number in range(1, 4):
        await store.deals.commit(row(f"M{number}", bytes([number]) * 32))
    document = {"deal": {"chain": {"number": 3}, "commitment": "03" * 32}}
    assert check_chain(await store.deals.chain(), document).is_true

    await store.database.write(lambda connection: connection.execute(damage))

    found = check_chain(await store.deals.chain(), document)
    assert not found.is_true
    assert sentence in found.sentence


def test_key_is_created_once_and_readable_only_by_owner(tmp_path):
    first, again = open_receipt_key(tmp_path), open_receipt_key(tmp_path)

    assert first.public_key == again.public_key
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]


def test_signature_matches_one_key_and_one_digest(tmp_path):
    key = open_receipt_key(tmp_path)
    signature = key.sign(b"d" * 32)

    assert is_valid_signature(key.public_key, signature, b"d" * 32)
    assert not is_valid_signature(key.public_key, signature, b"e" * 32)
    assert not is_valid_signature(bytes(32), signature, b"d" * 32)
    assert not is_valid_signature(key.public_key, signature[:-1], b"d" * 32)
    assert not is_valid_signature(b"no key", signature, b"d" * 32)


def test_damaged_key_is_refused(tmp_path):
    """A server that signed with a different key than before would look like a cheat."""
    (tmp_path / KEY_FILE).write_bytes(b"short")

    with pytest.raises(StoreError, match="damaged: it has 5 bytes"):
        open_receipt_key(tmp_path)


def test_missing_key_of_deals_is_refused_with_the_way_out(tmp_path):
    """A new key in its place, made without a word, would look like a cheat too."""
    with pytest.raises(StoreError, match="is missing, and this data folder has deals") as refused:
        open_receipt_key(tmp_path, has_deals=True)
    assert not (tmp_path / KEY_FILE).exists()

    command = str(refused.value).partition("with: ")[2]
    subprocess.run(command, shell=True, check=True)
    assert open_receipt_key(tmp_path, has_deals=True).public_key


async def test_store_knows_whether_it_has_deals(store: Store):
    assert not await store.deals.has_deals()

    await store.deals.commit(row("M1"))

    assert await store.deals.has_deals()


async def test_concurrently_committed_deals_form_one_chain(store: Store):
    """They follow the order of the requests; only a match that already has a deal is refused."""
    await store.deals.commit(row("M1", b"1" * 32))

    asked = (row("M2", b"2" * 32), row("M1"), row("M3", b"3" * 32))
    committed = await asyncio.gather(*map(store.deals.commit, asked), return_exceptions=True)

    assert isinstance(committed[1], StoreError)
    chain = await store.deals.chain()
    assert [(each.number, each.match_id) for each in chain] == [(1, "M1"), (2, "M2"), (3, "M3")]
    assert chain[1:] == [committed[0], committed[2]]
    link = GENESIS_LINK
    for each in chain:
        link = next_link(link, each.commitment)
        assert each.link == link
