"""A match that was cut off, taken up on another node: its records, as that node would have written them."""

from collections.abc import Sequence

from arena.errors import JournalError
from arena.match.inputs import rebase_record, record_times
from arena.match.scalars import Instant


def rebase_records(records: Sequence[bytes], number: int, now: Instant) -> list[bytes]:
    """Give a match's records under another number, with all instants moved so that the last of them is now.

    Between them nothing changes, so that the match goes on as if no time had passed since it was cut off. Raises
    JournalError where the match has lasted for longer than the node's clock has run.
    """
    first, last = record_times(records[0])[0], max(record_times(record)[1] for record in records)
    if first + now < last:
        raise JournalError("the match has lasted for longer than the clock of its new node can tell")
    return [rebase_record(record, number, now - last) for record in records]
