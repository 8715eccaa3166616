"""Checks that stored seatings follow from what the matchmaker knew: nobody was favoured."""

from collections.abc import Iterable
from typing import Any

from arena.competition.pools.matchmaking import Seeker, Table, inputs_from_plain, seat_tables
from arena.competition.pools.ports import RoundRow, SeatedBot, SeatingRow


class SeatingCheck:
    """Checks seatings round by round. The same seating of a round is accepted once."""

    def __init__(self) -> None:
        self._accepted: set[tuple[str, str]] = set()
        """The round and the bot that chose, of each table that a seating has taken."""

    def find_faults(self, round_row: RoundRow | None, seatings: Iterable[SeatingRow]) -> list[str]:
        """Return a sentence for each seating of one round that does not follow from the inputs of that round.

        `round_row` is None if the store does not have the round. There may be fewer seatings than the round has tables,
        because a match may have been refused.
        """
        if round_row is None:
            return [_fault(each, f"its round {each.round_id} is not in the store") for each in seatings]
        try:
            tables = _compute_tables(round_row)
        except (ValueError, KeyError, TypeError) as error:
            text = f"the inputs of its round {round_row.round_id} cannot be read: {error!r}"
            return [_fault(each, text) for each in seatings]
        return [
            _fault(each, f"its round {round_row.round_id} does not seat these bots like this")
            for each in seatings
            if not self._accept(each, round_row, tables)
        ]

    def _accept(self, seating: SeatingRow, round_row: RoundRow, tables: list[Any]) -> bool:
        """Return whether a seating is one of these tables, and no seating before it was the same."""
        key = round_row.round_id, str(seating.reason.get("first"))
        is_right = _describe_seating(seating) in tables and seating.pool == round_row.pool
        if not is_right or key in self._accepted:
            return False
        self._accepted.add(key)
        return True


def _fault(seating: SeatingRow, text: str) -> str:
    bots = ", ".join(each.bot for each in seating.seated)
    return f"match {seating.match_id} of {bots}: {text}"


def _compute_tables(round_row: RoundRow) -> list[Any]:
    """Return the tables of a round, described like seatings. Raises ValueError, KeyError or TypeError."""
    inputs = inputs_from_plain(round_row.inputs)
    if inputs.round_id != round_row.round_id:
        raise ValueError(f"they are of round {inputs.round_id}")
    return [_describe_table(table) for table in seat_tables(inputs)]


def _describe_table(table: Table) -> Any:
    return [(_describe_seat(each), each.bot in table.house) for each in table.seated], table.describe_reason()


def _describe_seating(seating: SeatingRow) -> Any:
    return [(_describe_seat(each), each.is_house) for each in seating.seated], dict(seating.reason)


def _describe_seat(each: Seeker | SeatedBot) -> Any:
    return each.bot, each.version, each.owner, each.instance, each.rating, each.spread, each.waited_s
