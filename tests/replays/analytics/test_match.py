"""Insight into whole matches, as played and stored."""

from dataclasses import replace

import pytest

from arena.errors import StoreError
from arena.games.catalogue import pack_of
from arena.games.cheat.analysis.analyzer import CheatAnalyzer
from arena.games.cheat.analysis.figures import cheat_figures
from arena.games.cheater.analysis import cheater_figures
from arena.practice import play
from arena.replays.analytics.bot_figures import figure_rows
from arena.replays.analytics.counts import AnalyticsTotals
from arena.replays.analytics.match_analytics import analyze_match
from cheatarena import Bot, Call, Decline
from cheatarena.cheater import CheaterBot, Draw


class Truthful(Bot):
    """Bot that lies only when it must."""

    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()


class Doubter(Truthful):
    """Calls what cannot be true."""

    def call_window(self, table, claim):
        return Call() if table.is_impossible(claim) else Decline()


class Liar(Bot):
    """Lays anything, and calls now and then."""

    def turn(self, table, options):
        return options.random_play(table.random)

    def call_window(self, table, claim):
        return Call() if table.random.random() < 0.2 else Decline()


class Hunter(CheaterBot):
    """Bot that draws, and discards what it drew."""

    def act(self, table, options):
        return Draw()


@pytest.fixture(scope="module")
def match():
    """Play a match of three games; seats rotate."""
    return play([Truthful, Doubter, Liar], games=3, seed=5).record


def gather_figures(record):
    found = AnalyticsTotals()
    build_analyzer = pack_of(record.match.game).load_analytics().build_analyzer
    for seats in analyze_match(record.match, record.games, build_analyzer):
        found.add_game(record.match.entrants, seats)
    return found


def share(ratio):
    """Return the value of a ratio."""
    return ratio.amount / ratio.of


def test_insight_agrees_with_the_counts_of_the_match(match):
    """The archive counts lies and judged calls independently."""
    found = gather_figures(match)

    for name, counted in zip(match.match.entrants, match.match.statistics, strict=True):
        figures, sums = cheat_figures(found.counts[name]), found.counts[name]
        assert figures.lies.amount == counted.get("lies", 0)
        assert figures.cards_a_wrong_call.of == counted.get("calls_wrong", 0)
        assert figures.cards_a_right_call.of == counted.get("calls_right", 0)
        assert figures.lies_called.amount == counted.get("lies_caught", 0)
        assert sums["decisions"] == [counted["decisions"]]
        assert figures.play.think_s.value == pytest.approx(counted["think_s"], abs=1e-6)


def test_bot_is_recognised_by_its_play(match):
    """A bot that calls impossible claims is always right; one that calls at random calls a fifth of the lies."""
    found = gather_figures(match).counts

    assert cheat_figures(found["Doubter"]).precision.value == 1
    assert cheat_figures(found["Truthful"]).precision.value is None
    assert cheat_figures(found["Liar"]).recall.value == pytest.approx(0.2, abs=0.1)
    assert share(cheat_figures(found["Liar"]).lies) > share(cheat_figures(found["Truthful"]).lies)


def test_luck_sums_to_zero_over_all_seats(match):
    """It is measured against the mean of each deal."""
    luck = [cheat_figures(counts).play.luck.mean for counts in gather_figures(match).counts.values()]

    assert sum(luck) == pytest.approx(0, abs=0.01)


def test_every_statistic_is_a_row_of_a_table(match):
    lines = list(figure_rows(cheat_figures(gather_figures(match).counts["Liar"])))

    assert ("lies_by_pile", "40+") in [(name, band) for name, band, _ in lines]
    assert len(lines) == 8 + 13 + 7 + 6


def test_match_of_cheater_has_insight_too():
    record = play([Hunter, Hunter, Hunter], games=2, seed=1).record
    figures = [cheater_figures(counts) for counts in gather_figures(record).counts.values()]

    assert sum(each.play.games for each in figures) == 6
    assert sum(each.attacks.of for each in figures) == sum(game.turn_count for game in record.games)


def test_unreadable_events_are_a_store_error(match):
    with pytest.raises(StoreError, match="cannot be read"):
        analyze_match(match.match, [replace(match.games[0], events=b"nothing")], CheatAnalyzer)
