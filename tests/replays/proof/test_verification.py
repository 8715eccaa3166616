"""What a replay file proves: everything in it, to the last bit, with the arena and without it."""

import ast
import asyncio
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.games.catalogue import games
from arena.match.deal.commitment import GENESIS_LINK, Contribution, next_link, promise_hash
from arena.match.deal.receipt import receipt_digest, terms_hash
from arena.match.referee import deal as deals
from arena.match.referee import deal_serialization
from arena.match.referee.entropy import MISMATCH, MISSING
from arena.match.referee.facts import DealRevealed
from arena.match.referee.inputs import Cancel, Deal, Leave, write_record
from arena.match.referee.ports import DealRow, MatchId, run_inline
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.replays.library.library import Library
from arena.replays.proof.export import build_document
from arena.replays.proof.replay_document import DamagedReplayError, decode_document, document_digest, encode_document
from arena.replays.proof.verification import verify_replay
from arena.server.store.receipt_key import ReceiptKey
from tests.replays.narration.random_match import KEY, STANDALONE, Doc, secret_source
from tests.support.commands import run_arena
from tests.support.recorded_matches import CREATED_AT, DataFolder, ManualMatch

ID = "01M7Z478HXZ061ANENE2B03TSR"
SOAK = int(os.environ.get("VERIFY_SOAK", "100"))
"""So many bits are changed; `make verify-soak` changes 1 000."""


def play_match(
    contributions: tuple[Contribution, ...] = (), given: bytes = b"", ends: bool = True, **settings: Any
) -> ManualMatch:
    """A match with a real deal, everybody answering at once; its records begin with the deal."""
    drafted = ManualMatch("draft", **settings).bench.terms
    secret = deals.new_secret(ID, drafted, secret_source(), given)
    deal = deals.MatchDeal(secret, drafted.game_count, run_inline)
    deal.load(deals.prepare_deal(secret, contributions, drafted, deals.receipt_issuer(KEY, MatchId(ID), drafted)))
    match = ManualMatch(ID, chance=deal, **settings)
    match.records.insert(0, write_record(1, Deal(Instant(0), Instant(0), secret)))
    return match.play_out() if ends else match


def row_of(match: ManualMatch) -> DealRow:
    """The deal as a store keeps it."""
    deal = match.table.deal
    assert deal is not None
    row = deal_serialization.new_deal_row(deal.secret, MatchId(ID), 1, "j.journal", CREATED_AT)
    link = next_link(GENESIS_LINK, row.commitment)
    return replace(row, number=1, link=link, revealed=deal_serialization.describe_revealed_deal(deal.reveal()))


def export_match(tmp_path: Path, match: ManualMatch) -> Doc:
    folder = DataFolder(tmp_path / "data")
    folder.write_journal("j", match)
    entry = asyncio.run(Library(folder.path, None, games()).find(ID))
    return decode_document(encode_document(build_document(entry, match.records, row_of(match), GENESIS_LINK, games())))


def contribution(entrant: int, entropy: bytes) -> Contribution:
    return Contribution(entrant, promise_hash(entropy), entropy)


def match_with_call_and_leave() -> ManualMatch:
    match = play_match(ends=False)
    bench = match.bench
    for step in range(1, 9):
        for entrant in match.table.terms.entrant_indices:
            asked = [view for view, is_answered in bench.referee.prompts_of(entrant) if not is_answered]
            if asked:
                kind = asked[0].kind
                seat = bench.referee.seat_of(entrant)
                assert bench.referee.current_game is not None
                assert seat is not None
                action = bench.game.automatic_action(bench.referee.current_game.state, seat, kind)
                is_call = kind == "window" and (step + entrant) % 3 == 0
                text = "call" if is_call else bench.game.write_action(action)
                match.answer(entrant, text, bench.clock + 1000)
    at = Instant(bench.clock + 1)
    match.table.apply(Leave(at, at, EntrantIndex(1)))
    return match.play_out()


def cancelled_match() -> ManualMatch:
    match = play_match(ends=False)
    at = Instant(match.bench.clock + 1)
    match.table.apply(Cancel(at, at, "cancelled"))
    return match


KINDS: dict[str, Callable[[], ManualMatch]] = {
    "plain": play_match,
    "several-games": lambda: play_match(games=3),
    "given-cards": lambda: play_match(given=bytes(32)),
    "two-packs": lambda: play_match(options={"decks": 2, "max_turns": 30}),
    "no-jokers": lambda: play_match(options={"jokers_per_deck": 0, "max_turns": 30}, entrants=4),
    "live": lambda: play_match(style="live"),
    "interrupted": lambda: play_match(ends=False),
    "contributed": lambda: play_match((contribution(0, b"a" * 32), contribution(2, b"c" * 32))),
    "promises-not-kept": lambda: play_match(
        (Contribution(0, promise_hash(b"a"), fault=MISSING), Contribution(1, promise_hash(b"b"), fault=MISMATCH))
    ),
    "called-and-left": match_with_call_and_leave,
    "cancelled": cancelled_match,
    "full-length": lambda: play_match(options={}, entrants=2),
}


@pytest.fixture(scope="module")
def document(tmp_path_factory) -> Doc:
    """The replay of a match with contributions, calls and a seat that left."""
    return export_match(tmp_path_factory.mktemp("export"), match_with_call_and_leave())


def standalone(*files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", STANDALONE, *files], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("files", [(), ("--help",), ("a", "b", "c")])
def test_wrong_number_of_files_prints_usage(files):
    ended = standalone(*files)

    assert ended.returncode == 1
    assert ended.stderr == "usage: python3 verify_deal.py REPLAY [RECEIPTS]\n"


@pytest.mark.parametrize("kind", KINDS)
def test_replays_of_every_kind_are_verified(tmp_path, kind):
    """The checks run from the commitment to the result, and the program without the arena agrees."""
    document = export_match(tmp_path, KINDS[kind]())
    file = tmp_path / "replay.json"
    file.write_bytes(encode_document(document))

    found = verify_replay(document, games())
    alone = standalone(file)

    assert [each.sentence for each in found if not each.is_true] == []
    assert (alone.returncode, alone.stderr) == (0, ""), alone.stdout


def flip_bit(raw: bytes, bit: int) -> bytes:
    changed = bytearray(raw)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_no_bit_can_be_changed(document: Doc):
    """The changes are at seeded random places anywhere in the file, including its last newline."""
    raw = encode_document(document)
    places = [*random.Random(7).sample(range(len(raw) * 8), SOAK), len(raw) * 8 - 1]

    for bit in places:
        with pytest.raises(DamagedReplayError):
            decode_document(flip_bit(raw, bit))


def test_both_programs_agree_on_changed_files(document: Doc, tmp_path):
    """The program without the arena too refuses 100 files with one changed bit each."""
    raw = encode_document(document)
    checks = """
import contextlib, io, runpy, struct, sys
from pathlib import Path
verify = runpy.run_path(sys.argv[1])["verify"]
refused = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError, struct.error)
for file in sys.argv[2:]:
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            verify(Path(file).read_bytes())
        except refused:
            continue
    print(file)
"""
    files = []
    for bit in random.Random(8).sample(range(len(raw) * 8), 100):
        files.append(tmp_path / f"{bit}.json")
        files[-1].write_bytes(flip_bit(raw, bit))
    good = tmp_path / "good.json"
    good.write_bytes(raw)

    command = [sys.executable, "-I", "-c", checks, STANDALONE, *files, good]
    said = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)

    assert said.stdout.split() == [str(good)], said.stderr


def put(path: str, value: Any) -> Callable[[Doc], None]:
    """A lie: another value at this place."""

    def change(document: Doc) -> None:
        *way, last = [int(step) if step.isdecimal() else step for step in path.split("/")]
        inner: Any = document
        for step in way:
            inner = inner[step]
        assert inner[last] != value
        inner[last] = value

    return change


def first_event(document: Doc, name: str) -> Any:
    return next(fields for _, kind, fields in document["events"] if kind == name)


def swap_first_cards(document: Doc) -> None:
    values = document["draws"][0]["values"]
    values[0], values[1] = values[1], values[0]


def show_other_cards(document: Doc) -> None:
    called = first_event(document, "Called")
    called["cards"] = [(card + 4) % 52 for card in called["cards"]]


def turn_verdict(document: Doc) -> None:
    called = first_event(document, "Called")
    called["right"] = not called["right"]


def play_other_card(document: Doc) -> None:
    for entry in document["inputs"]:
        if " " in entry.get("text", ""):
            entry["text"] = "2 AC"
            return


def give_another_hand(document: Doc) -> None:
    hands = first_event(document, "Dealt")["hands"]
    hands[0], hands[1] = hands[1], hands[0]


LIES: dict[str, tuple[Callable[[Doc], None], bool]] = {
    "seed": (put("deal/seed", "00" * 32), True),
    "commitment": (put("deal/commitment", "00" * 32), True),
    "rules-hash": (put("deal/rules_hash", "00" * 32), True),
    "rules": (put("terms/ruleset/max_turns", 24), True),
    "deal-id": (put("deal/deal_id", "another"), True),
    "root": (put("deal/root", "00" * 32), True),
    "deck": (put("deal/deck/turn", 1), True),
    "chain": (put("deal/chain/link", "00" * 32), True),
    "draw": (swap_first_cards, True),
    "label": (put("draws/0/turn", 1), True),
    "receipt": (put("receipts/seats/1/digest", "00" * 32), True),
    "salt": (put("receipts/seats/0/salt", "00" * 32), True),
    "positions": (put("receipts/positions", [1, 0, 2]), True),
    "signature": (put("receipts/seats/1/signature", "00" * 64), False),
    "public-key": (put("receipts/public_key", "00" * 32), False),
    "hands": (give_another_hand, True),
    "shown-cards": (show_other_cards, True),
    "verdict": (turn_verdict, True),
    "place": (put("results/0/places", [9, 9, 9]), True),
    "played-card": (play_other_card, False),
    "termination": (put("termination", "cancelled"), False),
    "an-event-less": (lambda document: document["events"].pop(-3), False),
    "an-input-less": (lambda document: document["inputs"].pop(4), False),
    "who-played": (put("terms/entrants", ["x", "y"]), True),
    "names": (put("terms/entrants/1", "mallory"), True),
    "seats": (lambda document: document["terms"]["entrants"].reverse(), True),
    "rated": (put("terms/rated", False), True),
    "anonymous": (put("terms/anonymous", True), True),
    "preset": (put("terms/preset", "folk"), True),
    "pace": (put("terms/pace/turn_ms", 1_999), True),
    "seating": (put("terms/seating", "rotated"), True),
    "terms-salt": (put("receipts/terms_salt", "00" * 32), True),
    "no-terms-salt": (lambda document: document["receipts"].pop("terms_salt"), True),
    "contribution": (
        lambda document: document["deal"]["contributions"].append(
            {"entrant": 0, "promise": "00" * 32, "entropy": "11" * 32, "fault": ""}
        ),
        True,
    ),
}  # fmt: skip
"""What somebody who can make the digest again might change, and whether luck and cards alone show it."""


@pytest.mark.parametrize("name", LIES)
def test_recomputed_digest_does_not_hide_changes(document: Doc, tmp_path, name):
    """The digest protects nothing by itself: every part is recomputed."""
    change, shows_alone = LIES[name]
    lie = json.loads(json.dumps(document))
    change(lie)
    lie["digest"] = document_digest(lie)
    file = tmp_path / "lie.json"
    file.write_bytes(encode_document(lie))

    found = verify_replay(decode_document(file.read_bytes()), games())

    assert not all(each.is_true for each in found), [each.sentence for each in found]
    if shows_alone:
        assert standalone(file).returncode == 1


def make_receipts_again(document: Doc) -> Doc:
    """A changed replay as somebody exports it who signs with a key of their own: everything in it fits together."""
    key, deal, receipts = ReceiptKey(bytes([8]) * 32), document["deal"], document["receipts"]
    fixed = bytes.fromhex(deal["commitment"]), bytes.fromhex(deal["root"]), b"", bytes(receipts["positions"])
    salt = bytes.fromhex(receipts.get("terms_salt", ""))
    bound = terms_hash(salt, document["match_id"], document["terms"]) if salt else b""
    receipts["public_key"] = key.public_key.hex()
    for seat in receipts["seats"]:
        digest = receipt_digest(*fixed, bytes.fromhex(seat["salt"]), bound)
        seat |= {"digest": digest.hex(), "signature": key.sign(digest).hex()}
    return document | {"digest": document_digest(document)}


FORGERIES: dict[str, Callable[[Doc], None]] = {
    "match": put("match_id", "01M7Z478HXZ061ANENE2B03TST"),
    "names": put("terms/entrants/1", "mallory"),
    "seats": lambda document: document["terms"]["entrants"].reverse(),
    "rated": put("terms/rated", False),
    "anonymous": put("terms/anonymous", True),
    "preset": put("terms/preset", "folk"),
    "pace": put("terms/pace/turn_ms", 1_999),
    "seating": put("terms/seating", "rotated"),
    "first form": lambda document: document["receipts"].pop("terms_salt"),
}
"""Changes after which every other part of the file still follows from the inputs."""


@pytest.mark.parametrize("name", FORGERIES)
def test_kept_receipt_refuses_a_replay_made_again_with_other_terms(tmp_path, capsys, name):
    """Without the receipt nothing shows the change, and both programs say so in a sentence."""
    match = play_match(given=bytes(32))
    replay, kept = tmp_path / "replay.json", tmp_path / "receipts.jsonl"
    true = export_match(tmp_path, match)
    kept.write_text(json.dumps(true["receipts"]["seats"][2] | {"public_key": true["receipts"]["public_key"]}) + "\n")
    forged = json.loads(json.dumps(true))
    FORGERIES[name](forged)

    replay.write_bytes(encode_document(make_receipts_again(forged)))
    alone, trusting = standalone(replay), run_arena(capsys, "replay", "verify", replay)
    assert (alone.returncode, trusting.code) == (0, 0), alone.stderr + trusting.out
    assert alone.stdout.splitlines()[-1].startswith("?    ")
    assert ("do not bind" if name == "first form" else "only a receipt that a bot kept proves") in trusting.out
    assert standalone(replay, kept).returncode == 1
    assert run_arena(capsys, "replay", "verify", replay, "--receipt", kept).code == 1

    replay.write_bytes(encode_document(true))
    alone = standalone(replay, kept)
    assert (alone.returncode, "?" in alone.stdout) == (0, False), alone.stderr
    assert run_arena(capsys, "replay", "verify", replay, "--receipt", kept).code == 0


def test_kept_receipt_shows_that_the_cards_came_first(document: Doc, tmp_path, capsys):
    """One among several is enough; receipts of other matches alone are not, and neither is an unsigned one."""
    match = match_with_call_and_leave()
    assert match.table.deal is not None
    assert match.table.deal.prepared is not None
    receipt = match.table.deal.prepared.receipts[1]
    own = {name: getattr(receipt, name).hex() for name in ("digest", "signature", "public_key")}
    other = own | {"digest": "00" * 32}
    file, kept = tmp_path / "replay.json", tmp_path / "receipts.jsonl"
    file.write_bytes(encode_document(document))

    def checked(*lines: Doc) -> tuple[int, int]:
        kept.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return run_arena(capsys, "replay", "verify", file, "--receipt", kept).code, standalone(file, kept).returncode

    assert checked(other, own) == (0, 0)
    assert checked(other) == (1, 1)
    assert checked(own | {"signature": "00" * 64})[0] == 1
    assert checked(own | {"public_key": "00" * 32})[0] == 1


def test_running_match_is_refused(document: Doc):
    running = document | {"termination": "running"}

    with pytest.raises(Exception, match="still runs"):
        verify_replay(running, games())


def test_other_rules_are_refused_by_arena_and_reported_by_verifier(document: Doc, tmp_path):
    """The arena plays only its own rules.

    The other program checks randomness, and says that it checked nothing else.
    """
    other = json.loads(json.dumps(document))
    other["terms"]["rules_version"] = "0"
    file = tmp_path / "other.json"
    rules = deals.rules_hash_from_plain(other["terms"])
    secret = deals.DealSecret(ID, rules, bytes.fromhex(other["deal"]["seed"]), ())
    other["deal"]["rules_hash"], other["deal"]["commitment"] = rules.hex(), secret.commitment.hex()
    other["deal"]["chain"]["link"] = next_link(GENESIS_LINK, secret.commitment).hex()
    file.write_bytes(encode_document(other))

    with pytest.raises(Exception, match="does not play"):
        verify_replay(decode_document(file.read_bytes()), games())

    assert "are unknown: only draws were checked" in standalone_luck(file)


def standalone_luck(file: Path) -> str:
    """What it says about a file whose receipts are of another commitment: as far as it gets without them."""
    document = json.loads(file.read_bytes())
    rules, seed = bytes.fromhex(document["deal"]["rules_hash"]), bytes.fromhex(document["deal"]["seed"])
    committed = deals.DealSecret(ID, rules, seed, ()).commitment
    document["deal"]["commitment"] = committed.hex()
    make_receipts_again(document)
    file.write_bytes(encode_document(document))
    return standalone(file).stdout


@pytest.mark.parametrize("name", ["verify_deal.py", "verify_cheat.py", "verify_cheater.py"])
def test_standalone_program_is_short_and_has_no_dependencies(name):
    """A sceptic can read it in one sitting: one file for all randomness, one for each game."""
    text = STANDALONE.with_name(name).read_text(encoding="utf-8")
    nodes = [*ast.walk(ast.parse(text))]
    imported = {name.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for name in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}

    assert len(text.splitlines()) < 165
    assert imported <= set(sys.stdlib_module_names)


def test_bot_notes_are_not_exported(tmp_path):
    match = play_match(ends=False)
    bench = match.bench
    mover = next(e for e in range(3) if bench.referee.prompts_of(EntrantIndex(e)))
    seat = bench.referee.seat_of(EntrantIndex(mover))
    assert bench.referee.current_game is not None
    assert seat is not None
    move = bench.game.automatic_action(bench.referee.current_game.state, seat, "turn")
    match.answer(mover, bench.game.write_action(move), 1000, note="my secret plan")

    assert b"my secret plan" in b"".join(match.records)
    assert b"my secret plan" not in encode_document(export_match(tmp_path, match.play_out()))


def test_revealed_deal_does_not_show_its_seed():
    """A fact may be logged by accident; the seed appears only where it is meant to."""
    deal = play_match().table.deal
    assert deal is not None

    assert isinstance(deal.reveal(), DealRevealed)
    assert repr(deal.secret.seed) not in repr(deal.reveal())
