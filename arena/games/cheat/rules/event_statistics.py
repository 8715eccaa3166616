"""Counters of each seat, for people to read: lies told and caught, calls right and wrong."""

from collections.abc import Iterator

from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.events import Believed, Called, Event, HandChecked, Passed, Played
from arena.match.game import Seat


def event_statistics(event: Event) -> Iterator[tuple[Seat, str]]:
    """Yield the counters that an event increments, as (seat, counter name).

    The counters are `turns`, `plays`, `lies`, `lies_caught`, `calls_right`, `calls_wrong`, `beliefs_right` and
    `beliefs_wrong`.
    """
    if isinstance(event, Played):
        yield event.seat, "turns"
        yield event.seat, "plays"
        if not is_truthful(event.cards, event.count, event.rank):
            yield event.seat, "lies"
    elif isinstance(event, Passed):
        yield event.seat, "turns"
    elif isinstance(event, Called):
        yield event.caller, "calls_right" if event.right else "calls_wrong"
        if event.right:
            yield event.accused, "lies_caught"
    elif isinstance(event, Believed):
        yield event.believer, "beliefs_right" if event.right else "beliefs_wrong"
    elif isinstance(event, HandChecked) and not event.is_true:
        yield event.seat, "lies_caught"
