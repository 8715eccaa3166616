"""What `arena compare` plays, as its options say."""

import pytest

from arena.cli.compare.options import CompareOptions, TableOptions
from arena.cli.compare.request import CompareRequest
from arena.cli.options import RulesOptions


@pytest.mark.parametrize(
    ("rules", "played"),
    [
        (RulesOptions(), ("cheat", "standard")),
        (RulesOptions(game="cheater"), ("cheater", "cheater")),
        (RulesOptions(preset="folk"), ("cheat", "folk")),
    ],
)
def test_default_preset_is_the_first_of_the_game(rules, played):
    options = CompareOptions("sample:honest", "sample:gambler", table=TableOptions(rules=rules))

    terms = CompareRequest(options).to_comparison().terms

    assert (terms.game.name, terms.preset) == played
