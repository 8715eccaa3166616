"""Stored seatings are compared with what the matchmaker computes from the stored inputs of their round."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest

from arena.competition.pools.matchmaking import MatchmakingInput, Seeker, describe_inputs, seat_tables
from arena.competition.pools.ports import RoundRow, SeatedBot, SeatingRow
from arena.competition.pools.seating_check import SeatingCheck
from arena.match.referee.ports import MatchId

ROUND = "01JZ8QK3T5V7X9B2D4F6H8M0NP"


def seeker(name: str, **changes: Any) -> Seeker:
    return replace(Seeker(name, "one", f"owner of {name}", "1", 1500.0, 80.0, 1.5), **changes)


INPUTS = MatchmakingInput(
    ROUND,
    2,
    (seeker("ann", rating=1600.0), seeker("bob", rating=1590.0), seeker("cid"), seeker("dan", waited_s=9.0)),
    (seeker("house-x", owner=""),),
    2.0,
    {frozenset(("ann", "bob")): 3},
)


def stored_round(inputs: MatchmakingInput = INPUTS) -> RoundRow:
    """Return a round as the store gives it back: its inputs have been JSON."""
    return RoundRow(ROUND, "standard", 1.0, json.loads(json.dumps(describe_inputs(inputs))))


def seatings(inputs: MatchmakingInput = INPUTS) -> list[SeatingRow]:
    """Return the seatings of all tables of a round."""
    rows = []
    for number, table in enumerate(seat_tables(inputs)):
        seated = tuple(SeatedBot(**asdict(each), is_house=each.bot in table.house) for each in table.seated)
        match_id, reason = MatchId(f"M{number}"), json.loads(json.dumps(table.describe_reason()))
        rows.append(SeatingRow(match_id, "standard", 1, ROUND, 1.0, True, seated, reason))
    return rows


def test_seatings_of_a_round_follow_from_its_inputs():
    assert len(seatings()) == 2
    assert SeatingCheck().find_faults(stored_round(), seatings()) == []


def test_house_bot_at_the_table_follows_too():
    alone = replace(INPUTS, seekers=(seeker("ann", waited_s=2.0),))

    assert SeatingCheck().find_faults(stored_round(alone), seatings(alone)) == []


def test_table_without_a_seating_is_no_fault():
    """The match of a table may have been refused."""
    assert SeatingCheck().find_faults(stored_round(), seatings()[1:]) == []


def swap_seats(row: SeatingRow) -> SeatingRow:
    return replace(row, seated=row.seated[::-1])


def exchange_bot(row: SeatingRow) -> SeatingRow:
    return replace(row, seated=(replace(row.seated[0], bot="eve"), *row.seated[1:]))


def change_rating(row: SeatingRow) -> SeatingRow:
    return replace(row, seated=(replace(row.seated[0], rating=1.0), *row.seated[1:]))


def change_version(row: SeatingRow) -> SeatingRow:
    return replace(row, seated=(replace(row.seated[0], version="2"), *row.seated[1:]))


def claim_house(row: SeatingRow) -> SeatingRow:
    return replace(row, seated=(replace(row.seated[0], is_house=True), *row.seated[1:]))


def change_cost(row: SeatingRow) -> SeatingRow:
    return replace(row, reason={**row.reason, "costs": dict.fromkeys(row.reason["costs"], 0.001)})


def move_to_other_pool(row: SeatingRow) -> SeatingRow:
    return replace(row, pool="other")


@pytest.mark.parametrize(
    "edit",
    [swap_seats, exchange_bot, change_rating, change_version, claim_house, change_cost, move_to_other_pool],
)
def test_edited_seating_is_named(edit: Callable[[SeatingRow], SeatingRow]):
    rows = seatings()

    faults = SeatingCheck().find_faults(stored_round(), [edit(rows[0]), *rows[1:]])

    assert len(faults) == 1
    assert "M0" in faults[0]


def test_edited_inputs_are_found():
    """Somebody who waited longer would have chosen first."""
    edited = replace(
        INPUTS, seekers=(*INPUTS.seekers[:2], replace(INPUTS.seekers[2], waited_s=99.0), INPUTS.seekers[3])
    )

    assert SeatingCheck().find_faults(stored_round(edited), seatings())


def test_second_match_of_the_same_table_is_found():
    """Also if it is checked later, with another page of seatings."""
    check, (first, _) = SeatingCheck(), seatings()
    check.find_faults(stored_round(), [first])

    (fault,) = check.find_faults(stored_round(), [replace(first, match_id=MatchId("again"))])

    assert "again" in fault


def test_missing_round_and_damaged_inputs_are_faults():
    check, rows = SeatingCheck(), seatings()

    assert len(check.find_faults(None, rows)) == 2
    assert len(check.find_faults(replace(stored_round(), inputs={"round_id": ROUND}), rows)) == 2
    assert len(check.find_faults(replace(stored_round(), round_id="other"), rows)) == 2
