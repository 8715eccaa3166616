"""`arena compare` with real programs: each exit code, its message, and that no played game is lost."""

import contextlib
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from xml.etree.ElementTree import parse

import pytest

from arena.bots.launch.programs import BotProgram, find_bot
from arena.cli.compare import request
from arena.cli.compare.options import OutputFiles
from arena.cli.compare.output_files import prepare_files
from arena.competition.compare.comparison_result import ComparisonResult, ResultCode
from arena.competition.compare.sequential import ComparisonQuestion
from arena.games.cheat.rules.game import CHEAT
from arena.organizer.compare import comparison_run
from arena.organizer.compare.comparison import ComparisonRequest
from arena.organizer.compare.comparison_run import why_unsteady
from arena.organizer.play import block_runner
from arena.organizer.play.void_check import VoidReason
from tests.match.referee.driver import make_driver
from tests.support.commands import ARENA, CommandResult, run_arena, start_session
from tests.support.compared_bots import FOOL, QUICK, SANE, bot
from tools.studies.own_copy import MOODY

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")


def manifest(folder: Path, **values: object) -> None:
    """Write the manifest of a Python bot."""
    values = {"name": folder.name, "command": [sys.executable, "bot.py"], **values}
    (folder / "bot.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()))


@pytest.fixture
def sane(tmp_path: Path) -> Path:
    return bot(tmp_path, "sane", SANE)


@pytest.fixture
def fool(tmp_path: Path) -> Path:
    return bot(tmp_path, "fool", FOOL)


def begin(folder: Path, candidate: object, *more: str) -> "subprocess.Popen[str]":
    """Start the command in a process of its own."""
    words = ["--candidate", str(candidate), "--data", str(folder / "data"), *QUICK, *more]
    return start_session([*ARENA, "compare", *words], folder)


def compare(
    capsys: pytest.CaptureFixture[str], folder: Path, candidate: object, *more: object, data: object = None
) -> CommandResult:
    """Run the command to its end in this process, in a folder: that saves the second that a new process takes."""
    words = ["--candidate", candidate, "--data", data or folder / "data", *QUICK, *more]
    with contextlib.chdir(folder):
        return run_arena(capsys, "compare", *words)


@pytest.mark.slow
def test_better_candidate_is_recognised_and_reported_for_people_and_machines(capsys, tmp_path, fool: Path):
    """The candidate writes a lot before it plays, which neither fills the disk nor changes the answer."""
    noise = "    import os\n    for _ in range(1 << 13):\n        os.write(1, b'noise' * 819 + b'\\n')\n"  # 32 MiB
    loud = bot(tmp_path, "loud", SANE.replace("    run(Sane)", noise + "    run(Sane)"))
    manifest(loud, start_time_s=60)
    files = ("--markdown", tmp_path / "answer.md", "--junit", tmp_path / "answer.xml")
    ended = compare(capsys, tmp_path, loud, "--baseline", fool, *files, data="data")

    assert (ended.code, ended.out.partition(" ")[0]) == (0, "better"), ended
    assert "no fault" in ended.out
    opening, *lines = ended.err.splitlines()
    assert opening.endswith(
        "2 seats at a table, mode better: at most 10 min; the first look of the test is after 48 games"
    )
    counted = re.compile(r"\d+ games? played, \d+ of 12 blocks complete, \d+ decisions in .* look is after 48 games")
    assert any(map(counted.match, lines))
    assert (tmp_path / "answer.md").read_text().startswith("## arena compare: better\n\n```text\nbetter by ")
    suite = parse(tmp_path / "answer.xml").getroot()[0]
    assert [case.get("name") for case in suite.iter("testcase")] == ["starts", "no_faults", "strength"]
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("0", "0", "0")
    assert not any((tmp_path / "data" / "lanes").iterdir())
    assert max(path.stat().st_size for path in (tmp_path / "data" / "bots").iterdir()) < 1 << 24


@pytest.mark.slow
def test_worse_candidate_fails_and_costliest_games_are_listed(capsys, tmp_path, sane: Path, fool: Path):
    (tmp_path / "replays").mkdir()
    (tmp_path / "replays" / "costly-5.txt").write_text("of another time")
    ended = compare(capsys, tmp_path, fool, "--baseline", sane, "--json", "--replays", tmp_path / "replays")

    answer = ended.json
    texts = [path.read_text() for path in sorted((tmp_path / "replays").iterdir())]
    assert len(texts) == len(answer["losses"]) == 5
    for text, loss in zip(texts, answer["losses"], strict=True):
        knew, whole, other = re.split("\n=+\n.*\n=+\n", text)[1:]
        assert text.startswith(f"The candidate finished {loss['places']:g} place")
        assert loss["match_id"] in knew
        assert loss["match_id"] in whole
        assert loss["same_hand"] in other
        assert "own hand" in knew
        assert f"seat {loss['seat']} is " in knew
        assert ": candidate" in knew
        assert ": baseline" in other
    assert (ended.code, answer["code"], answer["exit"]) == (1, "not_better", 1)
    assert answer["estimate"]["value"] < 0, "the answer says no more than that, so the interval may reach above 0"


@pytest.mark.slow
def test_budget_too_small_leaves_comparison_undecided(capsys, tmp_path):
    """The margin is so small that the interval cannot lie inside it."""
    hard = ("--margin", "0.01", "--error", "0.001", "--budget", "50")
    moody = bot(tmp_path, "moody", MOODY)

    ended = compare(capsys, tmp_path, moody, "--baseline", moody, *hard, "--on-undecided", "pass")

    assert (ended.code, ended.out.partition(",")[0].partition(":")[0]) == (2, "undecided")
    assert "after 48 games" in ended.out
    assert "though --on-undecided is pass: the interval reaches beyond the margin" in ended.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        pytest.param("raise SystemExit(3)", "crashed", "candidate crashed again and again", id="ends"),
        pytest.param("import time\ntime.sleep(60)", "silent", "candidate did not connect in time", id="hangs"),
    ],
)  # fmt: skip
def test_candidate_that_does_not_play_fails_by_name(capsys, tmp_path, sane: Path, text, code, sentence):
    broken = bot(tmp_path, "broken", text)
    manifest(broken, start_time_s=2 if code == "silent" else 60)  # who is not meant to be silent may be slow

    ended = compare(capsys, tmp_path, broken, "--baseline", sane, "--json")

    assert (ended.code, ended.json["code"]) == (3, code), ended
    assert sentence in ended.json["sentence"]


@pytest.mark.slow
def test_raising_candidate_is_shown_its_exception(capsys, tmp_path, sane: Path):
    broken = bot(tmp_path, "broken", SANE.replace("options.largest_honest()", "options.no_such_name()"))

    ended = compare(capsys, tmp_path, broken, "--baseline", sane, "--turn-ms", 1000)

    assert ended.code == 3, ended
    assert ended.out.startswith("faults: ")
    assert re.search(r"error .*AttributeError.*no_such_name.*; its output is in .*/data/bots/", ended.out)


@pytest.mark.slow
@pytest.mark.long
def test_candidate_crashing_midway_fails_and_keeps_its_games(capsys, tmp_path, sane: Path):
    dying = re.sub(
        r"(?=        return (options|Decline))", "        Sane.asked -= 1 if Sane.asked else os._exit(7)\n", SANE
    )
    dying = dying.replace("class Sane(Bot):", "import os\n\nclass Sane(Bot):\n    asked = 60\n")

    ended = compare(capsys, tmp_path, bot(tmp_path, "dying", dying), "--baseline", sane, "--json")

    assert (ended.code, ended.json["code"]) in {(3, "crashed"), (3, "faults")}, ended
    assert ended.json["games"] > 0
    assert ended.json["candidate"]["decisions"] > 20


@pytest.mark.slow
@pytest.mark.parametrize("role", ["--candidate", "--baseline", "--field"])
def test_bot_that_first_tells_its_game_when_it_connects_ends_the_comparison_before_a_deal(
    capsys, tmp_path, sane: Path, role
):
    """It does not say in a bot.toml what it plays. No lane is made and no deal committed, and the answer is written."""
    chaser = find_bot("sample:set_chaser")
    assert isinstance(chaser, BotProgram)
    other = bot(tmp_path, "other", (chaser.folder / "bot.py").read_text())

    ended = compare(capsys, tmp_path, sane, "--baseline", sane, role, other, "--json", "--junit", tmp_path / "a.xml")

    named = "other" if role == "--field" else role.removeprefix("--")
    assert (ended.code, ended.json["code"]) == (3, "other_game"), ended
    assert f"{named} does not play these rules" in ended.json["sentence"]
    assert "other does not play cheat/standard: it plays cheater" in ended.json["sentence"]
    assert parse(tmp_path / "a.xml").getroot()[0].get("failures") == "1"
    assert not any((tmp_path / "data" / "lanes").iterdir())
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "arena.db")) as store:
        assert store.execute("SELECT count(*) FROM league").fetchone() == (0,)


def test_failing_candidate_build_is_an_answer(capsys, tmp_path, sane: Path):
    unbuilt = bot(tmp_path, "unbuilt", SANE)
    manifest(unbuilt, build="false")

    ended = compare(capsys, tmp_path, unbuilt, "--baseline", sane, "--json")

    assert (ended.code, ended.json["code"]) == (3, "not_started")
    assert "candidate did not start" in ended.json["sentence"]


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), pytest.param(("--json",), marks=pytest.mark.long)], ids=str)
def test_closed_stdout_does_not_change_the_answer(tmp_path, sane: Path, more):
    """The pipe closes early, as with `| head -1`."""
    run = begin(tmp_path, tmp_path / "nowhere.py", "--baseline", str(sane), *more)
    assert run.stdout is not None
    run.stdout.close()
    run.stdout = None
    run.communicate(timeout=100)

    assert run.returncode == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("closed", "candidate", "code"),
    [
        pytest.param("2>&-", "sane", 2, marks=pytest.mark.long),
        pytest.param("2>/dev/full", "sane", 2, marks=pytest.mark.long),
        ("<&- >&- 2>&-", "sane", 2),
        (">&-", "nowhere.py", 3),
        ("<&- 2>&-", "nowhere.py", 3),
    ],
)
def test_redirected_output_does_not_change_exit_code(tmp_path, sane: Path, closed, candidate, code):
    """Otherwise a shell that closes stderr would see 1, meaning no. Nodes and bots inherit the closed stream."""
    words = [
        "--candidate",
        str(tmp_path / candidate),
        "--baseline",
        str(sane),
        "--data",
        str(tmp_path / "data"),
        *QUICK,
    ]
    line = shlex.join([*ARENA, "compare", *words, "--budget", "50", "--margin", "0.05"])
    ended = subprocess.run(f"{line} {closed}", shell=True, stdout=subprocess.DEVNULL, timeout=100, check=False)

    assert ended.returncode == code


@pytest.mark.slow
@pytest.mark.long
def test_setup_is_fair_when_bot_equals_its_copy(capsys, tmp_path, sane: Path):
    ended = compare(capsys, tmp_path, sane, "--self-test")

    assert (ended.code, ended.out.partition(":")[0]) == (0, "the same"), ended


@pytest.mark.slow
def test_quick_answer_is_rough_and_no_verdict(capsys, monkeypatch, tmp_path, sane: Path, fool: Path):
    """With fewer seconds than usual. However clear the scores are, the answer is neither yes nor no."""
    monkeypatch.setattr(request, "QUICK_S", 6.0)

    ended = compare(capsys, tmp_path, sane, "--baseline", fool, "--quick")

    assert ended.code == 2, ended
    assert ended.out.startswith("rough answer, no verdict: ")
    assert "a rough answer comes after 6 s of play, and no verdict" in ended.err.splitlines()[0]
    assert "; the rough answer comes in " in ended.err
    assert "look" not in ended.err


def test_rough_comparison_never_continues_one_with_a_test():
    terms = make_driver(CHEAT, 2).terms
    tested, rough = (
        ComparisonRequest({}, (), terms, ComparisonQuestion(), is_rough=is_rough).to_values()
        for is_rough in (False, True)
    )

    assert tested != rough
    assert "rough" not in tested, "the values of earlier comparisons stay the same"


@pytest.mark.slow
@pytest.mark.parametrize(("lane", "whose"), [
    pytest.param(0, "the candidate waited for a core", marks=pytest.mark.long), (1, r"\d+ blocks were void")
])  # fmt: skip
def test_machine_that_keeps_stealing_time_yields_no_verdict(
    capsys, monkeypatch, tmp_path, sane: Path, fool: Path, lane, whose
):
    stolen = "the machine took time"
    monkeypatch.setattr(block_runner, "why_void", lambda row, *_: VoidReason(stolen, row.tables[lane][0]))

    ended = compare(capsys, tmp_path, fool, "--baseline", sane)

    assert ended.code == 75, ended
    assert re.match(f"unsteady: {whose}", ended.out)


@pytest.mark.slow
def test_places_of_void_attempts_are_kept_and_counted(capsys, monkeypatch, tmp_path, sane: Path, fool: Path):
    """A candidate that strikes out three blocks does not change what they would have scored."""

    def void_three_times(row, *_):
        return VoidReason("the machine took time", row.tables[0][0]) if row.number <= 3 and not row.attempt else None

    monkeypatch.setattr(block_runner, "why_void", void_three_times)

    ended = compare(capsys, tmp_path, fool, "--baseline", sane, "--json")

    assert (ended.code, ended.json["voids"]) == (1, 3), ended
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "arena.db")) as store:
        entries = store.execute(
            "SELECT json_extract(\"values\", '$.places') FROM league_act WHERE kind = 'void'"
        ).fetchall()
    assert [[len(places) for places in json.loads(entry)] for (entry,) in entries] == [[2] * 4] * 3


@pytest.mark.slow
def test_internal_error_is_reported_as_such(capsys, monkeypatch, tmp_path, sane: Path, fool: Path):
    monkeypatch.setattr(comparison_run, "run_sequential_test", lambda *_: 1 / 0)

    ended = compare(capsys, tmp_path, fool, "--baseline", sane)

    assert ended.code == 70
    assert "arena: internal error: ZeroDivisionError" in ended.err


@pytest.mark.parametrize(
    ("blocks", "spared", "voids", "code"),
    [
        (100, 5, 5, None),
        (100, 6, 6, ResultCode.UNSTEADY),
        (20, 3, 3, None),
        (100, 0, 25, None),
        (100, 0, 26, ResultCode.UNSTEADY),
    ],
)
def test_void_blocks_blamed_on_candidate_have_a_lower_limit(blocks, spared, voids, code):
    """A candidate able to make a block void would choose the blocks that go badly."""
    finding = ComparisonResult(ResultCode.UNDECIDED, 8 * blocks, 1.0, voids=voids, spared=spared)

    assert (why_unsteady(finding, blocks) and ResultCode.UNSTEADY) == code


def test_candidate_that_cannot_be_run_is_an_answer(capsys, tmp_path, sane: Path):
    (tmp_path / "program").write_text("no program")

    answered = compare(capsys, tmp_path, tmp_path / "program", "--baseline", sane, "--json")

    assert (answered.code, answered.json["code"]) == (3, "not_started")
    assert "is not executable" in answered.json["sentence"]


@pytest.mark.slow
def test_candidate_missing_when_budget_ends_passes_nothing(capsys, tmp_path, sane: Path):
    mute = bot(tmp_path, "mute", "import time\ntime.sleep(60)")
    manifest(mute, start_time_s=60)
    junit = tmp_path / "answer.xml"

    ended = compare(
        capsys, tmp_path, mute, "--baseline", sane, "--budget", "2s", "--on-undecided", "pass", "--junit", junit
    )

    assert ended.code == 2
    assert ended.out.startswith("too few games for a verdict (0 of 48), after 2 s")
    assert parse(junit).getroot()[0].get("skipped") == "2"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--margin", "0"), "expected a number above 0"),
        (("--field", "sample:honest, sample:counter"), "expected at most 1 bot: one seat is the candidate's"),
        (("--junit", "answer", "--markdown", "answer"), "expected another file than for --markdown"),
        (("--quick", "--try", "2"), "expected none: with --quick there is never a verdict"),
        (("--budget", "long"), "expected a number of games, such as 600, or a time, such as 10m"),
        (("--budget", "47"), "--budget 47: expected 48 games or more, because the first look comes then"),
        (("--quick", "--budget", "600"), "expected none: --quick plays for 30 s"),
        (("--quick", "--on-undecided", "pass"), "with --quick there is never a verdict"),
        (("--self-test",), "expected none: --self-test uses a copy of the bot"),
        (("--field", "remote:ann"), "expected a program that the arena can start"),
        (("--set", "max_turnz=3"), "--set max_turnz=3: unknown option; did you mean max_turns?"),
        (("--field", "sample:honst"), "did you mean sample:honest?"),
        (
            ("--candidate", "sample:set_chaser", "--baseline", "sample:counter"),
            "bot.toml says: candidate set_chaser plays cheater, baseline counter plays cheat, honest plays cheat",
        ),
        (
            ("--game", "cheater"),
            "--game cheater: expected a game that every bot plays; bot.toml says: honest plays cheat",
        ),
    ],
    ids=str,
)
def test_impossible_request_is_refused_before_anything_starts(capsys, tmp_path, sane: Path, fool: Path, more, sentence):
    refused = compare(capsys, tmp_path, sane, "--baseline", fool, *more)

    assert refused.code == 64
    assert sentence in refused.err
    assert not (tmp_path / "data").exists()


def test_refusal_creates_no_file_and_links_are_kept(capsys, tmp_path, sane: Path):
    (tmp_path / "answer.xml").write_text("of another time")
    (tmp_path / "standing").symlink_to(tmp_path / "answer.md")

    refused = [
        compare(capsys, tmp_path, sane, "--baseline", sane, "--junit", "answer.xml", *more).code
        for more in (("--budget", "3"), ("--data", "answer.xml"), ("--junit", "new.xml", "--markdown", "sane"))
    ]
    kept = (tmp_path / "answer.xml").read_text()
    prepare_files(OutputFiles(tmp_path / "standing", tmp_path / "answer.xml"))

    assert refused == [64, 64, 75]
    assert kept == "of another time"
    assert not (tmp_path / "new.xml").exists()
    assert (tmp_path / "standing").is_symlink()
    assert not (tmp_path / "answer.xml").exists()


def test_stale_files_do_not_remain_beside_an_answer(capsys, tmp_path, sane: Path):
    (tmp_path / "costly-1.txt").write_text("of another time")

    answered = compare(capsys, tmp_path, tmp_path / "nowhere.py", "--baseline", sane, "--replays", tmp_path)

    assert answered.code == 3
    assert not (tmp_path / "costly-1.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "is_full"),
    [
        pytest.param((), True, id="answer-full"),
        pytest.param((), False, marks=pytest.mark.long, id="answer-closed"),
        pytest.param(("--markdown", "/dev/stdout"), True, marks=pytest.mark.long, id="markdown-full"),
        pytest.param(("--markdown", "/dev/stdout"), False, id="markdown-closed"),
    ],
)
def test_verdict_survives_unwritable_stdout(tmp_path, sane: Path, files, is_full):
    reading, stdout = os.pipe()
    if is_full:
        os.close(stdout)
        stdout = os.open("/dev/full", os.O_WRONLY)
    os.close(reading)
    words = ["--candidate", "nowhere.py", "--baseline", str(sane), "--data", str(tmp_path / "data"), *QUICK, *files]

    run = subprocess.Popen([*ARENA, "compare", *words], stdout=stdout, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    os.close(stdout)
    _, said = run.communicate(timeout=60)

    assert run.returncode == 3, said
    assert ("the answer cannot be written to stdout: No space left on device" in said) is is_full


def test_data_folder_inside_bots_folder_is_refused_before_copying(capsys, sane: Path, fool: Path):
    refused = compare(capsys, sane, sane, "--baseline", fool)

    assert refused.code == 64
    assert "is in the folder of candidate" in " ".join(refused.err.split())
    assert not (sane / "data").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.long)],
    ids=lambda number: number.name,
)
def test_same_command_resumes_stopped_comparison(capsys, tmp_path, fool: Path, number):
    is_stopped = tmp_path / "stopped"
    pause = f"        await asyncio.sleep(0 if os.path.exists({str(is_stopped)!r}) else 0.03)\n"
    text = SANE.replace("def turn", "async def turn").replace(
        "        return options.l", f"{pause}        return options.l"
    )
    slow = bot(tmp_path, "slow", f"import asyncio\nimport os\n{text}")
    run = begin(tmp_path, slow, "--baseline", str(fool))
    lines = _lines_until(run, "places a game")
    os.killpg(run.pid, number)
    _, rest = run.communicate(timeout=30)
    is_stopped.touch()

    if number is signal.SIGINT:
        assert run.returncode == 130, lines + rest
        assert "games are finished and saved; the same command resumes the comparison" in rest
    ended = compare(capsys, tmp_path, slow, "--baseline", fool)
    assert (ended.code, ended.out.partition(" ")[0]) == (0, "better"), ended
    assert "resuming a comparison; " in ended.err


def _lines_until(run: "subprocess.Popen[str]", word: str) -> str:
    """Read output up to a line with this word."""
    assert run.stderr is not None
    lines, by = "", time.monotonic() + 60
    while word not in lines and time.monotonic() < by:
        lines += run.stderr.readline()
    return lines
