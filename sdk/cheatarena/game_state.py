"""One game as one seat sees it, and how each fact of the contract changes it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from google.protobuf.message_factory import GetMessageClass

from cheatarena.cards import RANKS, Card
from cheatarena.encoding import varint
from cheatarena.knowledge import Knowledge
from cheatarena.terms import Claim
from cheatarena.v1 import cheat_pb2, event_pb2


class GameState:
    """The running game, or the last one until the next begins."""

    __slots__ = (
        "game",
        "is_over",
        "known",
        "last",
        "places",
        "previous",
        "seat",
        "seating",
        "termination",
        "to_move",
        "turn_count",
    )

    def __init__(self, game: int, seat: int, seating: Sequence[int]) -> None:
        self.game = game
        self.seat = seat
        self.seating = tuple(seating)
        """The entrant of each seat."""
        self.known = Knowledge(seat, [0] * len(self.seating))
        self.places = [0] * len(self.seating)
        """Places by seat; 0 where there is none yet."""
        self.to_move: int | None = None
        self.previous: Claim | None = None
        """The claim that the next move has to follow. None at the start of a trick."""
        self.last: Claim | None = None
        """The last card move, while it lies on the pile."""
        self.turn_count = 0
        self.is_over = False
        self.termination = ""

    def fold_encoded(self, encoded: bytes) -> bool:
        """Take in one encoded Event, and tell whether it is a fact of a game.

        Where it is short, as nearly all are, only what is inside of the event is decoded.
        """
        reader = READERS.get(encoded[:2])
        if reader is None or encoded[2] > 127:
            return self.fold(event_pb2.Event.FromString(encoded))
        read, change, is_reveal = reader
        if not is_reveal and self.known.taker is not None:
            self.known.settle()
        change(self, read(encoded[3:]))
        return True

    def fold(self, event: event_pb2.Event) -> bool:
        """Take in one fact, and tell whether it is one of a game."""
        kind = event.WhichOneof("fact")
        if kind is None or (change := CHANGES.get(kind)) is None:
            return False
        if self.known.taker is not None and kind not in REVEALS:
            self.known.settle()
        change(self, getattr(event, kind))
        return True

    def dealt(self, fact: cheat_pb2.CheatDealt) -> None:
        """Begin with hands of known sizes."""
        self.known = Knowledge(self.seat, fact.hand_sizes)
        self.to_move = fact.to_move

    def hand(self, fact: cheat_pb2.CheatHand) -> None:
        """Take up the own hand."""
        self.known.hand.add(read_cards(fact.cards))

    def played(self, fact: cheat_pb2.CheatPlayed) -> None:
        """Put a move on the pile."""
        self.previous = self.last = self.known.lay(fact.seat, RANKS[fact.rank], fact.count)
        self.turn_count += 1
        self.to_move = fact.to_move if fact.HasField("to_move") else None

    def laid(self, fact: cheat_pb2.CheatLaid) -> None:
        """Learn which of the own cards the move was made of."""
        claim, last = self.known.lay_own(read_cards(fact.cards)), self.last
        self.last = claim
        if self.previous is last:
            self.previous = claim

    def passed(self, fact: cheat_pb2.CheatPassed) -> None:
        """Go on to the next seat."""
        self.turn_count += 1
        self.to_move = fact.to_move if fact.HasField("to_move") else None

    def called(self, fact: cheat_pb2.CheatCalled) -> None:
        """Give the pile to the loser of a call."""
        self.known.call(fact.taker, fact.taken_count, is_lie=fact.right)
        if fact.HasField("shown"):
            self.known.show(read_cards(fact.shown), read_cards(fact.rest) if fact.HasField("rest") else None)
        self.last = None
        self.to_move = fact.to_move if fact.HasField("to_move") else None

    def shown(self, fact: cheat_pb2.CheatShown) -> None:
        """See the cards of the move that the own seat has called."""
        self.known.show(read_cards(fact.cards))

    def taken(self, fact: cheat_pb2.CheatTaken) -> None:
        """Take the pile up."""
        self.known.take(read_cards(fact.cards))

    def trick_ended(self, fact: cheat_pb2.CheatTrickEnded) -> None:
        """Forget the claim to follow."""
        self.previous = None
        self.to_move = fact.leader

    def window_closed(self, fact: cheat_pb2.CheatWindowClosed) -> None:
        """Go on to the next seat."""
        self.to_move = fact.to_move if fact.HasField("to_move") else None

    def final_window(self, _fact: cheat_pb2.CheatFinalWindow) -> None:
        """Wait for the last chance to call."""
        self.to_move = None

    def placed(self, fact: cheat_pb2.CheatPlaced) -> None:
        """Note a place."""
        self.places[fact.seat] = fact.place

    def left(self, fact: cheat_pb2.CheatLeft) -> None:
        """Put the cards of a seat that has left under the pile."""
        self.known.leave(fact.seat, fact.card_count)
        if fact.place:
            self.places[fact.seat] = fact.place
        if self.last is not None and self.last.seat == fact.seat:
            self.last = None
        self.to_move = fact.to_move if fact.HasField("to_move") else None

    def ended(self, fact: event_pb2.GameEnded) -> None:
        """End the game."""
        self.places = list(fact.places)
        self.termination = fact.termination
        self.to_move = None
        self.is_over = True

    def restore(self, snapshot: cheat_pb2.CheatSnapshot) -> None:
        """Begin from a snapshot instead of from facts."""
        known = self.known = Knowledge(self.seat, snapshot.hand_sizes)
        known.hand.add(read_cards(snapshot.hand))
        for layer in snapshot.pile:
            cards = read_cards(layer.own_cards) if layer.HasField("own_cards") else None
            known.restore_layer(layer.seat, None if layer.abandoned else RANKS[layer.rank], layer.count, cards)
        self.places = list(snapshot.places) or self.places
        self.turn_count = snapshot.turn_count
        self.to_move = snapshot.to_move if snapshot.HasField("to_move") else None
        mover = snapshot.mover if snapshot.HasField("mover") else None
        top = known.pile[-1] if known.pile else None
        self.last = top if top is not None and top.seat == mover else None
        self.previous = _previous(snapshot, mover, self.last)


def _previous(snapshot: cheat_pb2.CheatSnapshot, mover: int | None, last: Claim | None) -> Claim | None:
    if not snapshot.HasField("previous_rank"):
        return None
    rank, count = RANKS[snapshot.previous_rank], snapshot.previous_count
    if last is not None and (last.rank, last.count) == (rank, count):
        return last
    return Claim(seat=-1 if mover is None else mover, rank=rank, count=count)


def read_cards(message: cheat_pb2.CheatCards) -> Iterable[int]:
    """Return the cards of a message, equal ones as often as they are there, each a number from 0 to 52."""
    if cards := message.cards:
        return cards
    counted = iter(message.counted)
    return [Card(card) for card, number in zip(counted, counted, strict=True) for _ in range(number)]


REVEALS = frozenset({"cheat_shown", "cheat_taken"})
"""Facts that say more about a call that has just been made."""

CHANGES: dict[str, Callable[..., None]] = {
    "cheat_dealt": GameState.dealt,
    "cheat_hand": GameState.hand,
    "cheat_played": GameState.played,
    "cheat_laid": GameState.laid,
    "cheat_passed": GameState.passed,
    "cheat_called": GameState.called,
    "cheat_shown": GameState.shown,
    "cheat_taken": GameState.taken,
    "cheat_trick_ended": GameState.trick_ended,
    "cheat_window_closed": GameState.window_closed,
    "cheat_final_window": GameState.final_window,
    "cheat_placed": GameState.placed,
    "cheat_left": GameState.left,
    "game_ended": GameState.ended,
}
"""What each fact does, by its name in the contract."""

READERS: dict[bytes, tuple[Callable[[bytes], Any], Callable[..., None], bool]] = {
    varint(field.number << 3 | 2): (
        GetMessageClass(field.message_type).FromString,
        CHANGES[field.name],
        field.name in REVEALS,
    )
    for field in event_pb2.Event.DESCRIPTOR.fields
    if field.message_type is not None and field.number > 15 and field.name in CHANGES
}
"""For the tag of each fact of play: how to decode it, what it does, whether it belongs to the call before it."""
