"""A league whose bots nobody trusts is played in boxes, on several nodes, and its report has no warning."""

import asyncio
import json

import pytest

from arena.server.store.open_store import open_store
from tests.organizer.leagues import league, shorten_trial, write_league
from tests.support.boxes import skip_without_boxes
from tests.support.submitted import submit_programs

BUILT = """\
name = "built"
build = "sh -c 'cp source.py bot.py && touch /source/written || echo the folder cannot be written'"
"""


@pytest.mark.slow
def test_untrusted_league_is_played_in_boxes(tmp_path, capfd):
    skip_without_boxes()
    file, data = write_league(tmp_path / "bots", bots=3, games=8, untrusted=True), tmp_path / "data"
    built = tmp_path / "bots" / "built"
    built.mkdir()
    (built / "bot.toml").write_text(BUILT)
    (built / "source.py").write_text((tmp_path / "bots" / "bot1.py").read_text())
    file.write_text(file.read_text() + '\n[[entrants]]\nbot = "built"\n')

    assert league("run", file, "--data", data, "--nodes", 2) == 0
    assert league("report", file, "--data", data, "--out", tmp_path / "report") == 0

    assert "bots run in boxes that they cannot leave" in capfd.readouterr().err
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert len(report["games"]) == 8
    assert not [note for note in report["notes"] if "sandbox" in note]
    assert report["faults"] == []
    assert not (built / "bot.py").exists()
    assert "the folder cannot be written" in "".join(path.read_text() for path in (data / "bots").glob("built*build*"))


@pytest.mark.slow
def test_boxed_bot_cannot_read_what_an_unboxed_one_reads(tmp_path, capfd):
    """The same program reads a secret of its organizer without a box, and does not with one."""
    skip_without_boxes()
    file, data = write_league(tmp_path / "bots", bots=3, games=4, untrusted=True), tmp_path / "data"
    secret = tmp_path / "secret.txt"
    secret.write_text("the organizer's secret")
    spy = tmp_path / "bots" / "bot0.py"
    spy.write_text(f"import os\nprint('FOUND', os.path.exists({str(secret)!r}), flush=True)\n{spy.read_text()}")

    assert league("run", file, "--data", data, "--nodes", 1) == 0

    outputs = "".join(path.read_text() for path in (data / "bots").glob("bot0*.log"))
    assert "FOUND False" in outputs
    assert "FOUND True" not in outputs


@pytest.mark.slow
def test_submitted_bots_are_planned_as_they_are_played(tmp_path, capfd, monkeypatch):
    """Both commands find them in the data folder that `--data` names."""
    skip_without_boxes()
    monkeypatch.chdir(tmp_path)  # which has no data folder of its own
    shorten_trial(monkeypatch)
    file, data = write_league(tmp_path / "bots", bots=2, games=4, seats=2), tmp_path / "data"
    source = (tmp_path / "bots" / "bot0.py").read_text()
    asyncio.run(submit_programs(data, {"ann-one": source, "ann-two": source}))
    file.write_text(file.read_text().replace("bot0.py", "submitted:ann-one").replace("bot1.py", "submitted:ann-two@1"))

    assert league("plan", file) == 64
    assert "no bot was submitted to" in capfd.readouterr().err
    assert league("plan", file, "--data", data) == 0
    assert league("run", file, "--data", data, "--nodes", 1) == 0

    said = capfd.readouterr()
    assert "format      season (games 4" in said.out
    assert "the trial   " in said.out


@pytest.mark.slow
def test_owners_who_withdraw_their_bots_stop_no_league_that_has_sealed_them(tmp_path):
    skip_without_boxes()
    file, data = write_league(tmp_path / "bots", bots=2, games=4, seats=2), tmp_path / "data"
    source = (tmp_path / "bots" / "bot0.py").read_text()
    asyncio.run(submit_programs(data, {"ann-one": source, "ann-two": source}))
    file.write_text(file.read_text().replace("bot0.py", "submitted:ann-one").replace("bot1.py", "submitted:ann-two@1"))
    assert league("seal", file, "--data", data) == 0

    async def withdraw() -> None:
        async with await open_store(data) as store:
            for name in ("ann-one", "ann-two"):
                await store.submissions.withdraw(name, "1")

    asyncio.run(withdraw())

    assert league("run", file, "--data", data) == 0
    assert league("report", file, "--data", data, "--out", tmp_path / "report") == 0

    assert len(json.loads((tmp_path / "report" / "report.json").read_text())["games"]) == 4
