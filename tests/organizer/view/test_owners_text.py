"""`plan`, `run` and the report say whether bots of one owner share blocks, and in how many."""

import json
import os
from dataclasses import replace

import pytest

from arena.cli.league.plan import show_plan
from arena.competition.formats import Ladder, Season, Swiss, WithPlayOff
from arena.organizer.view.league_text import owner_sentences, planned_owner_sentences
from tests.organizer.leagues import league, shorten_trial, write_league
from tests.support.leagues import field


def test_nothing_is_said_if_no_owner_has_several_bots():
    assert planned_owner_sentences(Season(40), field(8, 4, "abc")) == []
    assert owner_sentences(Season(40).draw_round(1, field(8, 4, "abc")), field(8, 4, "abc")) == []


def test_owners_that_are_apart_are_said_to_be():
    for form in (Season(40), WithPlayOff(Season(40), 8, False, 4)):
        assert planned_owner_sentences(form, field(8, 4, "aa")) == ["no two bots of one owner are in the same block"]


def test_bots_that_take_turns_are_named_with_their_games():
    assert planned_owner_sentences(Season(160), field(8, 4, "aaa")) == [
        "no two bots of one owner are in the same block",
        "the bots of a take turns, to be apart: 53 games each, and 96 each for the others",
    ]


def test_failure_to_keep_owners_apart_has_its_number_of_blocks():
    """Four owners, of whom one has five of eight bots: its bots cannot play half as often as the others."""
    assert planned_owner_sentences(Season(40), field(8, 4, "aaaaabbc")) == [
        "two or more bots of a (b00, b01, b02, b03, b04) are in 40 of 40 blocks: this league cannot keep them apart"
    ]


def test_long_schedule_is_foretold_for_its_first_rounds_and_long_lists_are_cut():
    (sentence,) = planned_owner_sentences(Season(5000), field(16, 4, "a" * 14))

    assert sentence.startswith(
        "two or more bots of a (b00, b01, b02, b03, b04, b05, b06, b07 and 6 more) are in 600 of 600 blocks"
    )
    assert sentence.endswith("(drawn so far: 150 rounds)")


def test_schedule_that_depends_on_results_is_foretold_for_its_first_round():
    for form in (Swiss(4), Ladder()):
        (sentence,) = planned_owner_sentences(form, field(16, 4, "aa"))
        assert sentence == "no two bots of one owner are in the same block (drawn so far: 1 round)"


def test_old_schedule_is_said_to_be_old():
    entries = replace(field(8, 4, "aa"), keeps_owners_apart=False)

    assert planned_owner_sentences(Season(160), entries) == [
        (
            "two or more bots of a (b00, b01) are in 80 of 80 blocks: this league was sealed before schedules kept them"
            " apart"
        )
    ]


def owned_league(folder, bots: int, owned: int, **settings):
    """Write a league in which the last bots belong to ann."""
    file = write_league(folder, bots, **settings)
    head, *entrants = file.read_text().split("[[entrants]]")
    entrants = [each.rstrip() + '\nowner = "ann"\n' * (number >= bots - owned) for number, each in enumerate(entrants)]
    file.write_text("[[entrants]]".join([head, *(f"{each}\n" for each in entrants)]))
    return file


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
@pytest.mark.long
async def test_plan_says_how_owners_are_kept_apart(tmp_path, capsys, monkeypatch):
    shorten_trial(monkeypatch)
    file = owned_league(tmp_path, 6, 5, games=4)

    await show_plan(file, 1, None, is_json=False)
    lines = capsys.readouterr().out

    words = " ".join(lines.split())
    assert "owners two or more bots of ann (bot1, bot2, bot3, bot4, bot5) are in 4 of 4 blocks" in words


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
def test_run_and_report_say_how_owners_are_kept_apart(tmp_path, capsys):
    file, data = owned_league(tmp_path / "bots", 6, 5, games=4), tmp_path / "data"
    sentence = "wo or more bots of ann (bot1, bot2, bot3, bot4, bot5) are in 4 of 4 blocks"

    assert league("run", file, "--data", data, "--nodes", 1) == 0
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert league("report", file, "--data", data, "--out", tmp_path / "report") == 0

    told = json.loads((tmp_path / "report" / "report.json").read_text())
    assert any(f"T{sentence}" in note for note in told["notes"])
