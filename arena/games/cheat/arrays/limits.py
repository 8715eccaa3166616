"""Which rulesets of Cheat the arrays can hold."""

from arena.errors import OptionError
from arena.games.cheat.arrays.layout import MACRO, MAX_CLAIM, MAX_DECKS, MAX_MACRO_CLAIM, MAX_SEATS
from arena.games.cheat.rules.ruleset import DealMode, Ruleset


def check_limits(rules: Ruleset, seat_count: int, encoding: str) -> None:
    """Raise OptionError if the arrays cannot hold a game."""
    if seat_count > MAX_SEATS:
        raise OptionError("seats", seat_count, f"expected at most {MAX_SEATS}: the arrays hold no more")
    decks, most = rules.decks_for(seat_count), rules.max_claim(seat_count)
    if decks > MAX_DECKS:
        raise OptionError("decks", decks, f"expected at most {MAX_DECKS}: the arrays count cards up to 127")
    if rules.deal is DealMode.CUT_AND_CHOOSE:
        raise OptionError("deal", rules.deal.value, "the arrays have no action for a cut; use round_robin")
    limit = MAX_MACRO_CLAIM if encoding == MACRO else MAX_CLAIM
    if most > limit:
        raise OptionError("max_count", most, f"expected at most {limit} in the encoding {encoding}")
