"""Stories of Cheat."""

from collections.abc import Sequence

from cheatarena.cheat.cards import Rank, cards
from cheatarena.testing.story import Story
from cheatarena.v1 import cheat_pb2, decision_pb2, event_pb2, ruleset_pb2


def card_set(text: str) -> cheat_pb2.CheatCards:
    """Make the contract's set of cards from text such as ``KS KD JK``."""
    return cheat_pb2.CheatCards(cards=bytes(sorted(cards(text))))


class Script(Story):
    """The messages to one seat of Cheat, told in a few words. Each method adds a message and returns the script.

    It judges nothing: a story may break every rule of the game.
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
    ) -> None:
        """Begin a match and its first game: ``jokers`` in each pack, 0 or 2; ``check`` and ``pace`` as in the rules."""
        rules = ruleset_pb2.Ruleset(preset="standard", version="1", cheat=_ruleset(decks, jokers, check))
        super().__init__(seats, seat, rules, pace, games)
        self._check = check
        self._pile = 0
        self._mover = 0
        self._sizes = [0] * seats

    def deal(self, hand: str, sizes: Sequence[int] | None = None, to_move: int = 0) -> "Script":
        """Deal a hand; every other seat gets as many cards unless ``sizes`` says otherwise."""
        self._sizes = list(sizes or [len(cards(hand))] * self._seats)
        self._pile = 0
        dealt = cheat_pb2.CheatDealt(hand_sizes=self._sizes, to_move=to_move)
        return self.tell(
            event_pb2.Event(cheat_dealt=dealt), event_pb2.Event(cheat_hand=cheat_pb2.CheatHand(cards=card_set(hand)))
        )

    def plays(self, seat: int, rank: str | Rank, laid: int | str) -> "Script":
        """Let a seat lay cards: a number for others, text for the own seat."""
        count = laid if isinstance(laid, int) else len(cards(laid))
        self._pile += count
        self._sizes[seat] -= count
        self._mover = seat
        played = cheat_pb2.CheatPlayed(
            seat=seat,
            rank=Rank.of(rank) if isinstance(rank, str) else rank,
            count=count,
            emptied=not self._sizes[seat],
            to_move=(seat + 1) % self._seats,
        )
        events = [event_pb2.Event(cheat_played=played)]
        if isinstance(laid, str):
            events.append(event_pb2.Event(cheat_laid=cheat_pb2.CheatLaid(cards=card_set(laid))))
        return self.tell(*events)

    def passes(self, seat: int) -> "Script":
        """Let a seat pass."""
        return self.tell(
            event_pb2.Event(cheat_passed=cheat_pb2.CheatPassed(seat=seat, to_move=(seat + 1) % self._seats))
        )

    def calls(
        self, caller: int, *, lie: bool, shown: str | None = None, rest: str | None = None, taken: str | None = None
    ) -> "Script":
        """Let a seat call the last move, which was a lie or not.

        ``shown`` and ``rest`` are what the call shows: to the own seat alone where ``check`` is ``caller``, else to
        everyone. ``taken`` is the pile, where the own seat takes it.
        """
        taker = self._mover if lie else caller
        called = cheat_pb2.CheatCalled(
            caller=caller,
            accused=self._mover,
            right=lie,
            taker=taker,
            taken_count=self._pile,
            to_move=(self._mover + 1) % self._seats,
        )
        private = []
        if shown is not None and self._check == "caller":
            private.append(event_pb2.Event(cheat_shown=cheat_pb2.CheatShown(cards=card_set(shown))))
        elif shown is not None:
            called.shown.CopyFrom(card_set(shown))
        if rest is not None:
            called.rest.CopyFrom(card_set(rest))
        if taken is not None:
            private.append(event_pb2.Event(cheat_taken=cheat_pb2.CheatTaken(cards=card_set(taken))))
        self._sizes[taker] += self._pile
        self._pile = 0
        return self.tell(event_pb2.Event(cheat_called=called), *private)

    def closes_window(self, *, settled: bool = True) -> "Script":
        """Let a call window close without a call."""
        closed = cheat_pb2.CheatWindowClosed(settled=settled, to_move=(self._mover + 1) % self._seats)
        return self.tell(event_pb2.Event(cheat_window_closed=closed))

    def ends_trick(self, leader: int) -> "Script":
        """End a trick."""
        return self.tell(event_pb2.Event(cheat_trick_ended=cheat_pb2.CheatTrickEnded(leader=leader)))

    def leaves(self, seat: int, place: int = 0) -> "Script":
        """Let a seat leave."""
        count, self._sizes[seat] = self._sizes[seat], 0
        self._pile += count
        left = cheat_pb2.CheatLeft(seat=seat, card_count=count, place=place or self._seats)
        return self.tell(event_pb2.Event(cheat_left=left))

    def asks_turn(
        self,
        ranks: str = "A 2 3 4 5 6 7 8 9 T J Q K",
        counts: Sequence[int] = (1, 4),
        *,
        zero: bool = False,
        can_pass: bool = False,
        opens: bool = False,
    ) -> "Script":
        """Ask the own seat for a move; ``counts`` are pairs of first and last number, both inclusive."""
        turn = cheat_pb2.CheatTurn(
            ranks=bytes(sorted(Rank.of(each) for each in ranks.split())), counts=counts, zero=zero, opens=opens
        )
        turn.can_pass = can_pass
        return self._ask(decision_pb2.Prompt(cheat_turn=turn))

    def asks_window(self, *, final: bool = False) -> "Script":
        """Ask the own seat whether it calls the last move."""
        return self._ask(decision_pb2.Prompt(cheat_window=cheat_pb2.CheatWindow(final=final)))


def _ruleset(decks: int, jokers: int, check: str) -> cheat_pb2.CheatRuleset:
    return cheat_pb2.CheatRuleset(
        decks=decks,
        jokers_per_deck=jokers,
        check=cheat_pb2.CheatCheck.Value(f"CHEAT_CHECK_{check.upper()}"),
        count=cheat_pb2.CheatCount.values()[1:],
        rank_start=cheat_pb2.CheatRankStart.values()[1:],
        rank_next=cheat_pb2.CheatRankNext.values()[1:6],
        passing=cheat_pb2.CHEAT_PASSING_FORCED,
        exhausted_leader=cheat_pb2.CHEAT_EXHAUSTED_LEADER_LAST_MOVER,
        max_turns=2000,
        max_count=(4 + jokers) * decks,
    )
