"""Cheat in the words of one seat: what it sees, may do, does and learns. Whoever calls has asked `views` first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from arena.replays.words import counted, joined
from arena.rules.cheat import views
from arena.rules.cheat.actions import Action, Call, Decline, Pass, Play
from arena.rules.cheat.cards import RANKS, card_texts, listed
from arena.rules.cheat.events import FinalWindowOpened, Overruled, Passed, SeatPlaced, TrickEnded, WindowClosed
from arena.rules.cheat.state import Claim, TurnOptions
from arena.rules.game import Seat

REASONS: Mapping[str, str] = {
    "not_your_turn": "it is not this seat's turn",
    "not_in_hand": "the hand has not got those cards",
    "illegal_rank": "that rank may not be claimed now",
    "illegal_count": "so many cards may not be claimed now",
    "count_mismatch": "it does not lay as many cards as it claims",
    "pass_not_allowed": "no pass is allowed now",
    "nothing_to_call": "there is no move to call",
    "own_move": "nobody calls the own move",
    "caller_not_allowed": "this seat may not call that move",
    "not_asked": "this seat is not asked that",
    "game_over": "the game is over",
}
"""What the codes of the rules say (docs/rules/cases.md)."""


class CheatVoice:
    """Implements `arena.replays.voice.Voice`."""

    def options(self, kind: str, options: Any) -> str:
        """What the turn or the window offers."""
        if kind == "turn":
            return _turn(options)
        return "call or decline; no turn follows if nobody calls" if options.final else "call or decline"

    def action(self, action: Action) -> str:
        """What a seat does."""
        match action:
            case Play():
                return f"claims {action.count} x {_rank(action.rank)} with {_cards(action.cards)}"
            case Pass():
                return "passes"
            case Call():
                return "calls"
            case Decline():
                return "declines"

    def snapshot(self, seen: views.Snapshot, viewer: Seat) -> Sequence[tuple[str, str]]:
        """Hand, sizes, pile, the claims to call and to follow."""
        sizes = (f"seat {s}: {size}{' (own)' if s == viewer else ''}" for s, size in enumerate(seen.hand_sizes))
        rows = [
            ("hand", f"{_cards(listed(seen.hand or ()))} ({sum(seen.hand or ())})"),
            ("sizes", ", ".join(sizes)),
            ("pile", _pile(seen.pile)),
            ("to call", "nothing" if seen.last is None else _claim(seen.last)),
            ("to follow", "nothing, a trick starts" if seen.prev is None else _claim(seen.prev)),
        ]
        if seen.passed:
            rows.append(("passed", joined(f"seat {seat}" for seat in seen.passed)))
        if any(seen.places):
            rows.append(("places", ", ".join(f"seat {s}: {place}" for s, place in enumerate(seen.places) if place)))
        return rows

    def part(self, part: Any) -> str:
        """What one seat learns."""
        return _PARTS[type(part)](part)

    def reason(self, code: str) -> str | None:
        """Why the rules refuse an answer."""
        return REASONS.get(code)


def _turn(options: TurnOptions) -> str:
    ways = [_range(first, last) for first, last in options.counts if last]
    texts = [f"{joined(ways, 'or')} as {_ranks(options.ranks)}"] if ways and options.ranks else []
    texts += ["no cards"] if options.zero else []
    texts += ["pass"] if options.can_pass else []
    return joined(texts, "or") + ("; a trick starts" if options.opens else "")


def _range(first: int, last: int) -> str:
    return counted(first, "card") if first == last else f"{first} to {last} cards"


def _ranks(ranks: bytes) -> str:
    if len(ranks) == len(RANKS):
        return "any rank"
    return joined([RANKS[rank] for rank in ranks], "or")


def _rank(rank: int) -> str:
    return RANKS[rank] if 0 <= rank < len(RANKS) else f"rank {rank}"


def _cards(cards: Iterable[int]) -> str:
    return " ".join(card_texts(cards)) or "no cards"


def _claim(claim: Claim) -> str:
    return f"seat {claim.seat}: {claim.count} x {RANKS[claim.rank]}"


def _pile(pile: Sequence[views.LayerView]) -> str:
    if not pile:
        return "empty"
    size = sum(layer.count for layer in pile)
    return f"{counted(size, 'card')}, bottom first: " + ", ".join(map(_layer, pile))


def _layer(layer: views.LayerView) -> str:
    owner = "from before" if layer.seat is None else f"seat {layer.seat}"
    what = f"{layer.count} left behind" if layer.rank is None else f"{layer.count} x {RANKS[layer.rank]}"
    return f"{owner} {what}" + ("" if layer.cards is None else f" [{_cards(layer.cards)}]")


def _tell_dealt(part: views.DealtView) -> str:
    sizes = ", ".join(f"seat {seat}: {size}" for seat, size in enumerate(part.sizes))
    return f"the cards are dealt, {sizes}; seat {part.first} begins"


def _tell_played(part: views.PlayedView) -> str:
    out = ", its hand is empty" if part.emptied else ""
    return f"seat {part.seat} claims {part.count} x {RANKS[part.rank]}{out}"


def _tell_called(part: views.CalledView) -> str:
    verdict = "rightly" if part.right else "wrongly"
    shown = "" if part.cards is None else f": {_cards(part.cards)}"
    rest = "" if part.rest is None else f", the rest of the pile: {_cards(listed(part.rest))}"
    taken = f"seat {part.taker} takes {part.taken}"
    return f"seat {part.caller} calls seat {part.accused} {verdict}{shown}{rest}; {taken}"


_PARTS: Mapping[type, Callable[[Any], str]] = {
    views.DealtView: _tell_dealt,
    views.PlayedView: _tell_played,
    views.CalledView: _tell_called,
    views.SeatLeftView: lambda part: (
        f"seat {part.seat} leaves, {counted(part.card_count, 'card')} go under the pile, and takes place {part.place}"
    ),
    Passed: "seat {0.seat} passes".format,
    TrickEnded: "the trick ends, seat {0.leader} leads the next".format,
    WindowClosed: "nobody calls".format,
    FinalWindowOpened: "last chance to call the move of seat {0.mover}".format,
    SeatPlaced: "seat {0.seat} takes place {0.place}".format,
    Overruled: lambda _: "the own call did not count, a nearer one did",
    views.HandDealt: lambda part: f"the own hand: {_cards(listed(part.hand))}",
    views.CardsLaid: lambda part: f"laid by this seat: {_cards(part.cards)}",
    views.CardsShown: lambda part: f"shown to this seat alone: {_cards(part.cards)}",
    views.CardsTaken: lambda part: f"taken by this seat: {_cards(listed(part.cards))}",
}
"""Words for each public and private part of an event."""
