"""What `arena compare` plays, as its options say."""

import pytest

from arena.cli.compare.options import CompareOptions, SequentialTestOptions, TableOptions
from arena.cli.compare.request import CompareRequest
from arena.cli.options import RulesOptions


@pytest.mark.parametrize(
    ("rules", "bots", "played"),
    [
        (RulesOptions(), ("honest", "gambler"), ("cheat", "standard")),
        (RulesOptions(game="cheater"), ("denier", "cautious"), ("cheater", "cheater")),
        (RulesOptions(preset="folk"), ("honest", "gambler"), ("cheat", "folk")),
    ],
)
def test_default_preset_is_the_first_of_the_game(rules, bots, played):
    candidate, baseline = (f"sample:{name}" for name in bots)
    options = CompareOptions(candidate, baseline, table=TableOptions(rules=rules))

    terms = CompareRequest(options).to_comparison().terms

    assert (terms.game.name, terms.preset) == played


def test_tries_of_a_branch_never_continue_each_other():
    """Without a number the request is identified as before there were any."""
    tests = [SequentialTestOptions(try_=number) for number in (None, 1, 2)]
    asked = [CompareRequest(CompareOptions("sample:honest", "sample:gambler", test=each)) for each in tests]
    only, first, second = (each.to_comparison().to_values() for each in asked)

    assert "try" not in only
    assert first == {**only, "try": 1}
    assert second == {**only, "try": 2}
