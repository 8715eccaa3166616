"""A published league: anyone with the posted line can check it without the arena and detects cheating."""

import asyncio
import copy
import hmac
import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.competition.league.model import Block, TableResult
from arena.competition.league.ports import BlockRow
from arena.match.referee.deal import prepare_deal, reveal_deal, rules_hash_of_terms
from arena.match.referee.deal_serialization import describe_revealed_deal, new_deal_row
from arena.match.referee.ports import MatchId
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.play.league_play import close_league
from arena.organizer.report.site import StaticSite
from arena.organizer.seal.ledger import block_from_row
from arena.organizer.seal.open_league import OpenLeague, mix_in_entropy, open_league
from arena.organizer.seal.seal import seal_league
from arena.organizer.view.league_view import build_league_view
from arena.organizer.view.publication import build_publication
from arena.server.store.open_store import Store, open_store
from arena.server.store.receipt_key import ReceiptKey
from tests.organizer.leagues import LUCK, write_league

VERIFIER = Path(__file__).parents[3] / "arena" / "verify" / "verify_league.py"
LOTTO = "lotto 2026-11-28: 3 14 15 27 38 41"
POSTED = "posted.txt"

League = dict[str, Any]


class PlayedLeague:
    """A sealed league in a store whose games take no time: its schedule, ledger and deals are real."""

    def __init__(self, file: Path, store: Store) -> None:
        self._file, self._store = file, store

    async def open(self) -> OpenLeague:
        return await open_league(read_league_file(self._file), self._store)

    async def play(self, blocks: int = 99) -> None:
        league = await self.open()
        while blocks and (taken := league.schedule.take(1)):
            await self._play(league, taken[0])
            blocks -= 1

    async def _play(self, league: OpenLeague, block: Block) -> None:
        attempt = league.ledger.current_attempt(block.number)
        matches = tuple(MatchId(f"M{block.number}A{attempt}T{table}") for table in range(len(block.tables)))
        row = BlockRow(block.number, attempt, block.round, block.label, block.tables, matches, ("a.journal",))
        await league.ledger.open_attempt(row)
        for table in range(len(matches)):
            await self._deal(league, row, table)
        places = tuple(range(1, league.file.seats + 1))
        tables = zip(matches, block.tables, strict=True)
        await league.ledger.end_attempt(row, [TableResult(game, seats, places, "won") for game, seats in tables])

    async def _deal(self, league: OpenLeague, row: BlockRow, table: int) -> None:
        """Commit and open a deal, as for a played table."""
        terms = league.file.terms_for(row.tables[table])
        secret = league.randomness.deal_secret(block_from_row(row), row.attempt, table, rules_hash_of_terms(terms))
        await self._store.deals.commit(new_deal_row(secret, row.matches[table], 0, "a.journal", 0.0))
        opened = describe_revealed_deal(reveal_deal(secret, prepare_deal(secret, (), terms, None)))
        await self._store.deals.reveal(row.matches[table], opened)


async def _publish(folder: Path) -> Path:
    """Seal, mix in entropy, play, void and replay a block, close and publish; return the site's folder."""
    file = write_league(folder / "bots", bots=6, games=8, public_entropy="the lotto")
    async with await open_store(folder / "data") as store:
        played = PlayedLeague(file, store)
        await seal_league(read_league_file(file), store, LUCK)
        league = await played.open()
        (folder / POSTED).write_text(league.seal)
        await mix_in_entropy(league, LOTTO)
        await played.play(2)
        league = await played.open()
        await league.ledger.void_attempt(league.ledger.rows[0], "the host slept")
        await _write(await played.open(), store, folder / "half")
        await played.play()
        await close_league(await played.open(), store, ReceiptKey(bytes([9]) * 32))
        return await _write(await played.open(), store, folder / "site")


async def _write(league: OpenLeague, store: Store, out: Path) -> Path:
    view = replace(await build_league_view(league, store.folder), games=())
    return StaticSite(out, "test").finish(view, await build_publication(league, store)).parent


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    return asyncio.run(_publish(tmp_path_factory.mktemp("published")))


@pytest.fixture
def league(site: Path) -> League:
    """Return the site's account of the league, for tests to tamper with."""
    told: League = json.loads((site / "league.json").read_text())
    return copy.deepcopy(told)


@pytest.fixture
def posted(site: Path) -> str:
    line: str = (site.parent / POSTED).read_text()
    return line


def ask(site: Path, *more: str) -> tuple[int, list[str]]:
    """Start a site's program as a stranger would; return its exit code, and the lines of checks and of the summary."""
    words = [sys.executable, "-I", str(site / "verify" / "verify_league.py"), str(site / "league.json"), *more]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode, (ended.stdout + ended.stderr).splitlines()


def failing_sentences(league: League, posted: str | None = None, replays: list[Any] | None = None) -> list[str]:
    """Return the sentences that do not hold."""
    found = runpy.run_path(str(VERIFIER))["checks"](league, posted, replays or [])
    return [sentence for holds, sentence in found if holds is False]


def test_plain_python_verifies_finished_league(site: Path, posted: str):
    code, (*lines, summary) = ask(site, "--line", posted, "--entropy", LOTTO)

    assert code == 0, lines
    assert all(line.startswith("yes ") for line in lines)
    assert any("all 4 were played to their end: 8 games count" in line for line in lines)
    assert any("as many games count as the sealed format has, 8: 8 games" in line for line in lines)
    assert summary.strip() == f"{len(lines)} checks hold, 0 do not, 0 cannot be decided"


def test_missing_posted_line_prompts_for_comparison(site: Path):
    code, (*lines, summary) = ask(site)

    assert code == 3
    assert "hold, 0 do not, 2 cannot be decided" in summary
    untold = [line for line in lines if not line.startswith("yes ")]
    assert len(untold) == 2
    assert "--line" in untold[0]
    assert LOTTO in untold[1]
    assert "the lotto" in untold[1]


def test_wrong_entropy_is_detected(site: Path, posted: str):
    code, lines = ask(site, "--line", posted, "--entropy", f"{LOTTO} ")

    assert code == 1
    wrong = [line for line in lines if line.startswith("NO")]
    assert ["is the one that was" in line for line in wrong] == [True]
    assert "hold, 1 do not, 0 cannot be decided" in lines[-2]
    assert lines[-1].strip() == wrong[0]


def test_entropy_in_a_league_that_promised_none_is_detected(league: League, posted: str):
    """Anyone who saw it drawn for the league heard of it elsewhere."""
    league["sealed"]["public_entropy"] = league["entropy"] = ""
    league["acts"] = [act for act in league["acts"] if act["kind"] != "entropy"]
    found = runpy.run_path(str(VERIFIER))["checks"](league, posted, [], LOTTO)

    assert [holds for holds, sentence in found if LOTTO in sentence] == [False]


def test_file_content_cannot_manipulate_the_terminal(site: Path, league: League, tmp_path):
    league["sealed"]["name"] = "autumn\x1b[2K\r\nyes  all is well\u202e\u2028"
    league["entropy"] = league["acts"][0]["values"]["text"] = "\x1b[1A\x1b[2K"
    (tmp_path / "verify").mkdir()
    (tmp_path / "verify" / VERIFIER.name).write_bytes(VERIFIER.read_bytes())
    (tmp_path / "league.json").write_text(json.dumps(league))

    code, lines = ask(tmp_path, "--line", "x")

    assert code == 1
    assert all(line.isprintable() for line in lines)
    assert all(line.startswith(("yes ", "NO ", "? ", "   ")) for line in lines)
    assert not any(line.startswith("yes  all is well") for line in lines)


def test_line_other_than_posted_one_is_detected(site: Path, posted: str):
    code, lines = ask(site, "--line", posted[:-1] + ("1" if posted[-1] == "0" else "0"))

    assert code == 1
    assert [line for line in lines if line.startswith("NO")] == ["NO   it is the line that was posted"]


def test_running_league_reveals_neither_secret_nor_future_deals(site: Path, posted: str):
    half = site.parent / "half"
    code, lines = ask(half, "--line", posted, "--entropy", LOTTO)

    assert code == 3
    untold = [line for line in lines if line.startswith("?   ")]
    assert ["not closed yet: 2 games count" in line for line in untold] == [True, False]
    assert "season (games 8, tables 2)" in untold[0]
    assert not any(line.startswith("NO") for line in lines)
    assert LUCK.secret.hex() not in (half / "league.json").read_text()


def test_unopened_deal_is_not_published(tmp_path):
    async def told() -> League:
        file = write_league(tmp_path / "bots", bots=6, games=8)
        async with await open_store(tmp_path / "data") as store:
            await seal_league(read_league_file(file), store, LUCK)
            league = await PlayedLeague(file, store).open()
            (block,) = league.schedule.take(1)
            row = BlockRow(block.number, 0, 1, "", block.tables, (MatchId("A"), MatchId("B")), ("a.journal",))
            await league.ledger.open_attempt(row)
            for table, match_id in enumerate(row.matches):
                secret = league.randomness.deal_secret(block, 0, table, bytes(32))
                await store.deals.commit(new_deal_row(secret, match_id, 0, "a.journal", 0.0))
            return dict(await build_publication(league, store))

    league = asyncio.run(told())

    assert [each["games"] for each in league["attempts"]] == [[{"match_id": "A"}, {"match_id": "B"}]]
    assert league["secret"] is None


def test_program_and_its_inputs_are_listed_and_linked(site: Path):
    listed = (site / "SHA256SUMS").read_text()
    page = (site / "index.html").read_text()

    for name in ("league.json", "verify/verify_league.py", "verify/verify_deal.py"):
        assert f"  {name}\n" in listed
        assert f'href="{name}"' in page


def change_rules(league: League) -> None:
    league["sealed"]["terms"]["ruleset"]["max_turns"] += 1


def change_bot(league: League) -> None:
    league["sealed"]["entrants"][0]["content"] = "0" * 64


def change_secret(league: League) -> None:
    league["secret"] = bytes(32).hex()


def change_entropy(league: League) -> None:
    """Change the entropy in the ledger too, so that only the seeds reveal it."""
    league["entropy"] = league["acts"][0]["values"]["text"] = "lotto 1 2 3 4 5 6"


def leave_out_entropy(league: League) -> None:
    league["entropy"] = ""


def break_the_promise(league: League) -> None:
    """Remove the entropy, as if none had been promised."""
    league["entropy"] = ""
    league["acts"] = [act for act in league["acts"] if act["kind"] != "entropy"]


def swap_seeds(league: League) -> None:
    one, other = league["attempts"][1]["games"], league["attempts"][2]["games"]
    for mine, yours in zip(one, other, strict=True):
        mine["seed"], yours["seed"] = yours["seed"], mine["seed"]


def change_one_seed(league: League) -> None:
    league["attempts"][2]["games"][1]["seed"] = bytes(32).hex()


def replay_silently(league: League) -> None:
    """Remove the act; the other lines take over its number."""
    league["acts"] = [act for act in league["acts"] if act["kind"] != "void"]
    for number, act in enumerate(league["acts"], 1):
        act["number"] = number


def keep_the_second_try_alone(league: League) -> None:
    replay_silently(league)
    league["attempts"] = [each for each in league["attempts"] if (each["block"], each["attempt"]) != (1, 0)]


def drop_a_line(league: League) -> None:
    league["acts"] = [act for act in league["acts"] if act["kind"] != "void"]


def drop_a_block(league: League) -> None:
    league["attempts"] = [each for each in league["attempts"] if each["block"] != 2]


def cut_the_last_blocks(league: League) -> None:
    """Cut the league, as if it had been shorter."""
    last = max(each["block"] for each in league["attempts"])
    league["attempts"] = [each for each in league["attempts"] if each["block"] < last]


def drop_a_table(league: League) -> None:
    del league["attempts"][-1]["games"][0]


def cut_and_open_again(league: League) -> None:
    """Cut the league, as if it were still running, so that missing games are no surprise."""
    cut_the_last_blocks(league)
    league["acts"] = [act for act in league["acts"] if act["kind"] != "closed"]


def hide_a_seed(league: League) -> None:
    del league["attempts"][2]["games"][0]["seed"]


def hide_the_secret(league: League) -> None:
    league["secret"] = None


def make_void_after_closing(league: League) -> None:
    league["acts"].append({"number": len(league["acts"]) + 1, "at": 0.0, "kind": "void", "values": {
        "block": 1, "attempt": 1, "games": [], "reason": "I do not like it"}})  # fmt: skip


def number_the_last_block(block: object, attempt: object = 0) -> Callable[[League], None]:
    """Choose its deal: as many as there are such numbers can be looked at, and each has a seed that follows."""

    def tamper(league: League) -> None:
        mixed = hmac.digest(LUCK.secret, f"entropy|{LOTTO}".encode(), "sha256")
        seed = hmac.digest(mixed, f"deal|{block}|{attempt}".encode(), "sha256").hex()
        last = league["attempts"][-1]
        last |= {"block": block, "attempt": attempt, "games": [{**game, "seed": seed} for game in last["games"]]}

    return tamper


def play_a_block_at_more_tables_than_people_fill(league: League) -> None:
    """Somebody meets its deal twice; how many games count is the same."""
    *_, before, last = league["attempts"]
    seed = before["games"][0]["seed"]
    before["games"] += [{**game, "seed": seed} for game in last["games"]]
    last["games"] = []


def list_a_game_twice(league: League) -> None:
    league["attempts"][1]["games"][0]["match_id"] = league["attempts"][2]["games"][0]["match_id"]


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        (change_rules, "the line is the hash"),
        (change_bot, "the line is the hash"),
        (change_secret, "the secret is the one"),
        (change_entropy, "every deal's seed follows"),
        (leave_out_entropy, "every deal's seed follows"),
        (break_the_promise, "public entropy is not mixed in yet; promised: the lotto"),
        (swap_seeds, "every deal's seed follows"),
        (change_one_seed, "every deal's seed follows"),
        (replay_silently, "not so with block 1, played 2 times, void 0 times"),
        (keep_the_second_try_alone, "not so with block 1, played 1 times, void 0 times"),
        (drop_a_line, "the ledger has no gap"),
        (drop_a_block, "not so with block 2"),
        (
            cut_the_last_blocks,
            "as the sealed format has, 8: 6 games count; sealed was season (games 8, tables 2)",
        ),
        (cut_and_open_again, "the league was closed when its secret was revealed"),
        (drop_a_table, "as the sealed format has, 8: 7 games count"),
        (hide_a_seed, "was opened: not so with game"),
        (hide_the_secret, "the secret is revealed when"),
        (make_void_after_closing, "after the league was closed: not so with act 4"),
        (list_a_game_twice, "no game is listed twice"),
        (number_the_last_block(-7), "not so with block -7"),
        (number_the_last_block(0), "not so with block 0"),
        (number_the_last_block(0.5), "not so with block 0.5"),
        (number_the_last_block(4.0), "not so with block 4.0"),
        (number_the_last_block(True), "not so with block True"),
        (number_the_last_block(4, False), "not so with block 4, attempt False"),
        (play_a_block_at_more_tables_than_people_fill, "3, attempt 0, 4 games, block 4, attempt 0, 0 games"),
    ],
)
def test_any_later_change_is_detected(league: League, posted: str, tamper: Callable[[League], None], words):
    assert failing_sentences(league, posted) == []

    tamper(league)

    assert any(words in sentence for sentence in failing_sentences(league, posted))


def test_values_changed_together_with_line_do_not_match_posted_line(league: League, posted: str):
    change_bot(league)
    sentence = next(each for each in failing_sentences(league) if "hash of the sealed" in each)
    league["line"] = sentence.partition("values: ")[2]

    assert failing_sentences(league) == []
    assert failing_sentences(league, posted) == ["it is the line that was posted"]


def replay_of(league: League) -> dict[str, Any]:
    """Return the part of a replay's file that counts."""
    game = league["attempts"][1]["games"][0]
    terms = {**league["sealed"]["terms"], "entrants": ["bot0", "bot1", "bot2"]}
    return {"match_id": game["match_id"], "deal": {"deal_id": game["deal_id"], "seed": game["seed"]}, "terms": terms}


def test_games_are_checked_against_the_league(league: League):
    assert failing_sentences(league, None, [replay_of(league)]) == []

    other_deal, other_rules = replay_of(league), replay_of(league)
    other_deal["deal"]["seed"] = bytes(32).hex()
    other_rules["terms"]["preset"] = "folk"

    assert ["with the listed deal" in each for each in failing_sentences(league, None, [other_deal])] == [True]
    assert ["by the rules and pace" in each for each in failing_sentences(league, None, [other_rules])] == [True]


def test_file_that_is_no_league_is_refused(tmp_path):
    (tmp_path / "league.json").write_text('{"sealed": {}}')

    words = [sys.executable, str(VERIFIER), str(tmp_path / "league.json")]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)

    assert ended.returncode == 1
    assert ended.stderr.startswith("NO   this cannot be read")
    assert "Traceback" not in ended.stderr
