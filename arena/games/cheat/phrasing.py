"""Describes Cheat from one seat: what the seat sees, may do, does and learns.

Snapshots and parts of events come from `arena.games.cheat.rules.views`, so they contain nothing that the seat may not
know.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from arena.games.cheat.moves import MOVES, describe_cheat_move
from arena.games.cheat.rules import view_types
from arena.games.cheat.rules.actions import Action, Believe, Call, Choose, Cut, Decline, Pass, Play
from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.cards import RANKS, card_texts, cards_from_hand
from arena.games.cheat.rules.cut_and_choose import ChooseOptions, CutOptions
from arena.games.cheat.rules.events import (
    DeckCut,
    FinalWindowOpened,
    Overruled,
    PacketChosen,
    Passed,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)
from arena.games.cheat.rules.questions import TURN_KIND, WindowOptions
from arena.games.cheat.rules.state import Claim, TurnOptions
from arena.match.game import Seat
from arena.plurals import format_count
from arena.replays.narration.phrasing import BriefMove, CardCounts, ToldEvent
from arena.replays.narration.text_format import join_words

REASONS: Mapping[str, str] = {
    "not_your_turn": "it is not this seat's turn",
    "not_in_hand": "the hand does not hold those cards",
    "illegal_rank": "that rank may not be claimed now",
    "illegal_count": "that number of cards may not be claimed now",
    "opening_must_match": "an opening lies face up and must be true",
    "illegal_cut": "the deck cannot be cut that way, or that packet is not free",
    "count_mismatch": "it does not lay as many cards as it claims",
    "pass_not_allowed": "no pass is allowed now",
    "nothing_to_call": "there is no move to call",
    "own_move": "a seat may not call its own move",
    "caller_not_allowed": "this seat may not call that move",
    "believe_off": "this ruleset has no believing",
    "not_asked": "this seat was not asked that",
    "game_over": "the game is over",
}
"""Texts of the refusal codes of the rules (docs/rules/cases.md)."""


_OWN: Final = " (own)"


class CheatPhrasing:
    """Implements `arena.replays.narration.phrasing.Phrasing` for Cheat."""

    def describe_options(self, kind: str, options: Any) -> str:
        match options:
            case CutOptions(packet_count, card_count):
                return f"cut {format_count(card_count, 'card')} into {format_count(packet_count, 'packet')}"
            case ChooseOptions(sizes, free):
                return "choose " + join_words([f"packet {index + 1} of {sizes[index]}" for index in free], "or")
            case WindowOptions(final, can_believe):
                ways = "call, believe or decline" if can_believe else "call or decline"
                return f"{ways}; no turn follows if nobody calls" if final else ways
            case TurnOptions():
                return _turn_options(options)
            case _:
                raise ValueError(f"{options!r} are no options of Cheat")

    def describe_action(self, action: Action) -> str:
        match action:
            case Play():
                return f"claims {action.count} x {_rank(action.rank)} with {_cards(action.cards)}"
            case Pass():
                return "passes"
            case Call():
                return "calls"
            case Believe():
                return "believes"
            case Decline():
                return "declines"
            case Cut():
                return f"cuts the deck into {join_words(map(str, action.sizes))}"
            case Choose():
                return f"chooses packet {action.packet + 1}"

    def snapshot_rows(self, snapshot: view_types.CheatSnapshot, viewer: Seat) -> Sequence[tuple[str, str]]:
        """Return rows with the hand, the hand sizes, the pile, the claim that may be called and the claim to follow."""
        sizes = (
            f"seat {seat}: {'hidden' if size is None else size}{_OWN if seat == viewer else ''}"
            for seat, size in enumerate(snapshot.hand_sizes)
        )
        rows = [
            ("hand", self.describe_hand(snapshot)),
            ("sizes", ", ".join(sizes)),
            ("pile", _pile(snapshot.pile)),
            ("to call", "nothing" if snapshot.last is None else _claim(snapshot.last)),
            ("to follow", "nothing, a trick starts" if snapshot.prev is None else _claim(snapshot.prev)),
        ]
        if snapshot.required_rank is not None:
            rows.append(("required", f"rank {RANKS[snapshot.required_rank]}"))
        if snapshot.banished:
            rows.append(("banished", format_count(snapshot.banished, "card")))
        if snapshot.packets:
            rows.append(("packets", ", ".join(map(_packet, snapshot.packets))))
        if snapshot.passed:
            rows.append(("passed", join_words(f"seat {seat}" for seat in snapshot.passed)))
        if any(snapshot.places):
            rows.append(("places", ", ".join(f"seat {s}: {place}" for s, place in enumerate(snapshot.places) if place)))
        return rows

    def untold_part(self, label: str, text: str) -> str:
        """Leave out the claims, which are the moves themselves, and the own hand size, which the hand tells."""
        match label:
            case "to call" | "to follow" | "passed":
                return ""
            case "pile":
                return text.partition(",")[0].partition(" card")[0]
            case "sizes":
                return ", ".join(size for size in text.split(", ") if not size.endswith(_OWN))
            case _:
                return text

    def describe_hand(self, snapshot: view_types.CheatSnapshot) -> str:
        return f"{_cards(cards_from_hand(snapshot.hand or ()))} ({sum(snapshot.hand or ())})"

    def count_cards(self, snapshot: view_types.CheatSnapshot) -> CardCounts:
        return CardCounts(snapshot.hand_sizes, [("pile", _pile_count(snapshot.pile))])

    def describe_part(self, part: Any) -> str:
        return _PARTS[type(part)](part)

    def describe_reason(self, code: str) -> str | None:
        return REASONS.get(code)

    def starts_move(self, event: str) -> bool:
        """Return whether the event is a card move or a pass."""
        return event in MOVES

    def asks_for_move(self, kind: str) -> bool:
        """Return whether the question asks for a card move or a pass."""
        return kind == TURN_KIND

    def describe_move(self, events: Sequence[ToldEvent]) -> BriefMove:
        """Describe a claim, the cards that were laid if they are known, and what came of it. Mark lies and calls."""
        return describe_cheat_move(events)

    def is_lie(self, action: Action) -> bool | None:
        """Return whether a card move differs from its claim; None for every other action."""
        return not is_truthful(action.cards, action.count, action.rank) if isinstance(action, Play) else None


def _turn_options(options: TurnOptions) -> str:
    ways = [_range(first, last) for first, last in options.counts if last]
    is_any = len(options.ranks) == len(RANKS)
    ranks = "any rank" if is_any else join_words([RANKS[rank] for rank in options.ranks], "or")
    texts = [f"{join_words(ways, 'or')} as {ranks}"] if ways and ranks else []
    texts += ["no cards"] if options.zero else []
    texts += ["pass"] if options.can_pass else []
    texts += ["call"] if options.can_call else []
    texts += ["believe"] if options.can_believe else []
    notes = ["; a trick starts"] if options.opens else []
    notes += [", face up and true"] if options.face_up else []
    notes += [f"; {_range(*options.laid)} may be laid"] if options.laid else []
    return join_words(texts, "or") + "".join(notes)


def _packet(packet: view_types.PacketView) -> str:
    return format_count(packet.size, "card") + ("" if packet.taker is None else f" for seat {packet.taker}")


def _range(first: int, last: int) -> str:
    return format_count(first, "card") if first == last else f"{first} to {last} cards"


def _rank(rank: int) -> str:
    return RANKS[rank] if 0 <= rank < len(RANKS) else f"rank {rank}"


def _cards(cards: Iterable[int]) -> str:
    return " ".join(card_texts(cards)) or "no cards"


def _claim(claim: Claim) -> str:
    return f"seat {claim.seat}: {claim.count} x {RANKS[claim.rank]}"


def _pile(pile: Sequence[view_types.LayerView]) -> str:
    if not pile:
        return "empty"
    count = _pile_count(pile)
    size = "its size is hidden" if count is None else format_count(count, "card")
    return f"{size}, bottom first: " + ", ".join(map(_layer, pile))


def _pile_count(pile: Sequence[view_types.LayerView]) -> int | None:
    """Return the number of cards in the pile; None if the number is hidden."""
    sizes = [layer.laid for layer in pile if layer.laid is not None]
    return sum(sizes) if len(sizes) == len(pile) else None


def _layer(layer: view_types.LayerView) -> str:
    owner = "from before" if layer.seat is None else f"seat {layer.seat}"
    if layer.rank is None:
        what = f"{'some' if layer.count is None else layer.count} left behind"
    else:
        what = f"{layer.count} x {RANKS[layer.rank]}"
    return f"{owner} {what}" + ("" if layer.cards is None else f" [{_cards(layer.cards)}]")


def _tell_dealt(part: view_types.DealtView) -> str:
    sizes = "".join(f", seat {seat}: {size}" for seat, size in enumerate(part.sizes or ()))
    return f"the cards are dealt{sizes}; seat {part.first} begins"


def _tell_played(part: view_types.PlayedView) -> str:
    out = ", its hand is empty" if part.emptied else ""
    if part.cards is not None:
        return f"seat {part.seat} opens with {part.count} x {RANKS[part.rank]}, face up: {_cards(part.cards)}{out}"
    laid = "" if part.laid in (None, part.count) else f" and lays {format_count(part.laid or 0, 'card')}"
    return f"seat {part.seat} claims {part.count} x {RANKS[part.rank]}{laid}{out}"


def _tell_called(part: view_types.CalledView) -> str:
    verdict = "rightly" if part.right else "wrongly"
    taken = f"seat {part.taker} takes {_pile_size(part.taken)}"
    return f"seat {part.caller} calls seat {part.accused} {verdict}{_revealed_cards(part)}; {taken}"


def _tell_believed(part: view_types.BelievedView) -> str:
    verdict = "rightly" if part.right else "wrongly"
    size = _pile_size(part.pile_size)
    gone = f"banished: {size}" if part.taker is None else f"seat {part.taker} takes {size}"
    return f"seat {part.believer} believes seat {part.mover} {verdict}{_revealed_cards(part)}; {gone}"


def _tell_checked(part: view_types.HandCheckedView) -> str:
    if part.is_true:
        return f"the empty hand of seat {part.seat} is checked: its last move was true"
    return f"the empty hand of seat {part.seat} is checked: a lie, it takes {_pile_size(part.taken)}"


def _revealed_cards(part: view_types.CalledView | view_types.BelievedView) -> str:
    shown = "" if part.cards is None else f": {_cards(part.cards)}"
    return shown + ("" if part.rest is None else f", the rest of the pile: {_cards(cards_from_hand(part.rest))}")


def _pile_size(count: int | None) -> str:
    return "the pile" if count is None else str(count)


def _tell_left(part: view_types.SeatLeftView) -> str:
    cards = "its cards" if part.card_count is None else format_count(part.card_count, "card")
    return f"seat {part.seat} leaves, {cards} go under the pile, and takes place {part.place}"


_PARTS: Mapping[type, Callable[[Any], str]] = {
    view_types.DealtView: _tell_dealt,
    view_types.PlayedView: _tell_played,
    view_types.CalledView: _tell_called,
    view_types.BelievedView: _tell_believed,
    view_types.HandCheckedView: _tell_checked,
    view_types.PileBanishedView: lambda part: f"the pile is banished: {_pile_size(part.card_count)}",
    view_types.SeatLeftView: _tell_left,
    DeckCut: lambda part: f"seat {part.dealer} cuts the deck into {join_words(map(str, part.sizes))}",
    PacketChosen: lambda part: f"seat {part.seat} chooses packet {part.packet + 1}",
    Passed: "seat {0.seat} passes".format,
    TrickEnded: "the trick ends, seat {0.leader} leads the next".format,
    WindowClosed: lambda part: "nobody calls" if part.settled else "no call yet",
    FinalWindowOpened: "last chance to call the move of seat {0.mover}".format,
    SeatPlaced: "seat {0.seat} takes place {0.place}".format,
    Overruled: lambda _: "the own call did not count, a nearer one did",
    view_types.HandDealt: lambda part: f"the own hand: {_cards(cards_from_hand(part.hand))}",
    view_types.CardsLaid: lambda part: f"laid by this seat: {_cards(part.cards)}",
    view_types.CardsShown: lambda part: f"shown to this seat alone: {_cards(part.cards)}",
    view_types.CardsTaken: lambda part: f"taken by this seat: {_cards(cards_from_hand(part.cards))}",
}
"""The function that describes a public or private part of an event, by the part's type."""
