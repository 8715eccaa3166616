"""Finds what stands out in a game of Cheat: the largest lie that held, and the largest pile that was taken."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.cards import RANKS, are_of_rank, card_texts
from arena.plurals import format_count
from arena.replays.watch.highlight import Highlight, keep_largest


def find_cheat_highlights(events: Iterable[tuple[int, str, Mapping[str, Any]]]) -> Sequence[Highlight]:
    return keep_largest(_highlights(events))


def _highlights(events: Iterable[tuple[int, str, Mapping[str, Any]]]) -> Iterator[Highlight]:
    turn, lie = -1, None
    for _, name, fields in events:
        turn += name in ("Played", "Passed")
        if name in ("Called", "Believed", "HandChecked"):
            lie = None
        if name == "Called":
            count = sum(fields["taken"])
            yield Highlight("largest pile", count, f"seat {fields['taker']} takes {format_count(count, 'card')}", turn)
        if name in ("Played", "GameEnded"):  # the move before it can no longer be called
            if lie is not None:
                yield lie
            lie = _find_lie(fields, turn) if name == "Played" else None


def _find_lie(move: Mapping[str, Any], turn: int) -> Highlight | None:
    cards, rank = bytes(move["cards"]), move["rank"]
    if is_truthful(cards, move["count"], rank):
        return None
    false_count = sum(not are_of_rank(bytes((card,)), rank) for card in cards) or 1
    laid = " ".join(card_texts(cards)) or "no cards"
    seat, count = move["seat"], move["count"]
    text = f"seat {seat} claims {count} x {RANKS[rank]} with {laid}, and nobody calls"
    return Highlight("largest lie that held", false_count, text, turn)
