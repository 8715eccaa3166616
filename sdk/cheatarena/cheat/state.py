"""One game of Cheat as one seat sees it, and how each fact of the contract changes it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from cheatarena.cheat.cards import RANKS, Card
from cheatarena.cheat.knowledge import Knowledge
from cheatarena.cheat.ruleset import Claim
from cheatarena.game_state import Change, GameState, Reader, readers_of
from cheatarena.v1 import cheat_pb2


class CheatState(GameState):
    """The running game of Cheat, or the last one until the next begins."""

    __slots__ = ("known", "last", "previous")

    def __init__(self, game: int, seat: int, seating: Sequence[int]) -> None:
        super().__init__(game, seat, seating)
        self.known = Knowledge(seat, [0] * len(self.seating))
        self.previous: Claim | None = None
        """The claim that the next move has to follow. None at the start of a trick."""
        self.last: Claim | None = None
        """The last card move, while it lies on the pile."""

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

    changes: ClassVar[Mapping[str, Change]] = {
        "cheat_dealt": dealt,
        "cheat_hand": hand,
        "cheat_played": played,
        "cheat_laid": laid,
        "cheat_passed": passed,
        "cheat_called": called,
        "cheat_shown": shown,
        "cheat_taken": taken,
        "cheat_trick_ended": trick_ended,
        "cheat_window_closed": window_closed,
        "cheat_final_window": final_window,
        "cheat_placed": placed,
        "cheat_left": left,
    }
    readers: ClassVar[Mapping[bytes, Reader]] = readers_of(changes)


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
