"""Small helpers for tests that play a story to a bot and look at its table."""

from cheatarena import Bot, Claim, Decline, Table
from cheatarena.testing import Rehearsal, Script


class Onlooker(Bot):
    """Passes or lies minimally, and never calls."""

    def turn(self, table, options):
        return options.pass_() or options.smallest_lie()

    def call_window(self, table, claim):
        return Decline()


def table_after(story: Script) -> Table:
    """Return what a seat knows at the end of a story."""
    rehearsal = Rehearsal(Onlooker)
    for message in story:
        rehearsal.take(message)
    table: Table = rehearsal.table
    return table


def last_claim(table: Table) -> Claim:
    """Return the claim on top of the pile."""
    claim = table.last_claim
    assert claim is not None
    return claim


def text(cards) -> str:
    """Return cards as text."""
    return " ".join(map(str, cards))
