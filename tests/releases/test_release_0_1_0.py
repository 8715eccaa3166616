"""Files of release 0.1.0 are read, checked, resumed and reported as that release did it itself.

`0.1.0/README.md` says how they were made. Expected values were written by the release's own code.
"""

import asyncio
import csv
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from arena.cli.exit_codes import ExitCode
from arena.fleet.assembly.stores import open_stores
from arena.server.store.account_values import TokenIdentity
from arena.server.store.open_store import open_store
from tests.support.commands import CommandResult, run_arena

RELEASE = Path(__file__).parent / "0.1.0"
VERIFIERS = Path(__file__).parents[2] / "arena" / "verify"
SCOUT = "cat_79smNQzq" + "zxnCLyUBNwJmiKSGJIuQlAgzf5iC7UTm2IsjSQ"
"""The secret of a token of the release. In pieces, as a scan for leaked secrets would find it."""
ASCENDING, CHEATER = "01M8357VM74JCAFT8HW1NFR005", "01M8357XRBFMF2J32DAYR19MSW"
KILLED = "01M83590796EQN5P50NWZMVHAY"
FINISHED = ("01M83568AJ7WE6536J22P2GMAE", "01M83568AJXEVRREGTK18HVZN6")
"""A game of the first block and the last game of the league."""


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A copy of the release's folder with its archives unpacked."""
    folder = tmp_path / "release"
    shutil.copytree(RELEASE, folder)
    for archive in ("data.tar.gz", "expected.tar.gz"):
        with tarfile.open(folder / archive) as packed:
            packed.extractall(folder, filter="data")
    return folder


@pytest.fixture
def arena(capsys, release):
    """Run a command on one of the release's data folders."""

    def run(*arguments: object, data: str, code: ExitCode = ExitCode.YES) -> CommandResult:
        ended = run_arena(capsys, *arguments, "--data", release / "data" / data)
        assert ended.code == code, ended.err
        return ended

    return run


def expected(release: Path, name: str) -> Any:
    """Give an output of the release."""
    return json.loads((release / "expected" / name).read_text(encoding="utf-8"))


def as_shown_today(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give lines with times that never run backwards within a game, which the release's did, and in today's wording."""
    shown, last = [], {None: 0}
    for line in lines:
        last[line["game"]] = max(line["at_us"], last.get(line["game"], 0))
        text = line["text"].replace("after 0 of 1 games;", "after 0 of 1 game;")
        shown.append(line | {"at_us": last[line["game"]], "text": text})
    return shown


def run_verifier(name: str, *arguments: object, code: int = 0) -> list[str]:
    """Run one of the stand-alone programs and give its lines."""
    words = [sys.executable, str(VERIFIERS / name), *map(str, arguments)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended.stdout.splitlines()


async def start_and_stop(folder: Path) -> None:
    """Hold a data folder for a moment, as a server does."""
    async with open_stores(folder):
        pass


async def check_tokens(folder: Path) -> tuple[TokenIdentity, dict[str, float | None]]:
    """Give who the secret stands for, and when tokens were revoked, by their name."""
    async with await open_store(folder) as store:
        rows = {row.name: row.revoked_at for row in await store.tokens.list()}
        return await store.tokens.check(SCOUT), rows


@pytest.mark.parametrize("data", ["finished", pytest.param("killed", marks=pytest.mark.slow)])
def test_matches_are_listed_narrated_and_exported_byte_for_byte(arena, release, data):
    """This includes the killed match, which has only records."""
    listed = arena("replay", "list", "--all", "--json", data=data).json
    sources = {entry.pop("source") for entry in listed}
    leagues = {entry.pop("league") for entry in listed}

    assert (sources, leagues) == (({"league"}, {"golden"}) if data == "finished" else ({"match"}, {None}))
    assert listed == expected(release, f"{data}-list.json")
    for match in (each["match_id"] for each in listed):
        told = expected(release, f"show/{match}.json")
        assert arena("replay", "show", match, "--json", data=data).json == told | {
            "lines": as_shown_today(told["lines"])
        }
        if match != KILLED:
            arena("replay", "export", match, "--to", release / "again.json", data=data)
            exported = release / "expected" / "export" / f"{match}.json"
            assert (release / "again.json").read_bytes() == exported.read_bytes()


@pytest.mark.parametrize(("match", "receipts"), [(ASCENDING, "ascending"), (CHEATER, "cheater")])
def test_replays_and_receipts_are_valid(arena, release, match, receipts):
    """The arena checks them with its chain of deals, and so does the program that needs no arena."""
    replay, kept = release / "expected" / "export" / f"{match}.json", release / f"receipts-{receipts}.jsonl"

    found = arena("replay", "verify", replay, "--receipt", kept, "--json", data="killed").json
    told = run_verifier("verify_deal.py", replay, kept)

    assert [each for each in found if not each["is_true"]] == []
    assert any("receipt" in each["sentence"] for each in found)
    assert all(line.startswith("yes") for line in told[:-1])
    assert any("do not bind the match id, names, preset, pace" in each["sentence"] for each in found)
    assert told[-1].startswith("?    these old receipts do not bind match id, names, preset, pace")


def test_receipts_of_another_match_are_invalid(arena, release):
    """So the checks above can fail."""
    replay = release / "expected" / "export" / f"{ASCENDING}.json"

    arena("replay", "verify", replay, "--receipt", release / "receipts-cheater.jsonl", data="killed", code=ExitCode.NO)


def test_finished_league_has_same_standings_and_report(arena, release):
    """Compare numbers with their intervals, game by game, in every table."""
    file, out = release / "league.toml", release / "report"

    status = arena("league", "status", file, "--json", data="finished").json
    games = arena("league", "games", file, "--json", data="finished").json
    arena("league", "report", file, "--out", out, data="finished")

    newer = {name: status["champion"].pop(name) for name in ("certainty", "remaining", "withdrawn", "doubted")}
    assert newer == {"certainty": pytest.approx(0.25, abs=0.25), "remaining": [], "withdrawn": [], "doubted": []}
    assert status.pop("explained") == {}, "the scores are those of the release"
    assert status == expected(release, "status.json")
    assert games == expected(release, "games.json")
    tables = sorted(path.name for path in (release / "expected" / "report").glob("*.csv"))
    assert {path.name for path in out.glob("*.csv")} == {*tables, "accomplices.csv", "doubts.csv", "scoring.csv"}
    for name in tables:
        told, wanted = read_csv(out / name), read_csv(release / "expected" / "report" / name)
        assert len(told) == len(wanted), name
        for row, wanted_row in zip(told, wanted, strict=True):
            assert {column: row[column] for column in wanted_row} == about(wanted_row), name

    report, old = json.loads((out / "report.json").read_text(encoding="utf-8")), expected(release, "report/report.json")
    assert report["progress"].pop("as_of") > old["progress"].pop("as_of")
    assert len(report.pop("notes")) == len(old.pop("notes")), "the notes are sentences, and may be said better"
    del report["standings"]["certainty"]
    words = [each["standings"].pop("champion") for each in (report, old)]
    assert all(each.startswith("delta has won by head-to-head") for each in words)
    methods = [each["ratings"].pop("method") for each in (report, old)]
    assert methods[0].startswith(methods[1])
    assert "a shared last place counts as half a win" in methods[0]
    assert report == about(old)


def read_csv(path: Path) -> list[dict[str, float | str]]:
    """Return the rows of a table by column name. Cells that are numbers become numbers."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{column: as_figure(cell) for column, cell in row.items()} for row in csv.DictReader(file)]


def as_figure(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def about(value: Any) -> Any:
    """Return a value to compare with. Processors differ in the last digits of a sum, so floats are approximate."""
    match value:
        case dict():
            return {name: about(item) for name, item in value.items()}
        case list():
            return [about(item) for item in value]
        case float():
            return pytest.approx(value, rel=1e-9, nan_ok=True)
        case _:
            return value


def test_published_league_opens_its_seal(arena, release):
    """The posted line, the secret and every deal are those of the release."""
    old = expected(release, "league.json")
    site = release / "site"

    arena("league", "publish", release / "league.toml", "--out", site, data="finished")
    replays = [release / "expected" / "export" / f"{match}.json" for match in FINISHED]
    told = run_verifier("verify_league.py", "--line", old["line"], site / "league.json", *replays)

    published = json.loads((site / "league.json").read_text(encoding="utf-8"))
    for acts in (published["acts"], old["acts"]):
        assert [act["kind"] for act in acts] == ["closed"]
        del acts[0]["at"]
    assert published == old
    assert all(line.startswith("yes") for line in told[:-1])


@pytest.mark.slow
def test_interrupted_league_can_be_resumed_to_its_end(arena, release):
    """Its started games continue, and its bots still match the seal."""
    file = release / "league.toml"
    before = arena("league", "status", file, "--json", data="cut").json
    assert before.pop("explained") == {}
    assert before == expected(release, "cut-status.json")

    ended = arena("league", "resume", file, "--nodes", 1, "--json", data="cut").json
    status = arena("league", "status", file, "--json", data="cut").json

    finished = expected(release, "status.json")
    assert (ended["games"], ended["is_over"]) == (8, True)
    assert status["seal"] == before["seal"]
    assert status.keys() - {"explained"} == finished.keys()
    assert [row.keys() for row in status["standings"]] == [row.keys() for row in finished["standings"]]
    assert {row["name"]: row["games"] for row in status["standings"]} == dict.fromkeys(
        ("alpha", "beta", "gamma", "delta"), 4
    )


def test_killed_match_is_closed_as_interrupted(arena, release):
    """The next server that holds the folder closes it and opens the deal; the replay is then valid."""
    told = expected(release, f"show/{KILLED}.json")

    asyncio.run(start_and_stop(release / "data" / "killed"))

    listed = {each["match_id"]: each for each in arena("replay", "list", "--json", data="killed").json}
    assert (listed[KILLED]["state"], listed[KILLED]["is_stored"]) == ("interrupted", True)
    assert listed[KILLED]["deal"]["is_opened"]
    shown = arena("replay", "show", KILLED, "--json", data="killed").json
    assert shown["lines"] == as_shown_today(told["lines"])
    arena("replay", "export", KILLED, "--to", release / "killed.json", data="killed")
    arena("replay", "verify", release / "killed.json", data="killed")
    assert run_verifier("verify_deal.py", release / "killed.json")


def test_tokens_of_the_release_remain_valid(arena, release):
    """A revoked token stays revoked."""
    listed, told = arena("token", "list", "--json", data="finished").json, expected(release, "tokens.json")
    assert [{key: row[key] for key in told[0]} for row in listed] == told

    scout, rows = asyncio.run(check_tokens(release / "data" / "finished"))

    assert (scout.name, set(scout.scopes)) == ("scout", {"play", "spectate"})
    assert rows["scout"] is None
    assert rows["gone"] is not None
