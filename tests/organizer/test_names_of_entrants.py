"""Entrants have names of any script, which play, and are shown and published. Names that look alike are refused."""

import csv
import json
import os
import unicodedata
from pathlib import Path

import pytest

from arena.errors import OptionError
from arena.organizer.file.league_reader import read_league_file
from tests.organizer.leagues import league, write_league

NAMES = ("Zoë", "Müller", "李雷", "Иван")


def named_league(folder: Path, *names: str) -> Path:
    """Write a league whose bots have these names."""
    file = write_league(folder, len(names), games=4, seats=3)
    head, *entrants = file.read_text(encoding="utf-8").split("[[entrants]]")
    named = [f"{each.rstrip()}\nname = {json.dumps(name)}\n" for each, name in zip(entrants, names, strict=True)]
    file.write_text("[[entrants]]".join([head, *named]), encoding="utf-8")
    return file


def test_names_are_read_in_one_form(tmp_path):
    """A file may have an accent as a character of its own, as names of files on some systems do."""
    read = read_league_file(named_league(tmp_path, *(unicodedata.normalize("NFD", name) for name in NAMES)))

    assert tuple(read.bots) == NAMES


@pytest.mark.parametrize(("one", "other"), [("Zoë", "zoe"), ("bot 1", "bot l"), ("cop", "\u0441\u043e\u0440")])
def test_names_that_look_alike_are_refused_when_a_league_is_sealed(tmp_path, capsys, one, other):
    file = named_league(tmp_path / "bots", one, other, "Bob")

    with pytest.raises(OptionError, match=f"it looks like {one!r}, which is another entrant"):
        read_league_file(file).check_look_alikes()
    assert league("seal", file, "--data", tmp_path / "data") == 64
    assert "which is another entrant" in " ".join(capsys.readouterr().err.split())


def test_name_of_mixed_scripts_is_refused(tmp_path, capsys):
    assert league("seal", named_league(tmp_path, "c\u043eunter", "Ann", "Bob"), "--data", tmp_path / "data") == 64
    assert "letters and digits of one script" in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
def test_league_of_such_names_is_played_shown_and_published(tmp_path, capsys):
    file, data = named_league(tmp_path / "bots", *NAMES), tmp_path / "data"

    assert league("run", file, "--data", data, "--nodes", 1) == 0
    table = capsys.readouterr().out
    assert all(name in table for name in NAMES)
    assert league("publish", file, "--data", data, "--out", tmp_path / "site", "--replays", "all") == 0

    with (tmp_path / "site" / "data" / "standings.csv").open(encoding="utf-8", newline="") as rows:
        assert {row["entrant"] for row in csv.DictReader(rows)} == set(NAMES)
    lists = [path.read_text(encoding="utf-8") for path in (tmp_path / "site" / "replays").glob("bot*.html")]
    assert len(lists) == len(NAMES)
    assert all(path.name.isascii() for path in (tmp_path / "site").rglob("*"))  # addresses on the web
