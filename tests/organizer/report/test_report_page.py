"""A report shows the values that were put in."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arena.competition.league.accomplice_screen import AccompliceEvidence
from arena.competition.league.adjustment import Feature, PlainReason
from arena.competition.league.champion import Champion
from arena.competition.league.doubts import Doubt, Sign
from arena.competition.league.estimates import Interval
from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.model import Entrant
from arena.competition.league.rating import Rating
from arena.competition.league.standings import DecidedBy, Standings, StandingsRow
from arena.competition.league.tie_breaks import TieBreak
from arena.match.referee.facts import StrikeKind
from arena.match.referee.strike_record import ResponseTimes
from arena.organizer.report.play_view import BotPlay, StrikeView
from arena.organizer.report.report_page import render_report
from arena.organizer.report.view import (
    EntrantView,
    LeagueView,
    Progress,
    RatingMoment,
    Seal,
)
from arena.replays.analytics.bot_figures import Ratio
from tests.organizer.report.reading import Page
from tests.support.league_views import make_league_view, make_names

DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"
UNKNOWN = Interval(None, None)
ANN = StandingsRow(
    1, "Ann", 24, 0.625, Interval(0.5625, 0.6875), 11, 1.75, 0, {"late": 2, "illegal": 1}, 3, is_separable=False
)
BOB = StandingsRow(2, "Bob", 24, 0.375, Interval(0.3125, 0.4375), 4, 2.5, 0, {}, 0)
EVE = StandingsRow(None, "Eve", 8, None, UNKNOWN, 0, None, 8, {}, 0)


def table_of(
    *rows: StandingsRow, decided_by: DecidedBy = "points", champion: Champion | None = None, **basis: Any
) -> Standings:
    return Standings(rows, decided_by, champion, **basis)


SMALL = LeagueView(
    title="Spring",
    progress=Progress("over", is_over=True, games_played=1234, games_planned=1234, blocks_played=1),
    ruleset="Cheat",
    pace="sealed",
    format="season",
    entrants=[
        EntrantView(Entrant("Ann")),
        EntrantView(Entrant("Bob")),
        EntrantView(Entrant("Eve"), remark="disqualified"),
    ],
    standings=table_of(ANN, BOB, EVE, champion=Champion("Ann", "score", ("Ann", "Bob"), 0.617)),
)


def page_of(**changes: Any) -> Page:
    return Page(render_report(replace(SMALL, **changes)))


def test_standings_are_as_given():
    rows = page_of().tables["standings/0"]

    assert [[cell.strip() for cell in row] for row in rows[1:]] == [
        ["1", "Ann ≈", "0.625", "", "0.562 to 0.688", "24", "11", "1.75", "0", "3", "3"],
        ["2", "Bob", "0.375", "", "0.312 to 0.438", "24", "4", "2.50", "0", "0", "0"],
        [DASH, "Eve disqualified", DASH, "", "no bounds", "8", "0", DASH, "8", "0", "0"],
    ]  # fmt: skip


def test_champion_and_extent_are_shown_at_the_top():
    words = page_of().words

    assert (
        "Ann has won by the highest score. This may be luck: its score cannot be told apart from those of Bob." in words
    )
    assert "The probability that it is the best is 62 %." in words
    assert "1 234 of 1 234" in words
    assert "in 1 block" in words


@pytest.mark.parametrize(
    ("basis", "sentence"),
    [
        (
            {"explained": {Feature.OPPONENTS: 0.12, Feature.SEAT: -0.001, Feature.HAND: 0.004}},
            "Of the variance of points, this explains 12.3%: opponents 12.0%, the dealt hand 0.4%.",
        ),
        ({"explained": {Feature.OPPONENTS: -0.002}}, "this explains nothing that can be measured here."),
        ({}, "All entrants have the same points in all games"),
        ({"plain_reason": PlainReason.FEW_BLOCKS}, "From 20 blocks on, they are adjusted"),
        ({"plain_reason": PlainReason.FORMAT}, "this format does not draw opponents evenly"),
    ],
    ids=["adjusted", "nothing", "alike", "few", "format"],
)
def test_page_says_what_the_adjustment_explains_or_why_there_is_none(basis, sentence):
    assert sentence in page_of(standings=table_of(ANN, BOB, **basis)).words


def test_entrants_that_come_last_beside_another_one_are_flagged_apart_from_pairs_that_do_not_call():
    flag = AccompliceEvidence("Bob", "Ann", 14, 14, 6.25, 38, 11, 0.0004)

    page = page_of(collusion_method="Calls are compared.", accomplices=[flag])

    assert "No pair is flagged." in page.words
    assert page.tables["collusion/0"][1:] == [["Bob, beside Ann", "14", "14", "6.2", "38", "11", "0.0004"]]
    assert "Nobody is flagged." in page_of(collusion_method="Calls are compared.").words


def test_doubts_stand_beside_the_flags_with_the_score_for_the_title():
    doubt = Doubt("Ann", "Bob", Sign.BEHIND, 14, 13, 8.25, 0.031)
    doubted = replace(SMALL.standings, doubts=(doubt,), title_scores={"Ann": 0.5})

    page = page_of(collusion_method="Calls are compared.", standings=doubted)

    assert page.tables["collusion/0"][1:] == [
        ["Ann, by Bob", "finished behind", "14", "13", "8.2", "0.0310", "0.500"],
    ]
    assert "A doubt proves nothing" in page.words
    assert "Doubts" not in page_of(collusion_method="Calls are compared.").words


def test_chart_is_to_scale():
    rows = [replace(ANN, score=mean, interval=Interval(mean, mean)) for mean in (0.3, 0.2, 0.0)]
    html = render_report(replace(SMALL, standings=table_of(*rows)))

    places = [float(value) for _, name, value in Page(html).attributes if name == "cx"]

    assert (places[0] - places[1]) * 2 == pytest.approx(places[1] - places[2], abs=0.2)
    assert 0 < places[2] < places[0] < 260


def test_running_league_is_marked():
    running = Progress("running", is_over=False, games_played=3, games_planned=12)

    assert "places may still change" in page_of(progress=running).words
    assert "places may still change" not in page_of().words


def test_head_to_head_is_as_given():
    meetings = HeadToHead(("Ann", "Bob", "Eve"), np.array([[0.0, 8, 0], [8, 0, 4], [0, 4, 0]]),
                          np.array([[0, 6, 0], [2, 0, 3.996], [0, 0.004, 0]]))  # fmt: skip
    page = page_of(meetings=meetings)

    rows = [[cell.strip() for cell in row[1:]] for row in page.tables["meetings/0"][1:]]

    assert rows == [["", "75", ""], ["25", "", ">99"], ["", "<1", ""]]
    assert "Ann ahead of Bob: 75 % of 8 games" in page.values("title")


def test_ratings_and_their_comparisons_are_as_given():
    ratings = [Rating("Ann", 1612.4, Interval(1570.0, 1650.0)), Rating("Bob", 1388.0, UNKNOWN)]
    page = page_of(ratings=ratings, win_probabilities=[[None, 0.97], [0.03, None]])

    assert [row[2:5:2] for row in page.tables["ratings/0"][1:]] == [
        ["1 612", "1 570 to 1 650"],
        ["1 388", "no bounds"],
    ]
    assert [row[1:] for row in page.tables["ratings/1"][1:]] == [["", "97"], ["3", ""]]


def test_rating_over_time_is_also_described_in_words():
    early = [Rating("Ann", 1500.0, Interval(1300.0, 1700.0))]
    late = [Rating("Ann", 1601.0, Interval(1550.0, 1650.0)), Rating("Bob", 1400.0, Interval(1350.0, 1450.0))]
    course = [RatingMoment(10, early), RatingMoment(90, late)]

    labels = page_of(course=course).values("aria-label")

    assert "rating 1 500 after 10 games, 1 601 (1 550 to 1 650) after 90" in labels


def test_bluffs_are_as_given_and_few_cases_are_unshaded():
    bands = {"lies_by_count": {"1": Ratio(30, 40), "2": Ratio(1, 2)}}
    figures = {"lies": Ratio(31, 42), "precision": Ratio(1, 4), "recall": Ratio(0, 0), "think_s": Ratio(0.015, 10)}
    page = page_of(play=[BotPlay("Ann", figures, bands, luck=-0.25)])

    assert page.tables["play/0"][0][2:4] == ["Claims that lie", "Calls that are right (precision)"]
    cells = [cell.strip() for cell in page.tables["play/0"][1]]
    assert cells == ["1", "Ann", "74 % 42", "25 % 4", f"{DASH} 0", "1.50 ms 10", f"{MINUS}0.250"]
    assert page.tables["play/1"][1] == ["Ann", "75", "50"]
    assert page.elements["td", ("class", "title"), "s7"] == 1
    assert page.elements["td", ("class", "title"), "faint"] == 1


def test_figure_of_another_game_is_shown_by_name():
    page = page_of(play=[BotPlay("Ann", {"feints": Ratio(3, 2)}, {"feints_by_hour": {"noon": Ratio(1, 40)}})])

    assert page.tables["play/0"][0][2] == "feints"
    assert page.tables["play/0"][1][2] == "1.50 2"
    assert page.tables["play/1"][0][1] == "noon"


def test_unbounded_interval_reaches_the_edge_without_a_mark():
    rows = [Rating("Ann", 1600.0, Interval(1500.0, None)), Rating("Bob", 1400.0, Interval(1300.0, 1450.0))]
    page = page_of(standings=table_of(), ratings=rows)

    whiskers = [(tag, value) for tag, name, value in page.attributes if tag == "path" and name == "d"]
    ends = [float(value) for tag, name, value in page.attributes if tag == "line" and name == "x2"]

    assert [value.count("V") for _, value in whiskers] == [1, 2]
    assert max(ends) == 260 - 14


def test_pairs_that_never_met_are_distinguished():
    rows = [Rating("Ann", 1600.0, UNKNOWN), Rating("Bob", 1400.0, UNKNOWN, group=1)]

    assert "No game decided between these and those above" in page_of(ratings=rows).words
    assert "No game decided between these and those above" not in page_of(ratings=rows[:1]).words


def test_table_decided_by_rating_is_formatted_like_ratings():
    decided = table_of(replace(ANN, score=1612.4, interval=UNKNOWN), decided_by="rating")

    assert page_of(standings=decided).tables["standings/0"][1][2] == "1 612"


def test_tie_break_is_shown_beside_the_place():
    tied = table_of(replace(ANN, tie_break=TieBreak.FIRST_PLACES), BOB)

    assert "by first places" in page_of(standings=tied).tables["standings/0"][1][1]


def test_some_of_many_faults_are_shown_and_the_rest_counted():
    late = StrikeView("Bob", "M", 0, StrikeKind.LATE, "too late", ResponseTimes(), None)
    page = page_of(faults=[replace(late, match_id=f"M{i}", turn=i) for i in range(31)])

    assert len(page.tables["faults/0"]) == 1 + 20
    assert "31 faults: 31 late" in page.words
    assert "and 11 more in" in page.words


def test_unsealed_league_is_labelled():
    assert "was not sealed" in page_of().words
    assert "was not sealed" not in page_of(seal=Seal("abc")).words


@pytest.mark.parametrize("count", [2, 7, 60])
def test_report_of_any_size_is_well_formed_with_valid_links(count):
    page = Page(render_report(make_league_view(make_names(count), is_over=False, game_count=12)))

    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {href[1:] for href in page.values("href") if href.startswith("#")} <= set(ids)


def test_league_without_games_has_a_report():
    assert "Faults" in page_of(standings=table_of(), entrants=[]).words


def test_non_numeric_figure_does_not_break_the_page():
    odd = replace(ANN, score=float("nan"), interval=Interval(float("-inf"), float("inf")))

    html = render_report(replace(SMALL, standings=table_of(odd, BOB)))

    assert "nan" not in html.replace("</nav", "")
    assert ">inf" not in html
