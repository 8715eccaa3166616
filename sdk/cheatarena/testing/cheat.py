"""Scripts of matches of Cheat, for tests of bots."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from cheatarena.cheat.cards import Rank, cards
from cheatarena.testing.cheat_rules import ruleset_message
from cheatarena.testing.story import Story
from cheatarena.v1 import cheat_pb2, decision_pb2, event_pb2, ruleset_pb2


def card_set(text: str) -> cheat_pb2.CheatCards:
    """Return a message with the cards that a text such as ``KS KD JK`` names."""
    return cheat_pb2.CheatCards(cards=bytes(sorted(cards(text))))


class TurnRights(TypedDict, total=False):
    """What a turn allows besides its ranks and numbers. Whatever is left out is not allowed."""

    zero: bool
    """Whether a play of no cards is legal."""
    can_pass: bool
    """Whether a pass is legal."""
    opens: bool
    """Whether the move starts a trick."""
    laid: Sequence[int]
    """The smallest and the largest number of cards that may be laid, if the number may differ from the claim."""
    face_up: bool
    """Whether the cards lie face up, so that only true plays are legal."""
    can_call: bool
    """Whether the last move may be called instead of moving."""
    can_believe: bool
    """Whether the last move may be believed instead of moving."""


class Script(Story):
    """A script of messages to one seat of Cheat. Each method adds a message and returns the script.

    Messages are not checked: a script may break every rule of the game. ``to_move`` is the seat that moves next. By
    default it is the seat after the mover or after the seat that passes.
    """

    def __init__(
        self,
        seats: int = 4,
        seat: int = 0,
        *,
        decks: int = 1,
        jokers: int = 2,
        check: str = "public",
        pace: str = "sealed",
        games: int = 1,
        rules: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin a match and its first game.

        Each pack has ``jokers`` jokers, 0 or 2. ``check`` takes the words of `Ruleset.check`; ``pace`` is ``sealed`` or
        ``live``. ``rules`` has all other options that differ from the preset ``standard``, with the names and values of
        `Ruleset`, for example ``{"count_lies": True, "sizes_visible": False}``.
        """
        options = {"decks": decks, "jokers_per_deck": jokers, "check": check, **(rules or {})}
        ruleset = ruleset_pb2.Ruleset(preset="standard", version="1", cheat=ruleset_message(options))
        super().__init__(seats, seat, ruleset, pace, games)
        self._check = check
        self._shows_sizes = ruleset.cheat.sizes_visible
        self._pile = 0
        self._mover = 0
        self._sizes = [0] * seats

    def cuts(self, dealer: int, sizes: Sequence[int]) -> "Script":
        """Let the dealer cut the deck."""
        return self.tell(event_pb2.Event(cheat_deck_cut=cheat_pb2.CheatDeckCut(dealer=dealer, sizes=sizes)))

    def chooses(self, seat: int, packet: int) -> "Script":
        """Let a seat choose a packet."""
        return self.tell(event_pb2.Event(cheat_packet_chosen=cheat_pb2.CheatPacketChosen(seat=seat, packet=packet)))

    def deal(self, hand: str, sizes: Sequence[int] | None = None, to_move: int = 0, dealer: int = 0) -> "Script":
        """Deal this seat's hand. Every other seat gets the same number of cards, unless ``sizes`` is given."""
        self._sizes = list(sizes or [len(cards(hand))] * self._seats)
        self._pile = 0
        dealt = cheat_pb2.CheatDealt(
            hand_sizes=self._sizes if self._shows_sizes else (), to_move=to_move, dealer=dealer
        )
        return self.tell(
            event_pb2.Event(cheat_dealt=dealt), event_pb2.Event(cheat_hand=cheat_pb2.CheatHand(cards=card_set(hand)))
        )

    def plays(
        self,
        seat: int,
        rank: str | Rank,
        laid: int | str,
        *,
        count: int | None = None,
        face_up: bool = False,
        to_move: int | None = None,
    ) -> "Script":
        """Let a seat lay cards.

        ``laid`` names the cards if this seat lays them or if they are face up; otherwise it is their number. ``count``
        is the claimed number, if it differs from the number laid.
        """
        number = laid if isinstance(laid, int) else len(cards(laid))
        self._pile += number
        self._sizes[seat] -= number
        self._mover = seat
        played = cheat_pb2.CheatPlayed(
            seat=seat,
            rank=Rank.of(rank) if isinstance(rank, str) else rank,
            count=number if count is None else count,
            emptied=not self._sizes[seat],
            to_move=self._seat_to_move(to_move, seat),
            laid=number if count is not None and (self._shows_sizes or face_up) else None,
            cards=card_set(laid) if face_up and isinstance(laid, str) else None,
        )
        events = [event_pb2.Event(cheat_played=played)]
        if isinstance(laid, str) and (seat == self._seat or not face_up):
            events.append(event_pb2.Event(cheat_laid=cheat_pb2.CheatLaid(cards=card_set(laid))))
        return self.tell(*events)

    def passes(self, seat: int, *, to_move: int | None = None) -> "Script":
        """Let a seat pass."""
        passed = cheat_pb2.CheatPassed(seat=seat, to_move=self._seat_to_move(to_move, seat))
        return self.tell(event_pb2.Event(cheat_passed=passed))

    def calls(
        self,
        caller: int,
        *,
        lie: bool,
        shown: str | None = None,
        rest: str | None = None,
        taken: str | None = None,
        to_move: int | None = None,
    ) -> "Script":
        """Let a seat call the last move; ``lie`` says whether that move was a lie.

        ``shown`` are the cards of the move, if the call shows them. If ``check`` is ``caller``, only this seat sees
        them; otherwise all seats do. ``rest`` are the other cards of the pile, if the call shows them. ``taken`` are
        the cards that this seat takes, if it takes the pile.
        """
        taker = self._mover if lie else caller
        called = cheat_pb2.CheatCalled(
            caller=caller,
            accused=self._mover,
            right=lie,
            taker=taker,
            taken_count=self._visible_size(self._pile),
            to_move=self._seat_to_move(to_move, self._mover),
        )
        private = self._add_shown_cards(called, shown, rest, taken)
        self._clear_pile(taker)
        return self.tell(event_pb2.Event(cheat_called=called), *private)

    def believes(
        self,
        believer: int,
        *,
        lie: bool,
        shown: str | None = None,
        rest: str | None = None,
        taken: str | None = None,
        to_move: int | None = None,
    ) -> "Script":
        """Let a seat believe the last move; the other arguments mean the same as in `calls`."""
        believed = cheat_pb2.CheatBelieved(
            believer=believer,
            mover=self._mover,
            right=not lie,
            pile_size=self._visible_size(self._pile),
            to_move=self._seat_to_move(to_move, self._mover),
        )
        private = self._add_shown_cards(believed, shown, rest, taken)
        self._clear_pile(believer if lie else None)
        return self.tell(event_pb2.Event(cheat_believed=believed), *private)

    def checks_hand(self, *, lie: bool, taken: str | None = None) -> "Script":
        """Check the move that emptied a hand. If the move was a lie, the mover takes the pile.

        ``taken`` are the cards of the pile, if this seat takes the pile.
        """
        checked = cheat_pb2.CheatHandChecked(
            seat=self._mover, true_claim=not lie, taken_count=self._visible_size(self._pile) if lie else 0
        )
        if lie:
            self._clear_pile(self._mover)
        return self.tell(event_pb2.Event(cheat_hand_checked=checked), *_taken_events(taken))

    def banishes(self) -> "Script":
        """Remove the pile from the game."""
        banished = cheat_pb2.CheatBanished(card_count=self._visible_size(self._pile))
        self._clear_pile(None)
        return self.tell(event_pb2.Event(cheat_banished=banished))

    def closes_window(self, *, settled: bool = True, to_move: int | None = None) -> "Script":
        """Let a call window close without a call."""
        closed = cheat_pb2.CheatWindowClosed(settled=settled, to_move=self._seat_to_move(to_move, self._mover))
        return self.tell(event_pb2.Event(cheat_window_closed=closed))

    def ends_trick(self, leader: int) -> "Script":
        """End a trick."""
        return self.tell(event_pb2.Event(cheat_trick_ended=cheat_pb2.CheatTrickEnded(leader=leader)))

    def opens_final_window(self, mover: int) -> "Script":
        """Open a window after which no turn follows unless a seat calls the move of ``mover``."""
        return self.tell(event_pb2.Event(cheat_final_window=cheat_pb2.CheatFinalWindow(mover=mover)))

    def finishes(self, seat: int, place: int) -> "Script":
        """Give a place to a seat that did not leave the game."""
        return self.tell(event_pb2.Event(cheat_placed=cheat_pb2.CheatPlaced(seat=seat, place=place)))

    def leaves(self, seat: int, place: int = 0) -> "Script":
        """Let a seat leave."""
        count, self._sizes[seat] = self._sizes[seat], 0
        self._pile += count
        left = cheat_pb2.CheatLeft(seat=seat, card_count=self._visible_size(count), place=place or self._seats)
        return self.tell(event_pb2.Event(cheat_left=left))

    def asks_turn(
        self,
        ranks: str = "A 2 3 4 5 6 7 8 9 T J Q K",
        counts: Sequence[int] = (1, 4),
        **rights: Unpack[TurnRights],
    ) -> "Script":
        """Ask this seat for a move that claims one of these ranks and numbers.

        ``counts`` has the first and the last number of each range that may be claimed. ``rights`` says by keywords what
        else is legal, for example ``can_pass=True``. Raises TypeError for a keyword that `TurnRights` does not have.

        >>> story = Script(seats=3).deal("KS KD 2C").asks_turn("2 K", (1, 2), can_pass=True)
        """
        if unknown := rights.keys() - TurnRights.__annotations__.keys():
            raise TypeError(f"asks_turn() has no {min(unknown)!r}, expected {', '.join(TurnRights.__annotations__)}")
        claims = bytes(sorted(Rank.of(each) for each in ranks.split()))
        turn = cheat_pb2.CheatTurn(ranks=claims, counts=counts, **rights)
        return self._ask(decision_pb2.Prompt(cheat_turn=turn))

    def asks_window(self, *, final: bool = False, can_believe: bool = False) -> "Script":
        """Ask this seat whether it calls the last move."""
        return self._ask(decision_pb2.Prompt(cheat_window=cheat_pb2.CheatWindow(final=final, can_believe=can_believe)))

    def asks_cut(self, packet_count: int, card_count: int) -> "Script":
        """Ask this seat to cut the deck."""
        cut = cheat_pb2.CheatCut(packet_count=packet_count, card_count=card_count)
        return self._ask(decision_pb2.Prompt(cheat_cut=cut))

    def asks_choose(self, sizes: Sequence[int], free: Sequence[int]) -> "Script":
        """Ask this seat to choose a packet; ``free`` has the indexes of the remaining packets."""
        choose = cheat_pb2.CheatChoose(sizes=sizes, free=bytes(free))
        return self._ask(decision_pb2.Prompt(cheat_choose=choose))

    def _seat_to_move(self, to_move: int | None, before: int) -> int:
        return (before + 1) % self._seats if to_move is None else to_move

    def _visible_size(self, size: int) -> int:
        """Return a number of cards, or 0 if the ruleset hides it."""
        return size if self._shows_sizes else 0

    def _clear_pile(self, taker: int | None) -> None:
        if taker is not None:
            self._sizes[taker] += self._pile
        self._pile = 0

    def _add_shown_cards(
        self,
        fact: cheat_pb2.CheatCalled | cheat_pb2.CheatBelieved,
        shown: str | None,
        rest: str | None,
        taken: str | None,
    ) -> list[event_pb2.Event]:
        """Add to `fact` the cards that all seats see, and return the events that only this seat receives."""
        private = []
        if shown is not None and self._check == "caller":
            private.append(event_pb2.Event(cheat_shown=cheat_pb2.CheatShown(cards=card_set(shown))))
        elif shown is not None:
            fact.shown.CopyFrom(card_set(shown))
        if rest is not None:
            fact.rest.CopyFrom(card_set(rest))
        return [*private, *_taken_events(taken)]


def _taken_events(text: str | None) -> list[event_pb2.Event]:
    if text is None:
        return []
    return [event_pb2.Event(cheat_taken=cheat_pb2.CheatTaken(cards=card_set(text)))]
