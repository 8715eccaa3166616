"""The dates of a league's file: which are refused, and which rounds belong to each."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from arena.competition.league.model import RoundDate, find_date
from arena.errors import OptionsError
from arena.organizer.file.league_dates import assign_rounds, check_dates_ahead, describe_dates, restore_dates
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_format import choose_format
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.seal.ledger_entries import amended_field
from tests.organizer.leagues import write_league

WEEK = [(f"2026-12-{day:02} 18:00:00+01:00", f"2026-12-{day:02} 22:00:00+01:00", "") for day in range(1, 8)]


def write_dates(folder: Path, *dates: tuple[str, str, str], **settings: Any) -> Path:
    """Write a league file with dates: opening, close and further lines of each."""
    file = write_league(folder, **{"tables": None, **settings})
    lines = "".join(f"\n[[dates]]\nopens = {opens}\ncloses = {closes}\n{more}\n" for opens, closes, more in dates)
    file.write_text(file.read_text() + lines)
    return file


def faults(folder: Path, *dates: tuple[str, str, str], **settings: object) -> dict[str, str]:
    """Return the refusals of a file with these dates, by key."""
    with pytest.raises(OptionsError) as caught:
        rounds_of(read_league_file(write_dates(folder, *dates, **settings)))
    return {each.field: str(each) for each in caught.value.faults}


def rounds_of(file: LeagueFile) -> tuple[RoundDate, ...]:
    field = amended_field(file, (), bytes(32))
    return assign_rounds(file.dates, choose_format(file, field, None)[0], field)


def test_rounds_are_divided_evenly_among_dates(tmp_path):
    file = read_league_file(write_dates(tmp_path, *WEEK[:3], bots=6, games=14))  # seven rounds of two games

    dates = rounds_of(file)

    assert [(date.first, date.last) for date in dates] == [(1, 3), (4, 5), (6, 7)]
    assert dates[0].opens == datetime(2026, 12, 1, 17, tzinfo=UTC).timestamp()
    assert dates[0].length_s == 4 * 3600


def test_file_may_say_how_many_rounds_each_date_has(tmp_path):
    (one, two) = [(*date[:2], f"rounds = {rounds}") for date, rounds in zip(WEEK[:2], (2, 5), strict=True)]

    dates = rounds_of(read_league_file(write_dates(tmp_path, one, two, bots=6, games=14)))

    assert [(date.first, date.last) for date in dates] == [(1, 2), (3, 7)]


def test_play_off_has_the_last_date(tmp_path):
    file = read_league_file(write_dates(tmp_path, *WEEK[:3], bots=6, games=8, play_off=4))

    dates = rounds_of(file)

    assert [(date.first, date.last) for date in dates] == [(1, 2), (3, 4), (5, 5)]
    assert find_date(dates, 9) is dates[-1], "rounds that late entrants add"


def test_no_table_shares_a_deal_unless_the_file_says_so(tmp_path):
    """A table would have to wait for the bots of another one."""
    assert read_league_file(write_dates(tmp_path / "a", WEEK[0])).settings["tables"] == 1
    assert read_league_file(write_dates(tmp_path / "b", WEEK[0], tables=3)).settings["tables"] == 3
    assert "tables" not in read_league_file(write_dates(tmp_path / "c")).settings


def test_sealed_dates_are_restored(tmp_path):
    dates = rounds_of(read_league_file(write_dates(tmp_path, *WEEK[:3])))

    assert restore_dates(describe_dates(dates)) == dates


@pytest.mark.parametrize(
    ("opens", "closes", "key", "sentence"),
    [
        ("2026-12-01 22:00:00+01:00", "2026-12-01 18:00:00+01:00", "closes", "a date closes after it opens"),
        ("2026-12-01 18:00:00+01:00", "2026-12-01 17:00:00Z", "closes", "a date closes after it opens"),
        ("2026-12-01 18:00:00", "2026-12-01 22:00:00+01:00", "opens", "a date and time with its offset"),
        ("2026-12-01 18:00:00+01:00", "2026-12-01", "closes", "a date and time with its offset"),
        ('"2026-12-01 18:00:00+01:00"', "2026-12-01 22:00:00+01:00", "opens", "without quotes"),
        ("18:00:00", "2026-12-01 22:00:00+01:00", "opens", "a date and time with its offset"),
        ("2026-12-01 18:00:00+01:00", "2027-12-01 22:00:00+01:00", "closes", "is the year right?"),
    ],
)
def test_bad_date_is_refused_with_its_line(tmp_path, opens, closes, key, sentence):
    found = faults(tmp_path, WEEK[0], (opens, closes, ""))

    assert list(found) == [f"dates[1].{key}"]
    assert sentence in found[f"dates[1].{key}"]
    assert "(line " in found[f"dates[1].{key}"]
    assert "datetime" not in found[f"dates[1].{key}"]


def test_dates_stand_in_order(tmp_path):
    assert "stand in order" in faults(tmp_path / "a", WEEK[2], WEEK[1])["dates[1].opens"]
    year_off = (WEEK[1][0].replace("2026", "2028"), WEEK[1][1].replace("2026", "2028"), "")
    assert "is the year right?" in faults(tmp_path / "b", WEEK[0], year_off)["dates[1].opens"]


def test_missing_and_unknown_keys_are_named(tmp_path):
    found = faults(tmp_path, WEEK[0], ("2026-12-02 18:00:00+01:00", "2026-12-02 22:00:00+01:00", "round = 2"))
    assert list(found) == ["dates[1].round"]

    file = write_dates(tmp_path, WEEK[0])
    file.write_text(file.read_text().replace("closes", "# closes"))
    with pytest.raises(OptionsError, match=r"dates\[0\]\.closes .* is missing"):
        read_league_file(file)


def test_rounds_stand_with_each_date_or_with_none(tmp_path):
    found = faults(tmp_path, (*WEEK[0][:2], "rounds = 2"), WEEK[1])

    assert "of each date or of none" in found["dates[1].rounds"]


def test_dates_have_as_many_rounds_as_the_league(tmp_path):
    one, two = [(*date[:2], "rounds = 2") for date in WEEK[:2]]
    assert "the league has 7" in faults(tmp_path / "a", one, two, bots=6, games=14)["dates"]
    assert "the league has 1" in faults(tmp_path / "b", *WEEK[:2], format="round-robin", games=None)["dates"]
    with_play_off = faults(tmp_path / "c", WEEK[0], bots=6, games=8, play_off=4)
    assert "one of them for the play-off" in with_play_off["dates"]


def test_endless_ladder_has_no_dates(tmp_path):
    assert "says how many it has" in faults(tmp_path, WEEK[0], format="ladder", games=1)["rounds"]


def test_dates_and_budget_exclude_each_other(tmp_path):
    assert "the dates already say" in faults(tmp_path, WEEK[0], budget="8h", games=None)["budget"]


def test_round_drawn_from_results_has_its_own_date_after_them(tmp_path):
    swiss = {"format": "swiss", "rounds": 3, "games": 1, "bots": 6}
    assert "needs its own date" in faults(tmp_path / "a", *WEEK[:2], **swiss)["dates[0].rounds"]

    overlapping = ("2026-12-02 21:00:00+01:00", "2026-12-03 22:00:00+01:00", "")
    found = faults(tmp_path / "b", WEEK[0], WEEK[1], overlapping, **swiss)
    assert "closes at 2026-12-02 21:00 UTC: open it after that" in found["dates[2].opens"]

    file = read_league_file(write_dates(tmp_path / "c", *WEEK[:3], **swiss))
    assert [date.first for date in rounds_of(file)] == [1, 2, 3]


def test_dates_of_a_fixed_schedule_may_overlap(tmp_path):
    overlapping = ("2026-12-01 20:00:00+01:00", "2026-12-03 22:00:00+01:00", "")

    assert len(rounds_of(read_league_file(write_dates(tmp_path, WEEK[0], overlapping)))) == 2


def test_passed_and_distant_dates_are_not_sealed(tmp_path):
    dates = rounds_of(read_league_file(write_dates(tmp_path, *WEEK[:2])))

    check_dates_ahead(dates, dates[0].opens - 30 * 86_400)
    check_dates_ahead(dates, dates[0].opens + 1)
    with pytest.raises(OptionsError, match=r"dates\[0\]\.closes .* it has passed already: is the year right\?"):
        check_dates_ahead(dates, dates[0].closes)
    with pytest.raises(OptionsError, match=r"more than 366 days ahead: is the year right\?"):
        check_dates_ahead(dates, dates[0].opens - 400 * 86_400)
