"""`arena compare` with bots that nobody trusts: they run in boxes, and so do submitted bots."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from arena.cli.bot_argument import find_program
from arena.cli.compare.options import CompareOptions
from arena.cli.compare.request import CompareRequest
from arena.cli.exit_codes import ExitCode
from arena.errors import IsolationError
from arena.fleet.runner import boxes
from arena.server.store.data_folder import acquire_folder_lock
from tests.support.boxes import skip_without_boxes
from tests.support.commands import run_arena
from tests.support.compared_bots import FOOL, QUICK, SANE, bot
from tests.support.submitted import submit_programs

SPY = """\
import os
from pathlib import Path

print("SECRET", os.path.exists({secret!r}), flush=True)
try:
    Path({baseline!r}).write_text("raise SystemExit(1)")
    print("WROTE", flush=True)
except OSError:
    print("REFUSED", flush=True)
"""
IN_BOXES = "bots run in boxes that they cannot leave"


def outputs(data: Path, pattern: str) -> str:
    """Return what bots printed."""
    return "".join(path.read_text() for path in (data / "bots").glob(pattern))


@pytest.mark.slow
@pytest.mark.long
def test_untrusted_candidate_is_built_and_plays_in_boxes(capsys, tmp_path):
    """It tries to read a secret of the user, and to replace the baseline by a program that ends at once."""
    skip_without_boxes()
    secret, data = tmp_path / "secret.txt", tmp_path / "data"
    secret.write_text("of the user")
    baseline = bot(tmp_path, "fool", FOOL)
    spy = SPY.format(secret=str(secret), baseline=str(baseline / "bot.py"))
    candidate = bot(tmp_path, "spy", "raise SystemExit('not built')")
    (candidate / "source.py").write_text(spy + SANE)
    (candidate / "bot.toml").write_text('name = "spy"\nbuild = "cp source.py bot.py"\nstart_time_s = 60\n')

    words = ["--candidate", candidate, "--baseline", baseline, *QUICK, "--data", data, "--markdown", tmp_path / "a.md"]
    ended = run_arena(capsys, "compare", *words, "--untrusted")

    assert (ended.code, ended.out.partition(" ")[0]) == (0, "better"), ended
    assert IN_BOXES in ended.err
    assert "not sandboxed" not in ended.err
    assert "sandbox" not in (tmp_path / "a.md").read_text()
    said = outputs(data, "*.log")
    assert "SECRET False" in said
    assert "REFUSED" in said
    assert "SECRET True" not in said
    assert "WROTE" not in said
    assert (baseline / "bot.py").read_text() == FOOL
    assert (candidate / "bot.py").read_text() == "raise SystemExit('not built')"


@pytest.mark.slow
def test_trusted_comparison_says_that_bots_have_all_rights(capsys, tmp_path):
    sane = bot(tmp_path, "sane", SANE)

    ended = run_arena(
        capsys,
        "compare",
        "--candidate",
        sane,
        "--baseline",
        sane,
        *QUICK,
        "--data",
        tmp_path / "data",
        "--budget",
        "1s",
    )

    assert "bots are not sandboxed: they run as you" in " ".join(ended.err.split())


@pytest.mark.slow
def test_submitted_bots_are_compared_in_boxes(capsys, tmp_path):
    skip_without_boxes()
    data = tmp_path / "data"
    asyncio.run(submit_programs(data, {"ann-sane": SANE, "ann-fool": FOOL}))

    words = ["--candidate", "submitted:ann-sane", "--baseline", "submitted:ann-fool@1", *QUICK, "--data", data]
    ended = run_arena(capsys, "compare", *words)

    assert (ended.code, ended.out.partition(" ")[0]) == (0, "better"), ended
    rights = "bots without a box run as you and can read and write your files: honest"
    assert rights in " ".join(ended.err.split()), "the field is a sample of this machine"


def test_submitted_bots_of_a_running_server_play_in_a_folder_of_ones_own(capsys, tmp_path):
    """The server has locked its folder, and keeps it as it is."""
    skip_without_boxes()
    served, own = tmp_path / "served", tmp_path / "own"
    asyncio.run(submit_programs(served, {"ann-sane": SANE}))
    lock = acquire_folder_lock(served)
    before = sorted((served / "submissions").rglob("*"))

    ended = run_arena(
        capsys, "match", "--bot", "submitted:ann-sane", "--fill", "sample:honest", "--seats", 3, "--games", 1,
        "--submitted-from", served, "--data", own,
    )  # fmt: skip

    assert ended.code == 0, ended
    assert sorted((served / "submissions").rglob("*")) == before
    assert outputs(served, "*") == ""
    assert (own / "arena.db").exists()
    lock.release()


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--untrusted", "--keep-state"], 64, "a bot in a box keeps no files, so it remembers nothing"),
        (["--baseline", "submitted:nobody"], 3, "baseline did not start, after 0 games, 0 s: no bot was submitted to"),
    ],
)
def test_request_that_boxes_cannot_fulfil_is_one_sentence(capsys, tmp_path, words, code, sentence):
    sane = bot(tmp_path, "sane", SANE)

    ended = run_arena(
        capsys, "compare", "--candidate", sane, "--baseline", sane, "--data", tmp_path / "data", *QUICK, *words
    )

    assert ended.code == code, ended
    assert sentence in " ".join((ended.out + ended.err).split())


def test_machine_without_boxes_refuses_and_plays_nothing(capsys, tmp_path, monkeypatch):
    def refuse(_: object) -> None:
        raise IsolationError(["there is no bubblewrap"])

    monkeypatch.setattr(boxes, "require_isolation", refuse)
    sane, data = bot(tmp_path, "sane", SANE), tmp_path / "data"

    ended = run_arena(capsys, "compare", "--candidate", sane, "--baseline", sane, "--data", data, *QUICK, "--untrusted")

    assert (ended.code, ended.out) == (ExitCode.NOT_ISOLATED, "")
    assert ended.last_line.endswith("untrusted code is not run here: there is no bubblewrap")
    assert not data.exists()


def test_comparison_in_boxes_never_continues_one_without(tmp_path):
    """Limits of boxes can change how a bot plays."""
    values = []
    for is_untrusted in (False, True):
        find = partial(find_program, data=tmp_path, is_untrusted=is_untrusted)
        asked = CompareRequest(CompareOptions("sample:honest", "sample:counter"), find)
        values.append(asked.to_comparison().to_values())

    assert values[0] == {name: value for name, value in values[1].items() if name != "boxed"}
    assert "boxed" in values[1]
