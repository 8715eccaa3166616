"""What each value of an observation of Cheat, and each action, means."""

from dataclasses import fields
from enum import Enum
from typing import Final

from arena.games.arrays import Layout, LayoutRow
from arena.games.cheat.arrays.card_counts import KINDS
from arena.games.cheat.rules.cards import RANK_COUNT
from arena.games.cheat.rules.ruleset import Ruleset

MAX_SEATS: Final = 10
MAX_DECKS: Final = 2
MAX_CLAIM: Final = 12
"""The largest number of cards that a claim of the encoding `steps` may name: the most that two packs allow."""
MAX_MACRO_CLAIM: Final = 8
"""The same for `macro`."""
MOVE_COUNT: Final = 16
"""Number of moves and passes that an observation remembers."""

CLAIM_COUNTS: Final = MAX_CLAIM + 1
MACRO_PLAYS: Final = (MAX_MACRO_CLAIM + 1) * (MAX_MACRO_CLAIM + 2) // 2
"""For each rank, the pairs of a claimed number and a number of true cards that is not larger."""

STEPS: Final = "steps"
MACRO: Final = "macro"

_UNUSED_OPTIONS: Final = (
    "players_min",
    "players_max",
    "first_mover",
    "deal",
    "extra_cards_to",
    "caller_priority",
    "max_turns",
)
"""Options that say nothing about the play after the deal in the sealed style."""


def option_values(rules: Ruleset, seat_count: int) -> dict[str, list[int]]:
    """Return the options as numbers, by name: a flag or number as itself, a choice as a number for each value.

    >>> option_values(Ruleset(), 4)["check"], option_values(Ruleset(), 4)["max_count"]
    ([0, 0, 1, 0], [6])
    """
    values: dict[str, list[int]] = {}
    numbers = {"decks": rules.decks_for(seat_count), "max_count": rules.max_claim(seat_count)}
    for field in fields(rules):
        if field.name in _UNUSED_OPTIONS:
            continue
        value = numbers.get(field.name, getattr(rules, field.name))
        if isinstance(value, tuple):
            values[field.name] = [int(each in value) for each in type(getattr(Ruleset(), field.name)[0])]
        elif isinstance(value, Enum):
            values[field.name] = [int(each is value) for each in type(value)]
        else:
            values[field.name] = [int(value)]
    return values


def _option_rows() -> list[LayoutRow]:
    rows = []
    for name, values in option_values(Ruleset(), 2).items():
        example = getattr(Ruleset(), name)
        kind = type(example[0]) if isinstance(example, tuple) else type(example)
        choices = ", ".join(each.value for each in kind) if issubclass(kind, Enum) else "its value"
        rows.append(LayoutRow(f"option_{name}", len(values), f"the option {name}: {choices}"))
    return rows


def _claim_rows(name: str, meaning: str) -> list[LayoutRow]:
    """Return the rows of a claim. All are 0 if there is none."""
    return [
        LayoutRow(f"{name}_rank", RANK_COUNT, f"the rank of {meaning}, one of 13; all 0 if there is none"),
        LayoutRow(f"{name}_count", 1, f"the number of {meaning}"),
        LayoutRow(f"{name}_seat", MAX_SEATS, f"whose claim is {meaning}"),
    ]


OBSERVATION: Final = Layout(
    [
        LayoutRow("hand", KINDS, "own cards of each rank, A to K, then jokers"),
        LayoutRow("claimed_rank", RANK_COUNT, "`steps`: the rank that the seat has just claimed, while it lays cards"),
        LayoutRow("claimed_count", 1, "`steps`: the number that it has just claimed"),
        LayoutRow("laid", KINDS, "`steps`: the cards of each rank that it has chosen for this claim so far"),
        LayoutRow("phase", 4, "one of: a turn, a window, a final window, laying the cards of a claim"),
        LayoutRow("seats", 1, "number of seats"),
        LayoutRow("sizes", MAX_SEATS, "cards in each hand; -1 if hidden"),
        LayoutRow("places", MAX_SEATS, "place of each seat; 0 while it plays"),
        LayoutRow("passed", MAX_SEATS, "1 for each seat that has passed"),
        LayoutRow("to_move", MAX_SEATS, "1 for the seat to move; all 0 in a final window"),
        LayoutRow("pile", 1, "cards on the pile; -1 if hidden"),
        LayoutRow("banished", 1, "cards out of the game; -1 if hidden"),
        LayoutRow(
            "pile_known", KINDS, "cards of each rank that the seat knows to be on the pile: its own, and open ones"
        ),
        LayoutRow("banished_known", KINDS, "cards of each rank that it knows to be out of the game"),
        *_claim_rows("lead", "the claim to follow"),
        LayoutRow("required_rank", RANK_COUNT, "the only rank that may be claimed; all 0 without a rotation"),
        *_claim_rows("last", "the claim that may be called"),
        LayoutRow(
            "known",
            (MAX_SEATS - 1) * KINDS,
            "for each other seat clockwise: at least how many cards of each rank it holds, by what the seat was shown",
        ),
        LayoutRow("move_seat", MOVE_COUNT, "the last moves and passes, newest first: seat from 1; 0 if there was none"),
        LayoutRow("move_rank", MOVE_COUNT, "the same: claimed rank from 1; 0 for a pass"),
        LayoutRow("move_count", MOVE_COUNT, "the same: claimed number"),
        LayoutRow("move_laid", MOVE_COUNT, "the same: cards laid; -1 if hidden"),
        LayoutRow("move_caller", MOVE_COUNT, "the same: the seat, from 1, that called or believed it; 0 if none did"),
        LayoutRow(
            "move_verdict",
            MOVE_COUNT,
            "the same: 1 called and true, 2 called and a lie, 3 believed and true, 4 believed and a lie, 5 laid open, "
            "6 checked and true, 7 checked and a lie",
        ),
        LayoutRow(
            "record",
            4 * MAX_SEATS,
            "for each seat: lies found, true moves found, right calls, wrong calls; 127 at most",
        ),
        LayoutRow("progress", 1, "moves and passes so far, as a part of max_turns, from 0 to 127"),
        *_option_rows(),
    ]
)
"""Seats are counted clockwise from the observer, which is seat 0. Rows by seat have ten values; unused ones are 0."""

_ANSWERS: Final = (
    LayoutRow("pass", 1, "pass"),
    LayoutRow("call", 1, "call the last move"),
    LayoutRow("believe", 1, "believe the last move"),
    LayoutRow("decline", 1, "neither call nor believe it"),
)

ACTIONS: Final = {
    STEPS: Layout(
        [
            *_ANSWERS,
            LayoutRow("claim", RANK_COUNT * CLAIM_COUNTS, "claim a rank and a number of cards: 13 x rank + number"),
            LayoutRow("card", KINDS, "lay one card of this rank, or a joker, for the claim; ranks in ascending order"),
            LayoutRow("done", 1, "lay no further card; only where the number laid may differ from the number claimed"),
        ]
    ),
    MACRO: Layout(
        [
            *_ANSWERS,
            LayoutRow(
                "play",
                RANK_COUNT * MACRO_PLAYS,
                "claim a rank and a number, and lay this many true cards: 45 x rank + number x (number + 1) / 2 + true",
            ),
        ]
    ),
}
