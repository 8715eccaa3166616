"""Checks that stored seatings follow from what the matchmaker knew: nobody was favoured."""

from collections.abc import Iterable
from typing import Any

from arena.pools.matchmaking import Table, seat_tables
from arena.pools.ports import RoundRow, SeatingRow
from arena.pools.round_record import inputs_from_plain


def find_seating_faults(round_row: RoundRow | None, seatings: Iterable[SeatingRow]) -> list[str]:
    """Return a sentence for each seating of one round that does not follow from the inputs of that round.

    The round may have made more tables than there are seatings, because a match may have been refused.
    """
    if round_row is None:
        return [f"match {each.match_id}: the store does not have its round {each.round_id}" for each in seatings]
    try:
        tables = _compute_tables(round_row)
    except (ValueError, KeyError, TypeError) as error:
        text = f"the inputs of round {round_row.round_id} cannot be read: {error!r}"
        return [f"match {each.match_id}: {text}" for each in seatings]
    faults = []
    for seating in seatings:
        described = _describe_seating(seating)
        if described in tables and seating.pool == round_row.pool:
            tables.remove(described)
        else:
            bots = ", ".join(each.bot for each in seating.seated)
            faults.append(f"match {seating.match_id}: round {round_row.round_id} does not seat {bots} like this")
    return faults


def _compute_tables(round_row: RoundRow) -> list[Any]:
    """Return the tables of a round, described like seatings. Raises ValueError, KeyError or TypeError."""
    inputs = inputs_from_plain(round_row.inputs)
    if inputs.round_id != round_row.round_id:
        raise ValueError(f"they are of round {inputs.round_id}")
    return [_describe_table(table) for table in seat_tables(inputs)]


def _describe_table(table: Table) -> Any:
    seated = [
        (each.bot, each.version, each.owner, each.instance, each.rating, each.spread, each.waited_s)
        for each in table.seated
    ]
    return seated, [each.bot in table.house for each in table.seated], table.describe_reason()


def _describe_seating(seating: SeatingRow) -> Any:
    seated = [
        (each.bot, each.version, each.owner, each.instance, each.rating, each.spread, each.waited_s)
        for each in seating.seated
    ]
    return seated, [each.is_house for each in seating.seated], dict(seating.reason)
