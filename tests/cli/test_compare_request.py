"""What `arena compare` plays, as its options say."""

import pytest

from arena.cli.compare.options import CompareOptions, TableOptions
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
