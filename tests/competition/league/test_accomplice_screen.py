"""The screen for accomplices, over leagues whose bots are known."""

from dataclasses import replace

import numpy as np
import pytest

from arena.competition.league.accomplice_screen import SIGNIFICANCE_LEVEL, screen_for_accomplices
from tests.competition.league.leagues import block, play_league
from tools.studies.accomplices import HONEST, Kind, play, simulate_leagues

ACCOMPLICE = Kind("always last", sinks=1.0, games=400)


@pytest.fixture(scope="module")
def with_accomplice():
    return [*play(ACCOMPLICE, np.random.default_rng(1))]


def test_flag_shows_its_evidence(with_accomplice):
    """Seven beside two: all last places are counted again from the results."""
    (flag,) = screen_for_accomplices(with_accomplice)

    tables = [each.tables[0] for each in with_accomplice]
    own = [(each, each.places[each.seats.index("bot7")] == 4) for each in tables if "bot7" in each.seats]
    beside = [is_last for each, is_last in own if "bot2" in each.seats]
    assert (flag.entrant, flag.other) == ("bot7", "bot2")
    assert (flag.games, flag.last_places) == (len(beside), len(beside))
    assert flag.games_elsewhere + flag.games == len(own)
    assert flag.last_places_elsewhere + flag.last_places == sum(is_last for _, is_last in own)
    assert flag.last_places_elsewhere / flag.games_elsewhere < flag.expected / flag.games < 0.7
    assert flag.p_corrected < SIGNIFICANCE_LEVEL


def test_order_of_results_does_not_matter(with_accomplice):
    assert screen_for_accomplices(with_accomplice[::-1]) == screen_for_accomplices(with_accomplice)


def test_coming_last_everywhere_helps_nobody():
    """Bot0 loses every game, and beside bot1, which wins nearly all, everybody comes last more often."""
    results = play_league(np.random.default_rng(1), [-50, 4, *[0.0] * 6], 150)

    assert screen_for_accomplices(results) == ()


@pytest.mark.parametrize("games", [1, 12])
def test_few_games_prove_nothing(games):
    kind = replace(ACCOMPLICE, games=games)

    assert screen_for_accomplices([*play(kind, np.random.default_rng(1))]) == ()


def test_no_results_have_no_flags():
    assert screen_for_accomplices([]) == ()


def test_those_who_always_sit_together_are_not_judged():
    """Of four at tables of four nobody plays elsewhere."""
    results = [block(number, "ann 1 | bob 2 | cid 3 | dan 4") for number in range(1, 101)]

    assert screen_for_accomplices(results) == ()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [HONEST[0], HONEST[3]], ids=["Plackett-Luce", "triples"])
def test_honest_bots_are_rarely_flagged(kind):
    """A short version of `make accomplice-statistics`: at 1 %, chance flags four of 100 in 2 % of runs."""
    assert sum(each.wrong for each in simulate_leagues(kind, leagues=100)) <= 3


@pytest.mark.slow
def test_accomplice_is_found():
    """Always last beside the third: found after 400 games, and nobody else is."""
    found = simulate_leagues(ACCOMPLICE, leagues=20)

    assert sum(each.found for each in found) >= 19
    assert sum(each.wrong for each in found) <= 1
