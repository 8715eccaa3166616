"""Describes CHEATER from one seat: what the seat sees, may do, does and learns.

Snapshots and parts of events come from `arena.games.cheater.rules.views`, so they contain nothing that the seat may not
know.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from arena.games.cheater.rules import views
from arena.games.cheater.rules.actions import (
    Action,
    Allow,
    Attack,
    Bust,
    Demand,
    Discard,
    Draw,
    DrawTwo,
    Hide,
    Idle,
    Play,
    Take,
    TakeTop,
)
from arena.games.cheater.rules.cards import NAMES, WILD
from arena.games.cheater.rules.narration import describe_event
from arena.games.cheater.rules.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.match.game import Seat
from arena.plurals import format_count
from arena.replays.narration.phrasing import BriefMove, CardCounts, ToldEvent, join_sentences
from arena.replays.narration.text_format import join_words

REASONS: Mapping[str, str] = {
    "not_now": "this is not the moment for it",
    "not_your_turn": "it is not this seat's turn",
    "not_cheater": "only the CHEATER has powers",
    "not_in_hand": "the hand does not hold those cards",
    "not_playable": "that card cannot be played that way",
    "bad_target": "that seat cannot be attacked",
    "too_many": "those are too many cards",
    "too_few": "those are too few cards",
    "game_over": "the game is over",
}
"""Texts of the refusal codes of the rules (docs/rules/cases.md)."""

_POWERS = {1: "draw two", 2: "take the top discard", 3: "demand a hand"}


class CheaterPhrasing:
    """Implements `arena.replays.narration.phrasing.Phrasing` for CHEATER."""

    def describe_options(self, kind: str, options: Any) -> str:
        match options:
            case ActOptions():
                ways = ["draw", *(_POWERS[power] for power in options.powers)]
                ways += [f"play {NAMES[card]}" for card in options.playable]
                return f"{join_words(ways, 'or')}; targets: {', '.join(f'seat {seat}' for seat in options.targets)}"
            case DiscardOptions(count):
                return f"discard {format_count(count, 'card')}"
            case ReactionOptions(attacker, attack, hiding):
                reactions = join_words(["allow", *(f"hide by {NAMES[card]}" for card in hiding)], "or")
                return f"{attack.name} by seat {attacker}: {reactions}"
            case PickOptions():
                return _pick_options(options)
            case _:
                raise ValueError(f"{options!r} are no options of CHEATER")

    def describe_action(self, action: Action) -> str:
        match action:
            case Draw():
                return "draws"
            case DrawTwo():
                return "draws two"
            case TakeTop():
                return "takes the top discard"
            case Demand(target):
                return f"demands the hand of seat {target}"
            case Play(card, target, wild_as):
                as_attack = "" if wild_as is None else f" as {wild_as.name}"
                return f"plays {_card(card)}{as_attack} at seat {target}"
            case Idle():
                return "draws a card and discards it"
            case Discard(cards) | Bust(cards):
                return f"discards {_cards(cards)}"
            case Allow():
                return "allows"
            case Hide(card):
                return f"hides by {_card(card)}"
            case Take(card, discard):
                return f"takes {_card(card)}" + ("" if discard is None else f" and discards {_card(discard)}")

    def snapshot_rows(self, snapshot: views.CheaterSnapshot, viewer: Seat) -> Sequence[tuple[str, str]]:
        """Return rows with the hand, the known cards of the others, the piles, the CHEATER and the turn so far."""
        seats = range(len(snapshot.hand_sizes))
        rows = [
            ("hand", self.describe_hand(snapshot)),
            ("others", ", ".join(_other_hand(snapshot, seat) for seat in seats if seat != viewer)),
            ("discards", _cards(snapshot.discards)),
            ("to draw", str(snapshot.draw_count)),
            ("CHEATER", "nobody" if snapshot.cheater is None else f"seat {snapshot.cheater}"),
            ("turn", _turn(snapshot)),
        ]
        if any(snapshot.places):
            rows.append(("places", ", ".join(f"seat {s}: {place}" for s, place in enumerate(snapshot.places) if place)))
        return rows

    def untold_part(self, label: str, text: str) -> str:
        """Leave out the turn so far, which is the move itself."""
        return "" if label == "turn" else text

    def describe_hand(self, snapshot: views.CheaterSnapshot) -> str:
        return _cards(snapshot.hand or b"")

    def count_cards(self, snapshot: views.CheaterSnapshot) -> CardCounts:
        return CardCounts(snapshot.hand_sizes, [("to draw", snapshot.draw_count), ("discards", len(snapshot.discards))])

    def describe_part(self, part: Any) -> str:
        teller = _PARTS.get(type(part))
        return describe_event(part) if teller is None else teller(part)

    def describe_reason(self, code: str) -> str | None:
        return REASONS.get(code)

    def starts_move(self, event: str) -> bool:
        """Return whether the event is a roll of the dice, with which each turn begins."""
        return event == "Rolled"

    def asks_for_move(self, kind: str) -> bool:
        """Return False: nobody is asked before the dice are rolled."""
        return False

    def describe_move(self, events: Sequence[ToldEvent]) -> BriefMove:
        """Return the sentences of the events. Nobody lies in this game, so nothing is marked."""
        return join_sentences(events)

    def is_lie(self, action: Action) -> bool | None:
        """Return None: nobody claims anything in this game."""
        return None


def _pick_options(options: PickOptions) -> str:
    what = {
        Attack.TAKE: "take a card",
        Attack.DEMAND: "take a card and discard one",
        Attack.BUST: f"discard up to {format_count(options.most, 'card')}",
    }
    return f"{what[options.attack]}; seat {options.target} shows {_cards(options.hand)}"


def _other_hand(snapshot: views.CheaterSnapshot, seat: int) -> str:
    known, count = snapshot.known[seat], snapshot.hand_sizes[seat]
    return f"seat {seat}: {count}" + (f" with {_cards(known)}" if known else "")


def _turn(snapshot: views.CheaterSnapshot) -> str:
    if snapshot.to_move is None:
        return "nobody's"
    texts = [f"seat {snapshot.to_move}"]
    texts += ["rolled " + " and ".join(map(str, snapshot.dice))] if snapshot.dice else []
    if (pending := snapshot.attacking) is not None:
        by = " by WILD" if pending.card == WILD else ""
        texts.append(f"{pending.attack.name}{by} at seat {pending.target}")
    texts += [f"the die shows {snapshot.die}"] if snapshot.die else []
    return ", ".join(texts)


def _card(card: int | None) -> str:
    return NAMES[card] if card is not None and 0 <= card < len(NAMES) else "no card"


def _cards(cards: Iterable[int]) -> str:
    return " ".join(map(_card, cards)) or "no cards"


def _tell_dealt(part: views.DealtView) -> str:
    dealt = f"the cards are dealt to {part.seat_count} seats"
    return f"{dealt}; {NAMES[part.top]} is turned up, {part.draw_count} are left to draw"


_PARTS: Mapping[type, Callable[[Any], str]] = {
    views.DealtView: _tell_dealt,
    views.DrewView: lambda part: f"seat {part.seat} draws {format_count(part.count, 'card')}",
    views.SeatLeftView: lambda part: (
        f"seat {part.seat} leaves, {format_count(part.card_count, 'card')} go into the draw pile, place {part.place}"
    ),
    views.HandDealt: lambda part: f"the own hand: {_cards(part.cards)}",
    views.CardsDrawn: lambda part: f"drawn by this seat: {_cards(part.cards)}",
}
"""The function that describes a part, by its type. A part of any other type hides nothing, so `describe_event`
describes it."""
