"""What an event of CHEATER means to people: a sentence, and the counters of each seat, such as attacks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from arena.games.cheater.rules.cards import NAMES, card_texts
from arena.games.cheater.rules.events import (
    Attacked,
    Busted,
    Dealt,
    DieRolled,
    Discarded,
    Drew,
    Event,
    HandShown,
    Hidden,
    Reshuffled,
    Rolled,
    SeatLeft,
    StartRolled,
    Stopped,
    Taken,
    TookTop,
    Won,
)
from arena.match.game import Seat
from arena.plurals import format_subject

COLOR_NAMES = ("red", "yellow", "purple", "blue")


def describe_event(event: Event) -> str:
    return _NARRATORS[type(event)](event)


def _narrate_dealt(event: Dealt) -> str:
    hands = "; ".join(f"seat {seat} holds {_cards_text(hand)}" for seat, hand in enumerate(event.hands))
    return f"{hands}; {NAMES[event.top]} is turned up, {format_subject(event.draw_count, 'card')} left to draw"


def _narrate_start(event: StartRolled) -> str:
    rolls = ", ".join(f"seat {seat} rolls {first} and {second}" for seat, (first, second) in event.rolls)
    return f"{rolls}: " + ("a tie, roll again" if event.first is None else f"seat {event.first} begins")


def _narrate_rolled(event: Rolled) -> str:
    first, second = event.dice
    rolled = f"seat {event.seat} rolls {first} and {second}"
    if event.is_lost:
        return f"{rolled}: it is the CHEATER no more, and its turn is lost"
    return f"{rolled}: it is the CHEATER now" if first == second else rolled


def _narrate_attacked(event: Attacked) -> str:
    if event.card is None:
        return f"seat {event.seat} demands to see the hand of seat {event.target}"
    card = NAMES[event.card]
    played = card if card == event.attack.name else f"{card} as {event.attack.name}"
    return f"seat {event.seat} plays {played} at seat {event.target}"


def _narrate_left(event: SeatLeft) -> str:
    return f"seat {event.seat} leaves with {_cards_text(event.cards)} and takes place {event.place}"


def _narrate_won(event: Won) -> str:
    if event.color is None:
        return f"seat {event.seat} wins: all others have left"
    titles = "".join(f", {title.value} CHEATER" for title in event.titles)
    return f"seat {event.seat} spells CHEATER in {COLOR_NAMES[event.color]} and wins{titles}"


def _cards_text(cards: Iterable[int]) -> str:
    return " ".join(card_texts(cards)) or "no cards"


_NARRATORS: Mapping[type, Callable[[Any], str]] = {
    Dealt: _narrate_dealt,
    StartRolled: _narrate_start,
    Rolled: _narrate_rolled,
    Drew: lambda event: f"seat {event.seat} draws {_cards_text(event.cards)}",
    TookTop: lambda event: f"seat {event.seat} takes {NAMES[event.card]} from the discard pile",
    Discarded: lambda event: f"seat {event.seat} discards {_cards_text(event.cards)}",
    Attacked: _narrate_attacked,
    Hidden: lambda event: f"seat {event.seat} hides its hand with {NAMES[event.card]}",
    HandShown: lambda event: f"seat {event.seat} shows {_cards_text(event.cards)}",
    DieRolled: "the die shows {0.value}".format,
    Taken: lambda event: f"seat {event.seat} takes {NAMES[event.card]} of seat {event.target}",
    Busted: lambda event: f"seat {event.seat} discards {_cards_text(event.cards)} of seat {event.target}",
    Reshuffled: "the discards are shuffled: {0.draw_count} cards to draw".format,
    SeatLeft: _narrate_left,
    Won: _narrate_won,
    Stopped: lambda _: "the game has lasted too long: nobody wins",
}


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
