"""Counters of each seat, for people to read: doubles, attacks and their results."""

from collections.abc import Iterator

from arena.games.cheater.rules.events import Attacked, Busted, Event, Hidden, Rolled, Taken, Won
from arena.match.game import Seat


def event_statistics(event: Event) -> Iterator[tuple[Seat, str]]:
    """Yield the counters that an event increments, as (seat, counter name)."""
    match event:
        case Rolled():
            yield event.seat, "turns"
            if event.is_lost:
                yield event.seat, "turns_lost"
            elif event.dice[0] == event.dice[1]:
                yield event.seat, "markers"
        case Attacked():
            yield event.seat, "attacks"
        case Hidden():
            yield event.seat, "hides"
        case Taken():
            yield event.seat, "cards_taken"
        case Busted():
            yield from [(event.seat, "cards_busted")] * len(event.cards)
        case Won():
            yield from [(event.seat, f"titles_{title.value}") for title in event.titles]
        case _:
            return
