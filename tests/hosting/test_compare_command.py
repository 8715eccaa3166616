"""`arena compare` with real programs: each exit code, what is said with it, and that nothing played is lost."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree.ElementTree import parse

import pytest

from tests.support.commands import ARENA

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")

SANE = """\
from cheatarena import Bot, Decline, run

class Sane(Bot):
    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Decline()

if __name__ == "__main__":
    run(Sane)
"""
FOOL = SANE.replace("Decline", "Call")
"""It calls whatever is claimed, and takes the pile nearly each time."""
QUICK = ("--seats", "2", "--set", "max_turns=40", "--field", "sample:honest", "--nodes", "1")


def bot(folder: Path, name: str, text: str) -> Path:
    """Write a bot that is a folder, and give it."""
    path = folder / name
    path.mkdir(parents=True)
    (path / "bot.py").write_text(text)
    return path


@pytest.fixture
def sane(tmp_path: Path) -> Path:
    return bot(tmp_path, "sane", SANE)


@pytest.fixture
def fool(tmp_path: Path) -> Path:
    return bot(tmp_path, "fool", FOOL)


def begin(folder: Path, candidate: object, baseline: object, *more: str) -> "subprocess.Popen[str]":
    words = ["--candidate", str(candidate), "--baseline", str(baseline), "--data", str(folder / "data"), *QUICK, *more]
    return subprocess.Popen(
        [*ARENA, "compare", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


async def compare(folder: Path, candidate: object, baseline: object, *more: str) -> tuple[int, str, str]:
    """Run it to its end; gives exit code, stdout and stderr."""
    run = begin(folder, candidate, baseline, *more)
    told, said = await asyncio.to_thread(run.communicate, timeout=100)
    return run.returncode, told, said


async def test_a_better_candidate_is_told_from_a_worse_one_and_written_for_people_and_machines(tmp_path, sane, fool):
    files = ("--markdown", str(tmp_path / "answer.md"), "--junit", str(tmp_path / "answer.xml"))
    code, told, said = await compare(tmp_path, sane, fool, *files)

    assert (code, told.partition(" ")[0]) == (0, "better"), told + said
    assert "no fault" in told
    assert "games in" in said
    assert (tmp_path / "answer.md").read_text().startswith("## better by ")
    suite = parse(tmp_path / "answer.xml").getroot()[0]
    assert [case.get("name") for case in suite] == ["starts", "no_faults", "strength"]
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("0", "0", "0")
    assert not any((tmp_path / "data" / "lanes").iterdir())


async def test_the_other_way_round_it_is_not_better(tmp_path, sane, fool):
    code, told, _ = await compare(tmp_path, fool, sane, "--json")

    answer = json.loads(told)
    assert (code, answer["code"], answer["exit"]) == (1, "not_better", 1)
    assert answer["estimate"]["high"] < 0


async def test_it_is_worse_where_that_is_asked(tmp_path, sane, fool):
    code, told, _ = await compare(tmp_path, fool, sane, "--mode", "not-worse")

    assert (code, told.partition(" ")[0]) == (1, "worse")


@pytest.mark.parametrize(("word", "code"), [("fail", 2), ("pass", 0)])
async def test_a_budget_that_is_too_small_leaves_it_undecided(tmp_path, sane, fool, word, code):
    returned, told, _ = await compare(tmp_path, sane, fool, "--budget", "16", "--on-undecided", word)

    assert (returned, told.partition(",")[0].partition(":")[0]) == (code, "undecided")
    assert "after 16 games" in told


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        pytest.param("raise SystemExit(3)", "crashed", "candidate crashed again and again", id="ends"),
        pytest.param("import time\ntime.sleep(60)", "silent", "candidate did not connect in time", id="hangs"),
        pytest.param(
            SANE.replace("largest_honest() or options.smallest_lie()", "of_no_such_name()"),
            "faults", "late, illegal or missing", id="raises",
        ),
    ],
)  # fmt: skip
async def test_a_candidate_that_does_not_play_fails_by_name(tmp_path, sane, text, code, sentence):
    broken = bot(tmp_path, "broken", text)
    start_time_s = 2 if code == "silent" else 60  # who is not meant to be silent may be slow on a busy machine
    command = json.dumps([sys.executable, "bot.py"])
    (broken / "bot.toml").write_text(f'name = "broken"\ncommand = {command}\nstart_time_s = {start_time_s}\n')

    returned, told, said = await compare(tmp_path, broken, sane, "--json")

    answer = json.loads(told)
    assert (returned, answer["code"]) == (3, code), told + said
    assert sentence in answer["sentence"]


async def test_a_candidate_that_cannot_be_run_is_an_answer_too(tmp_path, sane):
    (tmp_path / "program").write_text("no program")

    code, told, _ = await compare(tmp_path, tmp_path / "program", sane, "--json")

    assert (code, json.loads(told)["code"]) == (3, "not_started")
    assert "is not executable" in json.loads(told)["sentence"]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--margin", "0"), "expected a number above 0"),
        (("--budget", "long"), "expected games, such as 600, or a length such as 10m"),
        (("--field", "remote:ann"), "a bot that dials in has no lanes"),
        (("--set", "max_turnz=3"), "max_turnz"),
    ],
    ids=str,
)
async def test_what_cannot_be_is_refused_before_anything_starts(tmp_path, sane, fool, more, sentence):
    code, _, said = await compare(tmp_path, sane, fool, *more)

    assert code == 64
    assert sentence in said
    assert not (tmp_path / "data").exists()


async def test_data_within_a_bots_folder_is_refused_before_it_is_copied_into_itself(sane, fool):
    code, _, said = await compare(sane, sane, fool)

    assert code == 64
    assert "lies in the folder of candidate" in said
    assert not (sane / "data").exists()


async def test_the_same_command_goes_on_where_one_was_stopped(tmp_path, sane, fool):
    slow = bot(
        tmp_path,
        "slow",
        SANE.replace("def turn", "async def turn").replace(
            "        return options.l", "        await __import__('asyncio').sleep(0.03)\n        return options.l"
        ),
    )
    run = begin(tmp_path, slow, fool)
    lines = await _lines_until(run, "16 games")
    os.killpg(run.pid, signal.SIGINT)
    _, rest = await asyncio.to_thread(run.communicate, timeout=30)

    assert run.returncode == 130, lines + rest
    assert "games are over and kept; the same command goes on with them" in rest
    code, told, said = await compare(tmp_path, slow, fool)
    assert (code, told.partition(" ")[0]) == (0, "better"), told + said
    assert "going on with a comparison of which" in said


async def _lines_until(run: "subprocess.Popen[str]", word: str) -> str:
    """Read what it says up to a line with this word."""
    assert run.stderr is not None
    lines, by = "", time.monotonic() + 60
    while word not in lines and time.monotonic() < by:
        lines += await asyncio.to_thread(run.stderr.readline)
    return lines
