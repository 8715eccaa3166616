"""How many games a sealed league has: the published verifier agrees with the formats."""

import runpy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.competition.formats import Format
from arena.competition.formats.rotation import Rotation, rotation_schedule
from arena.competition.league.field import Entry, Field
from arena.competition.league.model import Entrant
from arena.organizer.file.league_format import build_format, format_settings

VERIFIER = runpy.run_path(str(Path(__file__).parents[2] / "arena" / "verify" / "verify_league.py"))


def field_of(people: int, seats: int) -> Field:
    return Field(tuple(Entry(Entrant(f"bot{number}", "", "", "")) for number in range(people)), seats, b"seed")


def published_league(
    form: Format, people: int, seats: int, games: int, kinds: Sequence[str] = ("closed",)
) -> dict[str, Any]:
    """Return the site's account of a league in which this many games count."""
    values: Mapping[str, Any] = {"name": "", "block": 0, "attempt": 0}
    return {
        "sealed": {"format": {"name": form.name, **format_settings(form)}, "seats": seats, "entrants": [{}] * people},
        "acts": [{"number": number, "kind": kind, "values": values} for number, kind in enumerate(kinds, 1)],
        "attempts": [{"block": 1, "attempt": 0, "is_done": True, "games": [{}] * games}],
    }


def holds(league: Mapping[str, Any]) -> bool | None:
    ((answer, _),) = VERIFIER["check_length"](league)
    return answer if answer is None else bool(answer)


FORMS = [
    *(("season", {"games": games, "tables": tables}) for games in (10, 13, 16) for tables in (1, 2, 4)),
    ("gauntlet", {"games": 13, "challenger": "bot0"}),
    *(("round-robin", {"passes": passes, "tables": tables}) for passes in (1, 3) for tables in (1, 4)),
    ("swiss", {"rounds": 3}),
    ("swiss", {"rounds": 3, "games": 5}),
    ("knockout", {}),
    ("knockout", {"games": 2}),
    ("ladder", {"rounds": 7}),
]


@pytest.mark.parametrize(("name", "settings"), FORMS)
def test_exact_number_of_games_of_a_format_is_accepted_and_no_other(name, settings):
    form = build_format(name, settings)
    for seats in (2, 3, 4, 5):
        for people in range(seats, 28):
            games = form.size(field_of(people, seats)).games or 0
            assert [holds(published_league(form, people, seats, games + more)) for more in (-1, 0, 1)] == [
                False,
                True,
                False,
            ]


@pytest.mark.parametrize("games", range(9, 15))
@pytest.mark.parametrize("tables", [1, 4])
def test_season_with_late_entrant_is_at_most_one_game_shorter(games, tables):
    """Whether its last table is alone depends on the number of entrants then."""
    form = build_format("season", {"games": games, "tables": tables})
    for since in (2, 3, 4):
        field = field_of(8, 3)
        field = replace(field, entries=(*field.entries, Entry(Entrant("late", "", "", ""), since)))
        drawn = rotation_schedule(Rotation(field, games, tables))
        played = sum(len(block.tables) for number in range(1, 20) for block in drawn.round_blocks(number))

        assert holds(published_league(form, 8, 3, played, ("add", "closed"))) is True
        assert holds(published_league(form, 8, 3, games - 2, ("add", "closed"))) is False


def test_leaver_shortens_no_fixed_schedule():
    form = build_format("season", {"games": 10})

    assert holds(published_league(form, 6, 3, 10, ("withdraw", "closed"))) is True
    assert holds(published_league(form, 6, 3, 6, ("withdraw", "disqualify", "closed"))) is False


@pytest.mark.parametrize(
    ("name", "settings", "kinds"),
    [
        ("swiss", {"rounds": 3}, ("withdraw", "closed")),
        ("swiss", {"rounds": 3}, ("add", "closed")),
        ("knockout", {}, ("disqualify", "closed")),
        ("ladder", {"rounds": 3, "budget_s": 60.0}, ("closed",)),
        ("ladder", {}, ("closed",)),
        ("season", {"games": 10}, ()),
    ],
)
def test_length_depending_on_entrants_or_clock_cannot_be_verified(name, settings, kinds):
    assert holds(published_league(build_format(name, settings), 6, 3, 5, kinds)) is None


def test_disqualification_after_the_end_shortens_nothing():
    form = build_format("swiss", {"rounds": 3})

    assert holds(published_league(form, 6, 3, 18, ("closed", "disqualify"))) is True
    assert holds(published_league(form, 6, 3, 12, ("closed", "disqualify"))) is False


def test_play_off_is_played_completely_or_not_at_all():
    form = build_format("season", {"games": 10, "play_off": 4})
    answers = {games: holds(published_league(form, 12, 3, games)) for games in range(8, 17)}

    assert answers == {
        8: False, 9: False, 10: None, 11: False, 12: False, 13: True, 14: True, 15: False, 16: False,
    }  # fmt: skip
    one_round = build_format("season", {"games": 10, "play_off": 5, "play_off_rounds": 1, "tables": 1})
    assert [holds(published_league(one_round, 12, 3, games)) for games in (10, 14, 15)] == [None, False, True]
    short = build_format("season", {"games": 10, "play_off": 5, "tables": 1})
    assert {games: holds(published_league(short, 12, 3, games)) for games in (10, 14, 15)} == {
        10: None,
        14: False,
        15: True,
    }


@pytest.mark.parametrize("games", range(20, 27))
def test_season_that_keeps_owners_apart_is_at_most_one_game_shorter(games):
    """Its number of tables in a round depends on the owners, which the verifier does not work out."""
    form = build_format("season", {"games": games, "tables": 4})
    for people, owned in ((8, 2), (8, 3), (12, 3), (16, 2), (20, 2)):
        entrants = [{"name": f"bot{number}", "owner": "ann" * (number < owned)} for number in range(people)]
        field = Field(tuple(Entry(Entrant(each["name"], each["owner"])) for each in entrants), 4, b"seed")
        played = form.size(field).games or 0
        for counted, expected in ((played, True), (games - 2, False), (games + 1, False)):
            told = published_league(form, people, 4, counted)
            told["sealed"] |= {"entrants": entrants, "schedule": "schedule-v2"}
            assert holds(told) is expected


def test_play_off_of_several_rounds_may_end_after_each():
    """Whether one leads after a round, the verifier cannot tell. After the last round the play-off is over."""
    form = build_format("season", {"games": 100, "play_off": 25, "play_off_rounds": 3, "tables": 1})
    answers = {games: holds(published_league(form, 12, 3, games)) for games in range(99, 127)}

    assert {games for games, answer in answers.items() if answer is None} == {100, 108, 116}
    assert {games for games, answer in answers.items() if answer} == {125}


def test_round_of_a_play_off_may_lack_a_game_alone_in_its_block():
    form = build_format("season", {"games": 100, "play_off": 16, "play_off_rounds": 2, "tables": 4})
    answers = {games: holds(published_league(form, 12, 3, games)) for games in range(99, 118)}

    assert {games for games, answer in answers.items() if answer is None} == {100, 107, 108}
    assert {games for games, answer in answers.items() if answer} == {114, 115, 116}
