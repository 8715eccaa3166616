"""Deals prepared ahead for a run of matches on the same rules: dealt in order, opened if unused."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from arena.games.catalogue import games
from arena.match.referee.deal import new_secret
from arena.match.referee.pace import Pace
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import Instant
from arena.match.referee.terms import Terms
from arena.server.node.deals import (
    MAX_READY,
    MIN_RUN,
    READY_PER_MATCH,
    RUN_TIMEOUT_US,
    AssignedDeal,
    DealFactory,
    ReadyDeals,
    Sources,
)
from tests.match.referee.driver import MemoryJournal

CHEAT = games()["cheat"]
TERMS = Terms(CHEAT, "standard", CHEAT.build_ruleset("standard", {}), Pace.sealed_defaults(), ("ann", "bob"))
OTHERS = [
    pytest.param(replace(TERMS, ruleset=CHEAT.build_ruleset("standard", {"max_turns": 20})), id="rules"),
    pytest.param(replace(TERMS, entrants=("ann", "bob", "cid")), id="seats"),
    pytest.param(replace(TERMS, pace=Pace.live_defaults()), id="style"),
]


def laid(number: int) -> AssignedDeal:
    match_id = MatchId(f"M{number}")
    return AssignedDeal(number, match_id, new_secret(match_id, TERMS, lambda: bytes(32)), 0.0)


def shoe_after(matches: int) -> ReadyDeals:
    shoe = ReadyDeals()
    for _ in range(matches):
        assert shoe.take(TERMS, 0) is None
    return shoe


def numbers(deals: Iterable[Any]) -> list[int]:
    return [deal.number for deal in deals]


def test_single_match_prepares_no_deals():
    shoe = shoe_after(MIN_RUN - 1)

    assert shoe.shortfall == 0
    assert not shoe.is_low


def test_run_of_matches_prepares_more_deals():
    assert shoe_after(MIN_RUN).shortfall == MIN_RUN * READY_PER_MATCH


def test_number_of_ready_deals_is_bounded():
    assert shoe_after(MAX_READY).shortfall == MAX_READY


def test_deals_are_taken_in_order_by_any_bots():
    shoe = shoe_after(MIN_RUN)
    shoe.add([laid(5), laid(6)], 6)

    taken = [shoe.take(replace(TERMS, entrants=names), 1) for names in (("ann", "bob"), ("cid", "dan"))]

    assert numbers(taken) == [5, 6]


@pytest.mark.parametrize("other", OTHERS)
def test_match_of_another_kind_ends_the_run(other):
    """A deal prepared for one kind cannot be dealt in the other."""
    shoe = shoe_after(MIN_RUN)
    shoe.add([laid(5), laid(6)], 6)

    assert shoe.take(other, 1) is None
    assert numbers(shoe.unused) == [5, 6]
    assert shoe.shortfall == 0


@pytest.mark.parametrize(("now", "is_taken"), [(RUN_TIMEOUT_US, True), (RUN_TIMEOUT_US + 1, False)])
def test_stale_ready_deals_are_not_dealt(now, is_taken):
    shoe = shoe_after(MIN_RUN)
    shoe.add([laid(5)], 5)

    assert (shoe.take(TERMS, now) is not None) is is_taken


def test_deals_before_another_one_of_the_chain_are_not_dealt():
    """Deals are taken in the order of the chain."""
    shoe = shoe_after(MIN_RUN)

    shoe.add([laid(5), laid(6)], 7)

    assert not shoe.ready
    assert numbers(shoe.unused) == [5, 6]


def test_tables_of_a_league_leave_ready_deals_as_they_are():
    """Their deals were made elsewhere, so they get only a number here. Those of a seed come from the same chain."""
    ids = (MatchId(f"M{number}") for number in count())
    factory = DealFactory(MemoryJournal(), Sources(lambda: next(ids), lambda: bytes(32), lambda: 0.0))
    shoe = factory.ready_deals
    for _ in range(MIN_RUN):
        factory.take_deal(TERMS, Instant(0))
    ready = [factory.make_deal(TERMS, Instant(0)) for _ in range(3)]

    table = factory.number_deal(MatchId("L1"), ready[0].secret, 0.0)
    shoe.add(ready, factory.last_made)
    other = factory.number_deal(MatchId("L2"), ready[0].secret, 0.0)
    taken = [factory.take_deal(TERMS, Instant(0)).number for _ in range(2)]
    seeded = factory.take_deal(TERMS, Instant(0), b"seed")

    assert numbers(ready) == [5, 6, 7]
    assert (table.number, other.number) == (8, 9)
    assert taken == [5, 6]
    assert (seeded.number, numbers(shoe.unused)) == (10, [7])


def test_stock_is_refilled_when_half_is_gone():
    """In a run so long that the target no longer grows, each deal taken leaves one missing."""
    shoe, half = shoe_after(MAX_READY), MAX_READY // 2
    shoe.add([laid(number) for number in range(MAX_READY)], MAX_READY - 1)

    is_low = [shoe.is_low]
    while shoe.take(TERMS, 0):
        is_low.append(shoe.is_low)

    assert is_low == [False] * half + [True] * (half + 1)
