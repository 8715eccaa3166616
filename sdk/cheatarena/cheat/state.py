"""The state of a game of Cheat as one seat sees it, and the handlers of facts."""

from collections.abc import Mapping, Sequence
from typing import Final

from cheatarena.cheat.cards import RANKS, Rank
from cheatarena.cheat.claim import Claim
from cheatarena.cheat.dealing import Packet
from cheatarena.cheat.facts import (
    CheatBanished,
    CheatBelieved,
    CheatCalled,
    CheatDealt,
    CheatDeckCut,
    CheatFinalWindow,
    CheatHand,
    CheatHandChecked,
    CheatLaid,
    CheatLeft,
    CheatOverruled,
    CheatPacketChosen,
    CheatPassed,
    CheatPlaced,
    CheatPlayed,
    CheatShown,
    CheatTaken,
    CheatTrickEnded,
    CheatWindowClosed,
    read_fact,
)
from cheatarena.cheat.knowledge import Knowledge
from cheatarena.cheat.snapshots import (
    knowledge_from_snapshot,
    packets_from_snapshot,
    previous_from_snapshot,
)
from cheatarena.game_state import FactHandler, GameState, build_fact_reader
from cheatarena.v1 import cheat_pb2


class CheatState(GameState):
    """The state of a game of Cheat as one seat sees it."""

    __slots__ = ("dealer", "is_plain", "known", "last_rank", "packets", "previous")

    def __init__(self, game: int, seat: int, seating: Sequence[int]) -> None:
        super().__init__(game, seat, seating)
        self.known = Knowledge(seat, [0] * len(self.seating))
        self.previous: Claim | None = None
        """The claim that the next move must follow; None at the start of a trick."""
        self.last_rank = len(RANKS) - 1
        """The last claimed rank. If `Ruleset.rotates`, the next move must claim the rank after this one."""
        self.is_plain = False
        """Whether all sizes are public, and every move is face down with as many cards as it claims."""
        self.dealer: int | None = None
        """The dealer's seat; None if it is not known yet."""
        self.packets: tuple[Packet, ...] = ()
        """The packets, while the seats choose them; otherwise empty."""

    @property
    def last_turn(self) -> int:
        """The turn of the last move or pass. The call window after it, and what comes of a call, belong to it."""
        return max(0, self.turn_count - 1)

    def on_deck_cut(self, fact: CheatDeckCut) -> None:
        self.dealer = fact.dealer
        self.packets = tuple(Packet(size) for size in fact.sizes)

    def on_packet_chosen(self, fact: CheatPacketChosen) -> None:
        packets = list(self.packets)
        packets[fact.packet] = Packet(packets[fact.packet].size, fact.seat)
        self.packets = tuple(packets)

    def on_dealt(self, fact: CheatDealt) -> None:
        """Begin the game with newly dealt hands, whose sizes may be hidden."""
        self.known = Knowledge(self.seat, fact.hand_sizes or [None] * len(self.seating))
        self._read_rules()
        self.packets = ()
        self.dealer = fact.dealer
        self.to_move = fact.to_move

    def on_hand(self, fact: CheatHand) -> None:
        self.known.deal_own(fact.cards)

    def on_played(self, move: CheatPlayed) -> None:
        """Add a move to the pile."""
        self.last_rank = rank = move.rank
        if self.is_plain:
            count = move.count
            self.previous = self.known.lay(move.seat, rank, count, count)
        else:
            self._lay_unusual_move(move, rank)
        self.turn_count += 1
        self.to_move = move.to_move

    def on_laid(self, fact: CheatLaid) -> None:
        blind = self.known.last_claim
        claim = self.known.lay_own(fact.cards)
        if self.previous is blind:
            self.previous = claim

    def on_passed(self, fact: CheatPassed) -> None:
        """Count a pass, and set the seat to move."""
        self.turn_count += 1
        self.to_move = fact.to_move

    def on_called(self, fact: CheatCalled) -> None:
        """Give the pile to the loser of a call."""
        self.known.judge(is_lie=fact.right)
        self.known.assign_pile(fact.taker, fact.taken_count)
        self._reveal(fact)

    def on_believed(self, fact: CheatBelieved) -> None:
        """Remove the pile from the game, or give it to the believer of a lie."""
        self.known.judge(is_lie=not fact.right)
        self.known.assign_pile(self.known.gone if fact.right else fact.believer, fact.pile_size)
        self._reveal(fact)

    def on_hand_checked(self, fact: CheatHandChecked) -> None:
        """Record the check of the move that emptied a hand. If the move was a lie, give the pile to the mover."""
        self.known.judge(is_lie=not fact.true_claim)
        if not fact.true_claim:
            self.known.assign_pile(fact.seat, fact.taken_count)

    def on_banished(self, fact: CheatBanished) -> None:
        self.known.banish(fact.card_count)

    def on_shown(self, fact: CheatShown) -> None:
        self.known.show(fact.cards)

    def on_taken(self, fact: CheatTaken) -> None:
        self.known.take(fact.cards)

    def on_trick_ended(self, _fact: CheatTrickEnded) -> None:
        """Forget the previous claim, because the next move starts a new trick.

        The fact that ended the trick has already set the seat to move.
        """
        self.previous = None

    def on_window_closed(self, fact: CheatWindowClosed) -> None:
        """Record which seat moves next, now that the window is closed."""
        self.to_move = fact.to_move

    def on_final_window(self, _fact: CheatFinalWindow) -> None:
        """Record that it is no seat's turn while the final window is open."""
        self.to_move = None

    def on_placed(self, fact: CheatPlaced) -> None:
        self.places[fact.seat] = fact.place

    def on_left(self, fact: CheatLeft) -> None:
        """Record that a seat left, and put its cards under the pile."""
        self.known.leave(fact.seat, fact.card_count)
        if fact.place:
            self.places[fact.seat] = fact.place
        self.to_move = fact.to_move

    def restore(self, snapshot: cheat_pb2.CheatSnapshot) -> None:
        """Replace the state with the state in a snapshot."""
        self._read_rules()
        self.known = knowledge_from_snapshot(snapshot, self.seat, len(self.seating), self.ruleset)
        self.places = list(snapshot.places) or self.places
        self.turn_count = snapshot.turn_count
        self.to_move = snapshot.to_move if snapshot.HasField("to_move") else None
        self.previous = previous_from_snapshot(snapshot, self.known.last_claim)
        self.last_rank = snapshot.required_rank - 1
        self.dealer = snapshot.dealer
        self.packets = packets_from_snapshot(snapshot)

    def _read_rules(self) -> None:
        rules = self.ruleset
        self.is_plain = rules.sizes_visible and not rules.count_lies and not rules.opening_face_up

    def _lay_unusual_move(self, fact: CheatPlayed, rank: Rank) -> None:
        """Add a move that may be face up, and whose number of cards may be hidden or differ from the claim."""
        is_hidden = self.known.hides_sizes and self.ruleset.count_lies and fact.count > 0
        laid = fact.laid if fact.laid is not None else None if is_hidden else fact.count
        self.previous = self.known.lay(fact.seat, rank, fact.count, laid, emptied=fact.emptied)
        if fact.seat != self.seat and not fact.cards.is_hidden:
            self.previous = self.known.lay_open(fact.cards)

    def _reveal(self, fact: CheatCalled | CheatBelieved) -> None:
        """Record the cards that a call or belief shows to all seats, and set the seat to move."""
        if not fact.shown.is_hidden:
            self.known.show(fact.shown, None if fact.rest.is_hidden else fact.rest)
        self.to_move = fact.to_move


FACT_HANDLERS: Final[Mapping[type, FactHandler]] = {
    CheatDeckCut: CheatState.on_deck_cut,
    CheatPacketChosen: CheatState.on_packet_chosen,
    CheatDealt: CheatState.on_dealt,
    CheatHand: CheatState.on_hand,
    CheatPlayed: CheatState.on_played,
    CheatLaid: CheatState.on_laid,
    CheatPassed: CheatState.on_passed,
    CheatCalled: CheatState.on_called,
    CheatBelieved: CheatState.on_believed,
    CheatHandChecked: CheatState.on_hand_checked,
    CheatBanished: CheatState.on_banished,
    CheatShown: CheatState.on_shown,
    CheatTaken: CheatState.on_taken,
    CheatTrickEnded: CheatState.on_trick_ended,
    CheatWindowClosed: CheatState.on_window_closed,
    CheatFinalWindow: CheatState.on_final_window,
    CheatPlaced: CheatState.on_placed,
    CheatLeft: CheatState.on_left,
    CheatOverruled: GameState.ignore,
}
"""The handler of each fact, by the fact's type."""

read_event: Final = build_fact_reader(FACT_HANDLERS, read_fact)
"""Decodes the facts of this game."""
