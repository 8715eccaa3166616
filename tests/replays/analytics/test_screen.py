"""The screen for collusion, over leagues whose tendencies are known."""

from random import Random

import pytest

from arena.replays.analytics.call_rate_model import CallRateModel
from arena.replays.analytics.collusion_screen import SIGNIFICANCE_LEVEL, screen_for_collusion
from arena.replays.analytics.counts import PairSums
from arena.replays.analytics.deviation import CollusionFit
from tests.replays.analytics.talk import Field

PARTNERS = {"bot0", "bot1"}


def flagged_pairs(pairs):
    return [{way.caller for way in each.directions} for each in screen_for_collusion(pairs).flagged_pairs]


def test_pair_that_never_calls_each_other_is_found():
    """Each of eight bots plays twenty games, and the pair shares about nine."""
    leagues = [Field(8, Random(seed)).league(20, PARTNERS) for seed in range(20)]

    assert [flagged_pairs(league.pairs) for league in leagues] == [[PARTNERS]] * 20


def test_no_honest_bots_are_flagged():
    """At level 0.01 two of forty would be many; pairs favour and avoid each other a little."""
    leagues = [Field(8, Random(seed)).league(20) for seed in range(40)]

    assert sum(bool(flagged_pairs(league.pairs)) for league in leagues) <= 1


def test_pair_that_spares_each_other_half_the_time_is_found_in_a_longer_season():
    leagues = [Field(8, Random(seed)).league(60, PARTNERS, spares=0.5) for seed in range(10)]

    assert sum(flagged_pairs(league.pairs) == [PARTNERS] for league in leagues) >= 8


def test_among_five_only_the_colluding_pair_is_found():
    """The pair calls the other three too often, so those three seem to spare each other: pairs are judged singly."""
    leagues = [Field(5, Random(seed)).league(20, PARTNERS) for seed in range(10)]

    assert [flagged_pairs(league.pairs) for league in leagues] == [[PARTNERS]] * 10


def test_team_of_three_is_found_pair_by_pair():
    """Each pair is set aside when it is found, or the first would hide the others."""
    team = {"bot0", "bot1", "bot2"}
    pairs = Field(12, Random(1)).league(40, team).pairs

    assert sorted(map(sorted, flagged_pairs(pairs))) == [["bot0", "bot1"], ["bot0", "bot2"], ["bot1", "bot2"]]


def test_flag_shows_its_evidence():
    pairs = Field(8, Random(3)).league(20, PARTNERS).pairs
    (flag,) = screen_for_collusion(pairs).flagged_pairs

    way, back = flag.directions
    assert (way.caller, way.accused, back.caller, back.accused) == ("bot0", "bot1", "bot1", "bot0")
    assert (way.games, way.chances, way.taken) == (pairs["bot0", "bot1"].games, pairs["bot0", "bot1"].chances, 0)
    assert way.expected > 10
    assert flag.ratio == 0
    assert flag.p < flag.p_of_all < SIGNIFICANCE_LEVEL


def test_pairs_with_few_expected_calls_are_not_judged():
    """Eleven calls, both directions together, are enough; nine are not."""
    names = "abcdef"
    pairs = {(c, a): sums(20, 20) for c in names for a in names if c != a}
    pairs["a", "b"], pairs["b", "a"] = sums(5, 5), sums(6, 6)
    pairs["a", "c"], pairs["c", "a"] = sums(4, 4), sums(5, 5)

    found = screen_for_collusion(pairs)

    assert len(found.pairs) == 14, "one of 15 pairs is not judged"
    assert {each.directions[0].accused for each in found.pairs if each.directions[0].caller == "a"} == set("bdef")


@pytest.mark.parametrize("count", [3, 4])
def test_bots_that_met_few_others_are_not_judged(count):
    """Of four, two that spare each other look like the other two, which call each other too seldom."""
    pairs = Field(count, Random(0)).league(50, PARTNERS, seats=count).pairs

    assert screen_for_collusion(pairs).pairs == ()


def test_empty_data_yields_no_findings():
    assert screen_for_collusion({}).pairs == ()


def sums(taken, expected, games=10):
    """Return the sums of a pair that does the same in every game."""
    each, due = taken / games, expected / games
    squares = games * each * each, games * each * due, games * due * due
    return PairSums(games, 100, taken, expected, expected / 2, *squares)


def test_rarely_called_bot_is_not_sparing_anyone():
    """Honest play is called seldom: all others call b half as often as its games predict, and others more for it."""
    names = "abcdef"
    rates = {name: 0.5 if name == "b" else 1.1 for name in names}
    pairs = {(c, a): sums(40 * rates[a], 40) for c in names for a in names if c != a}

    assert screen_for_collusion(pairs).flagged_pairs == ()
    forecast = CallRateModel(pairs).forecast(("c", "b"))
    assert forecast is not None
    assert forecast.expected == pytest.approx(20, rel=0.01)


def test_pair_is_predicted_from_all_other_pairs():
    """All call half of what is expected except one pair, whose own calls do not count."""
    names = "abcdef"
    pairs = {(c, a): sums(20, 40) for c in names for a in names if c != a}
    pairs["a", "b"] = sums(0, 40)

    forecast = CallRateModel(pairs, {("a", "b"), ("b", "a")}).forecast(("a", "b"))

    assert forecast is not None
    assert forecast.expected == pytest.approx(20)


def test_overdispersed_games_carry_less_evidence():
    """Calls come in bunches, forty in one game and none in the next: equal sums, but less evidence."""
    names = "abcdef"
    even = {(c, a): sums(20, 40) for c in names for a in names if c != a}
    bunched = {pair: each._replace(taken_squared=10 * each.taken_squared) for pair, each in even.items()}

    steady, moody = (CallRateModel(pairs).forecast(("a", "b")) for pairs in (even, bunched))

    assert steady is not None
    assert moody is not None
    assert moody.expected == pytest.approx(steady.expected)
    assert moody.variance > 2 * steady.variance


def test_overdispersed_pairs_widen_the_spread():
    """Pairs alternate between half and one and a half of what is expected: chance cannot do that, so all spread."""
    names = [f"bot{number}" for number in range(8)]
    pairs = {
        (c, a): sums(400 * (1.5 if (i + j) % 2 else 0.5), 400)
        for i, c in enumerate(names)
        for j, a in enumerate(names)
        if c != a
    }

    assert CollusionFit(pairs).spread > 0.3
    assert screen_for_collusion(pairs).flagged_pairs == ()
