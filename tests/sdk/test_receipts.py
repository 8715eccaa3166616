"""A bot's receipts and entropy: it stores receipts and adds entropy if its settings say so."""

import asyncio
import hashlib
import json
import stat

import pytest

from cheatarena import Receipt, Settings
from cheatarena.receipts import FILE_NAME, EntropyPromises, append_receipt
from cheatarena.testing import Script
from cheatarena.v1 import deal_pb2, event_pb2, lobby_pb2, play_pb2
from tests.sdk.fake_arena import Stream, of_match, run_fake_arena
from tests.sdk.stories import Onlooker, table_after
from tests.sdk.test_session import make_offer, play

GIVEN = deal_pb2.DealReceipt(digest=b"d" * 32, signature=b"s" * 64, public_key=b"k" * 32)


def story() -> Script:
    """Return the messages of a match with a receipt."""
    script = Script(seats=3).deal("KC KD 2C")
    script.messages[0].events.insert(2, event_pb2.Event(deal_receipt=GIVEN))
    return script


async def test_table_has_its_receipt_and_the_folder_a_line_of_it(tmp_path):
    """The receipt comes before the first card; only the owner can read the file."""
    folder = tmp_path / "kept"

    async def talk(stream: Stream) -> None:
        await stream.welcome(*of_match(story()))
        await asyncio.sleep(0.05)
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as server:
        await play(server.address, receipts=folder)

    assert table_after(story()).receipt == Receipt(GIVEN.digest, GIVEN.signature, GIVEN.public_key)
    lines = [json.loads(line) for line in (folder / FILE_NAME).read_text().splitlines()]
    assert len(lines) == 1
    assert (lines[0]["digest"], lines[0]["signature"], lines[0]["public_key"]) == ("64" * 32, "73" * 64, "6b" * 32)
    assert (lines[0]["match"], lines[0]["entrant"], lines[0]["address"]) == (1, 0, server.address)
    assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600


@pytest.mark.parametrize("adds", [True, False])
async def test_entropy_is_promised_and_disclosed_only_on_request(adds):
    """It is off by default; a repeated offer gets the same bytes."""
    answers: list[lobby_pb2.OfferAnswer] = []
    told: list[bytes] = []

    async def talk(stream: Stream) -> None:
        await stream.welcome()
        for _ in range(2):
            await stream.send(notices=[play_pb2.ServerNotice(offered=make_offer(rated=False))])
            frame = await stream.read()
            assert frame is not None
            answers.append(frame.notices[0].offer_answer)
        asked = lobby_pb2.EntropyAsked(offer_id=3, answer_by_us=2_000_000)
        await stream.send(notices=[play_pb2.ServerNotice(entropy_asked=asked)])
        frame = await stream.read()
        assert frame is not None
        told.append(frame.notices[0].entropy.entropy)
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as server:
        await play(server.address, Onlooker, adds_entropy=adds)

    assert [answer.accept for answer in answers] == [True, True]
    if adds:
        assert {answer.entropy_promise for answer in answers} == {hashlib.sha256(told[0]).digest()}
        assert len(told[0]) == 32
    else:
        assert {answer.entropy_promise for answer in answers} == {b""}
        assert told == [b""]


def test_settings_come_from_the_environment():
    given = {"CHEATARENA_ADDRESS": "a:1", "CHEATARENA_TOKEN": "t"}

    plain = Settings.from_environment(given)
    full = Settings.from_environment(given | {"CHEATARENA_ENTROPY": "1", "CHEATARENA_RECEIPTS": "there"})

    assert (plain.adds_entropy, plain.receipts) == (False, None)
    assert (full.adds_entropy, str(full.receipts)) == (True, "there")


def test_lines_are_appended_and_nothing_is_overwritten(tmp_path):
    for number in range(3):
        append_receipt(tmp_path, Receipt(bytes([number]), b"", b""), "a:1", number, 0)

    lines = [json.loads(line) for line in (tmp_path / FILE_NAME).read_text().splitlines()]
    assert [line["digest"] for line in lines] == ["00", "01", "02"]


def test_every_offer_has_its_own_entropy():
    promises = EntropyPromises()

    assert promises.promise(1) == promises.promise(1) != promises.promise(2)
    assert hashlib.sha256(promises.reveal(1)).digest() == promises.promise(1)
    assert promises.reveal(3) == b""
    promises.clear()
    assert promises.reveal(1) == b""
