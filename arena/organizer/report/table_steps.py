"""The drawn table at each line of a game, as what has changed since the line before: what the player reads.

A game of 2,000 turns has some 5,000 lines, so a step costs a few bytes. Hands are changed card by card, and of the
groups of cards in a row, such as the moves of a pile, those that stay at the bottom are counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from arena.replays.watch.drawing import CardFace, DrawnCards, DrawnRow, DrawnSeat

Table = tuple[Sequence[DrawnSeat], Sequence[DrawnRow]]
_NO_CARDS = DrawnCards()


def describe_faces(faces: Mapping[str, CardFace]) -> list[tuple[str, str, str, str]]:
    """Return each card with its title, symbol and colour, in the order in which hands are sorted."""
    return [(card, face.title, face.symbol, face.colour) for card, face in faces.items()]


def describe_changes(tables: Iterable[Table]) -> Iterator[dict[str, Any]]:
    """Yield for each table what differs from the one before. What does not differ is left out.

    The keys are `h` for hands and `s` for notes, each by seat, `t` for pairs of a label and its row, and `o` for the
    order of the labels.
    """
    hands, notes, rows = list[DrawnCards](), list[list[Any]](), dict[str, DrawnRow]()
    for seats, centre in tables:
        now = {row.label: row for row in centre}
        changes = {
            "h": {s.seat: words for s in seats if (words := _change_hand(_at(hands, s.seat, _NO_CARDS), s.hand))},
            "s": {s.seat: told for s in seats if (told := _describe_notes(s)) != _at(notes, s.seat, None)},
            "t": [(label, _change_row(rows.get(label), row)) for label, row in now.items() if rows.get(label) != row],
            "o": list(now) if list(now) != list(rows) else (),
        }
        yield {key: part for key, part in changes.items() if part}
        hands, notes, rows = [s.hand for s in seats], [_describe_notes(s) for s in seats], now


def _at(values: Sequence[Any], index: int, default: Any) -> Any:
    return values[index] if index < len(values) else default


def _describe_notes(seat: DrawnSeat) -> list[Any]:
    return [seat.place, int(seat.is_asked), seat.turn_note, *seat.badges]


def _change_hand(old: DrawnCards, new: DrawnCards) -> str:
    """Return words that change a hand: `-` takes a card away, `+` adds one, `=` says how many lie face down.

    >>> _change_hand(DrawnCards(("RE",), 2), DrawnCards(("RE",), 0, own_faces=("4C",)))
    '+~4C =0'
    """
    if old == new:
        return ""
    before, after = _count_cards(old), _count_cards(new)
    words = [
        *(f"-{card}" for card in (before - after).elements()),
        *(f"+{card}" for card in (after - before).elements()),
    ]
    if old.back_count != new.back_count:
        words.append(f"={'?' if new.back_count is None else new.back_count}")
    return " ".join(words)


def _count_cards(cards: DrawnCards) -> Counter[str]:
    """Count cards by their texts, with `~` before those that only their owner knows."""
    return Counter([*cards.faces, *(f"~{card}" for card in cards.own_faces)])


def _change_row(old: DrawnRow | None, new: DrawnRow) -> tuple[Any, ...]:
    """Return the text of a row, how many of its groups of cards stay, the groups after these, and its dice."""
    before = () if old is None else old.cards
    kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, new.cards, strict=False)))
    return new.text, kept, [_describe_group(group) for group in new.cards[kept:]], new.dice


def _describe_group(group: DrawnCards) -> tuple[Any, ...]:
    return group.seat, group.claim, int(group.is_lie), _change_hand(_NO_CARDS, group)
