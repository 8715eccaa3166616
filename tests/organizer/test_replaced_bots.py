"""A new version of a bot plays from the next round on, as docs/leagues.md describes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots.launch.programs import BotProgram
from arena.bots.packages.bot_hash import hash_bot
from arena.cli.main import run
from arena.competition.league.ports import LedgerEntry
from arena.errors import RequestError, UnknownNameError
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.seal.amendments import LeagueAmender
from tests.organizer.leagues import history_of, league, start, write_league
from tests.organizer.simulated_league import SimulatedLeague

ROOT = Path(__file__).parents[2]
SAYS = "\nwith open({path!r}, 'a') as said:\n    said.write({version!r} + chr(10))\n"


def simulated(folder: Path, form: str = "season", **settings: Any) -> SimulatedLeague:
    return SimulatedLeague(read_league_file(write_league(folder, 6, format=form, **settings)))


def with_new(file: LeagueFile, name: str, **changes: str) -> LeagueFile:
    """Return a league file in which an entrant has another hash."""
    changes = {"content": "f" * 64, **changes}
    return replace(file, entrants=tuple(replace(e, **changes) if e.name == name else e for e in file.entrants))


async def replace_bot(made_up: SimulatedLeague, name: str = "bot1", **changes: str) -> LedgerEntry:
    file = with_new(made_up.file, name, **changes)
    return await LeagueAmender(file, made_up.form, made_up.field, made_up.ledger).amend("replace", name, "better")


async def finish_rounds(made_up: SimulatedLeague) -> None:
    """Play until all rounds that have begun are finished."""
    schedule = made_up._schedule()
    schedule.stop_after_started_rounds()
    while taken := schedule.take(1):
        await made_up._play(taken[0], 0.0)


@pytest.mark.parametrize(
    ("form", "settings"),
    [("season", {"games": 24}), ("swiss", {"games": 1, "rounds": 5}), ("ladder", {"games": 1, "rounds": 6})],
)
async def test_new_version_plays_from_the_round_after_those_that_have_begun(tmp_path, form, settings):
    made_up = simulated(tmp_path, form, tables=1, **settings)
    await made_up.play(1)

    with pytest.raises(RequestError, match=r"round 1 has begun and is not finished.*resume FILE --finish-rounds"):
        await replace_bot(made_up)
    await finish_rounds(made_up)
    assert {block.round for block in made_up.blocks} == {1}
    act = await replace_bot(made_up)

    assert (act.values["round"], act.values["content"]) == ("2", "f" * 64)
    await made_up.play()
    assert made_up.is_over


async def test_bot_is_replaced_before_the_first_game(tmp_path):
    assert (await replace_bot(simulated(tmp_path))).values["round"] == "1"


async def test_replacement_that_would_play_nothing_or_nothing_new_is_refused(tmp_path):
    made_up = simulated(tmp_path)
    with pytest.raises(RequestError, match="bot1 is as before: change its files"):
        await replace_bot(made_up, content=made_up.file.entrants[1].content)
    with pytest.raises(RequestError, match="bot1 dials in, before or after the change"):
        await replace_bot(made_up, content="")
    with pytest.raises(RequestError, match="owner of bot1 was '' and is 'eve': a new version keeps its owner"):
        await replace_bot(made_up, owner="eve")
    with pytest.raises(UnknownNameError, match="entrant"):
        await replace_bot(made_up, "nobody")
    await made_up.amend("withdraw", "bot1")
    with pytest.raises(RequestError, match="bot1 has left the league"):
        await replace_bot(made_up)
    await made_up.play()
    with pytest.raises(RequestError, match="a new version would play no game"):
        await replace_bot(made_up, "bot2")


async def test_one_round_that_has_begun_is_not_left_to_a_new_version(tmp_path):
    """A round robin has one round, so finishing it does not help."""
    made_up = simulated(tmp_path, "round-robin", games=None, passes=1)
    await made_up.play(1)

    with pytest.raises(RequestError, match="a new version would play no game"):
        await replace_bot(made_up)


async def test_play_off_is_played_by_the_versions_that_reached_it(tmp_path):
    made_up = simulated(tmp_path, games=12, play_off=12, tables=1)
    while not any(block.label for block in made_up.blocks):
        before = len(made_up.blocks)
        schedule = made_up._schedule()
        if (taken := schedule.take(1)) and taken[0].label:
            break
        await made_up.play(1)
        assert len(made_up.blocks) > before

    with pytest.raises(RequestError, match="only the play-off is left"):
        await replace_bot(made_up)


# ---- with real bots


@pytest.fixture
def played_versions(tmp_path: Path) -> Path:
    """Return the file to which each start of bot0 adds its version."""
    return tmp_path / "versions.txt"


def write_version(file: Path, versions: Path, version: str) -> None:
    """Let bot0 say which version it is whenever it starts."""
    source = (file.parent / "bot1.py").read_text()
    (file.parent / "bot0.py").write_text(
        source.replace("\nclass", f"{SAYS.format(path=str(versions), version=version)}\nclass")
    )


def interrupt(file: Path, data: Path) -> None:
    """Stop a league after its first results."""
    playing = start("run", file, data, "--nodes", "1")
    deadline = time.monotonic() + 120
    while playing.poll() is None and time.monotonic() < deadline:
        if data.exists() and (data / "arena.db").exists() and _count_games(file, data):
            break
        time.sleep(0.1)
    playing.send_signal(signal.SIGINT)
    _, told = playing.communicate(timeout=60)
    assert playing.returncode == 130, told


def _count_games(file: Path, data: Path) -> int:
    try:
        return len(asyncio.run(history_of(file, data)))
    except RequestError:
        return 0


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
@pytest.mark.timeout(400)
@pytest.mark.long
def test_league_is_stopped_its_bot_replaced_and_the_rest_played_by_the_new_version(tmp_path, played_versions, capsys):
    file, data = write_league(tmp_path / "bots", bots=6, games=60, think=0.01), tmp_path / "data"
    write_version(file, played_versions, "one")
    first = hash_of(file)
    assert league("seal", file, "--data", data) == 0
    interrupt(file, data)

    write_version(file, played_versions, "two")
    second = hash_of(file)
    assert league("resume", file, "--data", data) == 64
    assert "the files of bot0 (last bot0.py) have changed" in capsys.readouterr().err
    write_version(file, played_versions, "one")
    assert league("resume", file, "--data", data, "--nodes", 1, "--finish-rounds") == 0
    assert "the rounds that have begun are finished; to continue: arena league resume" in capsys.readouterr().err
    assert set(played_versions.read_text().split()) == {"one"}
    before = asyncio.run(history_of(file, data))
    assert len(before) < 30
    since = max(result.block.round for result in before) + 1

    write_version(file, played_versions, "two")
    played_versions.unlink()
    capsys.readouterr()
    assert league("amend", file, "replace", "bot0", "--reason", "a bug", "--data", data) == 0
    assert f"the new version plays from round {since} on" in capsys.readouterr().out
    assert league("resume", file, "--data", data, "--nodes", 1) == 0
    assert set(played_versions.read_text().split()) == {"two"}
    told = capsys.readouterr().out
    assert len(asyncio.run(history_of(file, data))) == 30
    assert "bot0: version 1 since round 1" in told
    versions = f"version 1 since round 1 ({first}); version 2 since round {since} ({second})"

    assert league("status", file, "--data", data, "--json") == 0
    replaced = json.loads(capsys.readouterr().out)["replaced"]
    assert replaced == {"bot0": [{"since": 1, "content": first}, {"since": since, "content": second}]}
    game = next(t.match_id for result in before for t in result.tables if "bot0" in t.seats)
    assert league("amend", file, "void", game, "--reason", "why not", "--data", data) == 64
    assert "bot0 was replaced by a new version after it" in capsys.readouterr().err
    check_report(file, data, tmp_path, f"replace bot0 from round {since} on", versions)


def hash_of(file: Path) -> str:
    program = read_league_file(file).programs["bot0"]
    assert isinstance(program, BotProgram)
    return hash_bot(program)


def check_report(file: Path, data: Path, folder: Path, amendment: str, versions: str) -> None:
    """The site tells of the new version, and everything that can be checked is right."""
    site, report = folder / "site", folder / "report"
    assert league("publish", file, "--data", data, "--out", site) == 0
    assert league("report", file, "--data", data, "--out", report) == 0
    told = json.loads((report / "report.json").read_text())
    assert [(each["what"], each["reason"]) for each in told["amendments"]] == [(amendment, "a bug")]
    assert next(each["remark"] for each in told["entrants"] if each["name"] == "bot0") == versions
    assert any("bot0 was replaced by a new version: its score and rating cover" in note for note in told["notes"])
    assert all(check["is_true"] for check in told["seal"]["checks"])
    assert any("new versions, as the ledger has them: bot0" in check["sentence"] for check in told["seal"]["checks"])
    assert "version 2 since round" in (report / "report.html").read_text()
    line = told["seal"]["line"]
    verified = [sys.executable, "-I", site / "verify" / "verify_league.py", site / "league.json", "--line", line]
    assert "NO " not in subprocess.run(verified, capture_output=True, text=True, check=True).stdout
    subprocess.run([sys.executable, ROOT / "docs" / "recompute.py", report], capture_output=True, check=True)
    assert run(["audit", "--data", str(data)]) == 0


def test_new_version_may_be_another_program_in_the_league_file(tmp_path, capsys):
    file, data = write_league(tmp_path / "bots", bots=6, games=4), tmp_path / "data"
    assert league("seal", file, "--data", data) == 0
    (file.parent / "better.py").write_text((file.parent / "bot1.py").read_text() + "# better\n")
    file.write_text(file.read_text().replace('bot = "bot0.py"', 'bot = "better.py"\nname = "bot0"'))
    assert league("seal", file, "--data", data) == 64
    assert "the files of bot0 (last better.py) have changed" in capsys.readouterr().err

    assert league("amend", file, "replace", "bot1", "--reason", "a slip", "--data", data) == 64
    assert "the files of bot0 (last better.py) have changed" in capsys.readouterr().err, "one bot at a time"
    assert league("amend", file, "replace", "bot0", "--reason", "rewritten", "--data", data) == 0

    assert league("seal", file, "--data", data) == 0
    (file.parent / "better.py").unlink()
    assert league("amend", file, "replace", "bot0", "--reason", "lost", "--data", data) == 64
    assert "there is no bot 'better.py'" in capsys.readouterr().err
