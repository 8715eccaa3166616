"""Order terms: the request to a server and the check beforehand agree."""

from dataclasses import replace

import pytest

from arena.errors import ArenaError, OptionsError, UnknownNameError
from arena.games.catalogue import games
from arena.match.referee.match_order import MatchOrder, RequestedTerms, build_terms, terms_from_order
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Seating, Terms
from arena.server.rpc.client import _request_from_order
from arena.server.rpc.match_service import requested_terms

TWO = ("ann", "bob")
GOOD = [
    MatchOrder(TWO),
    MatchOrder(TWO, options={"decks": "2"}, pace=Pace.live_defaults(), seating=Seating.FIXED, seed=bytes(32)),
    MatchOrder(("a", "b", "c"), "cheat", "folk", game_count=10_000, is_rated=False),
    MatchOrder(TWO, "cheater", "cheater", pace=replace(Pace.sealed_defaults(), turn_ms=50, fixed_window=True)),
    MatchOrder(("a", "a"), is_rated=False, pace=replace(Pace.sealed_defaults(), no_deadlines=True)),
]
BAD = [
    MatchOrder(TWO, "chess"),
    MatchOrder(TWO, preset="unheard-of"),
    MatchOrder(TWO, preset="unheard-of", options={"decks": "2"}),
    MatchOrder(TWO, options={"decks": "many", "colour": "red"}, game_count=0, seed=b"short"),
    MatchOrder(TWO, options={"decks": "-1"}, pace=replace(Pace.sealed_defaults(), turn_ms=1, call_ms=9_999_999)),
    MatchOrder(TWO, options={"decks": "1" * 12}),
    MatchOrder(TWO, pace=replace(Pace.live_defaults(), min_call_ms=9_000)),
    MatchOrder(TWO, pace=replace(Pace.live_defaults(), no_deadlines=True)),
    MatchOrder(("ann",)),
    MatchOrder(()),
    MatchOrder(("a", "a")),
    MatchOrder(tuple(map(str, range(101)))),
    MatchOrder(tuple(map(str, range(60)))),
    MatchOrder(TWO, options={f"x{number}": "1" for number in range(101)}),
    MatchOrder(TWO, game_count=10_001),
    MatchOrder(TWO, "cheater", "standard"),
]
ASKED = RequestedTerms("cheat", "standard", TWO, (), "sealed", (), 1, Seating.ROTATED, 0)


def why_refused(order, read) -> tuple[type, str, list[str]] | None:
    """Return the kind and text of a refusal, and the fields it names."""
    try:
        read(order)
    except ArenaError as error:
        return type(error), str(error), [fault.field for fault in getattr(error, "faults", ())]
    return None


def terms_from_request(order: MatchOrder) -> Terms:
    """Return the terms that a server reads from the request for an order."""
    return build_terms(requested_terms(_request_from_order(order)), games()).check()


@pytest.mark.parametrize("order", GOOD)
def test_order_and_request_give_the_same_terms(order):
    assert terms_from_order(order, games()) == terms_from_request(order)


@pytest.mark.parametrize("order", BAD)
def test_order_and_request_are_refused_alike(order):
    refusal = why_refused(order, lambda order: terms_from_order(order, games()))

    assert refusal is not None
    assert refusal == why_refused(order, terms_from_request)


def test_refusal_names_every_error_of_a_request():
    asked = replace(ASKED, options=(("decks", "2"), ("decks", "3")), pace_style="slow", seating=7, seed_length=5)

    with pytest.raises(OptionsError) as refused:
        build_terms(asked, games())

    assert [fault.field for fault in refused.value.faults] == ["decks", "pace", "seating", "seed"]


def test_game_is_looked_up_among_the_given_ones():
    with pytest.raises(UnknownNameError, match="unknown game 'cheat'; known: cheater"):
        build_terms(ASKED, {"cheater": games()["cheater"]})
