"""Tests of bots without a server: a story told in a few words, and what the bot answers to it.

>>> from cheatarena import Bot, Call, Decline
>>> class Cautious(Bot):
...     def turn(self, table, options):
...         return options.largest_honest() or options.smallest_lie()
...     def call_window(self, table, claim):
...         return Call() if table.is_impossible(claim) else Decline()
>>> story = Script(seats=3, seat=0, jokers=0).deal("KS KD KH 2C")
>>> story = story.plays(1, "K", 2).asks_window().closes_window().asks_turn("2 K", (1, 4))
>>> for answer in play_through(Cautious, story):
...     print(answer)
call
KD KH KS as K

Here errors in a bot's code are raised, not logged. There is no clock: nothing has a deadline.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Sequence
from typing import Any

from cheatarena.bot import Bot
from cheatarena.cards import Rank, cards
from cheatarena.clock import ServerClock
from cheatarena.decisions import Answer, Call, Decline, Pass, Play
from cheatarena.errors import BotError, ProtocolError
from cheatarena.receipts import Receipt
from cheatarena.scanning import split_message
from cheatarena.seat import Seat
from cheatarena.table import Table
from cheatarena.v1 import cheat_pb2, decision_pb2, event_pb2, play_pb2, ruleset_pb2

__all__ = ["Rehearsal", "Script", "card_set", "play_through"]


def play_through(bot: Bot | type[Bot], messages: "Script | Iterable[play_pb2.SeatMessage]") -> list[Answer | None]:
    """Put a story, scripted or recorded, to a bot, and return its answers in the order of the prompts.

    None stands for a prompt without an answer. Whatever the bot answers, the story goes on as it is written.
    """
    rehearsal = Rehearsal(bot)
    return [answer for message in messages for answer in rehearsal.take(message)]


class Rehearsal:
    """One bot at one table, message by message."""

    is_strict = True

    def __init__(self, bot: Bot | type[Bot], match: int = 1, entrant: int = 0) -> None:
        self.clock = ServerClock()
        self.answers: dict[int, Answer] = {}
        """What the bot answered, by prompt id."""
        self._seat = Seat(match, entrant, bot() if isinstance(bot, type) else bot, self)
        self._is_first = True

    @property
    def table(self) -> Table:
        """What the bot knows."""
        return self._seat.table

    def take(self, message: play_pb2.SeatMessage) -> list[Answer | None]:
        """Give one message to the bot and return its answers to the prompts in it, in their order.

        Raises what the bot raises, and BotError for an answer that is none.
        """
        if self._is_first:
            self._begin(message)
        self._seat.take(split_message(message.SerializeToString()), 0.0)
        prompts = (*message.snapshot.prompts, *message.prompts)
        return [self.answers.get(prompt.id) for prompt in prompts]

    def _begin(self, message: play_pb2.SeatMessage) -> None:
        """Sit down where the first message says."""
        self._is_first = False
        if (message.match, message.entrant) != (self.table.match, self.table.entrant):
            self._seat = Seat(message.match, message.entrant, self._seat.bot, self)

    # The line of the seat.

    def send(self, request: bytes) -> None:
        """Note decisions."""
        for decision in play_pb2.PlayRequest.FromString(request).decisions:
            self.answers[decision.prompt_id] = _answer_in(decision)

    def start(self, work: Coroutine[Any, Any, None]) -> "_Done":
        """Run a coroutine to its end, in a thread of its own: a test may have a loop already."""
        raised: list[BaseException] = []

        def run() -> None:
            try:
                asyncio.run(work)
            except BaseException as error:  # noqa: BLE001 - raised again below
                raised.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        if raised:
            raise raised[0]
        return _Done()

    def later(self, delay_s: float, work: Callable[[], None]) -> "_Done":  # noqa: ARG002 - there is no clock
        """Call something at once."""
        work()
        return _Done()

    def fail(self, table: Table, error: ProtocolError) -> None:
        """Raise what is wrong with the story."""
        raise BotError(f"match {table.match} makes no sense: {error}") from error

    def received(self, table: Table, receipt: Receipt) -> None:
        """Nobody deals here."""

    def queued(self, queued_s: float, allowed_s: float) -> None:
        """Nothing waits here."""


class _Done:
    """Work that is over."""

    def cancel(self) -> None:
        """There is nothing to stop."""

    def done(self) -> bool:
        return True

    def __await__(self) -> Generator[Any, None, None]:
        yield from ()


def _answer_in(decision: decision_pb2.Decision) -> Answer:
    action, note = decision.cheat, decision.note
    match action.kind:
        case cheat_pb2.CHEAT_ACTION_KIND_PLAY:
            return Play.of(action.cards, action.rank, note)
        case cheat_pb2.CHEAT_ACTION_KIND_PASS:
            return Pass(note)
        case cheat_pb2.CHEAT_ACTION_KIND_CALL:
            return Call(note)
        case _:
            return Decline(note)


def card_set(text: str) -> cheat_pb2.CheatCards:
    """Make the contract's set of cards from text such as ``KS KD JK``."""
    return cheat_pb2.CheatCards(cards=bytes(sorted(cards(text))))


class Script:
    """The messages to one seat, told in a few words. Each method adds a message and returns the script.

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
        self.messages: list[play_pb2.SeatMessage] = []
        self._seats = seats
        self._seat = seat
        self._check = check
        self._pile = 0
        self._mover = 0
        self._sizes = [0] * seats
        self._prompt_id = 0
        terms = _terms(seats, games, _ruleset(decks, jokers, check), pace)
        self.tell(
            event_pb2.Event(match_started=event_pb2.MatchStarted(terms=terms)),
            event_pb2.Event(entrant_seed=event_pb2.EntrantSeed(seed=bytes(32))),
        )
        self.starts_game(0)

    def __iter__(self) -> Iterator[play_pb2.SeatMessage]:
        yield from self.messages

    def tell(self, *events: event_pb2.Event, **fields: Any) -> "Script":
        """Add a message of any events, and any other fields of SeatMessage by name."""
        sequence = len(self.messages) + 1
        self.messages.append(
            play_pb2.SeatMessage(match=1, entrant=self._seat, sequence=sequence, events=events, **fields)
        )
        return self

    def starts_game(self, game: int) -> "Script":
        """Begin a game; entrant e sits in seat e."""
        started = event_pb2.GameStarted(game=game, entrants=bytes(range(self._seats)))
        return self.tell(event_pb2.Event(game_started=started))

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

    def withdraws(self) -> "Script":
        """Close the last prompt without an answer."""
        return self.tell(withdrawn=[self._prompt_id])

    def ends_game(self, places: Sequence[int], game: int = 0) -> "Script":
        """End a game; places by seat."""
        ended = event_pb2.GameEnded(game=game, places=bytes(places), termination="finished")
        return self.tell(event_pb2.Event(game_ended=ended))

    def ends_match(self, place_sums: Sequence[int] = ()) -> "Script":
        """End the match; sums of places by entrant."""
        ended = event_pb2.MatchEnded(termination="finished", place_sums=place_sums)
        return self.tell(event_pb2.Event(match_ended=ended))

    def next_prompt(self) -> int:
        """Return a new prompt's id, for messages made by hand."""
        self._prompt_id += 1
        return self._prompt_id

    def _ask(self, prompt: decision_pb2.Prompt) -> "Script":
        prompt.id = self.next_prompt()
        return self.tell(prompts=[prompt])


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


def _terms(seats: int, games: int, rules: cheat_pb2.CheatRuleset, pace: str) -> ruleset_pb2.MatchTerms:
    return ruleset_pb2.MatchTerms(
        ruleset=ruleset_pb2.Ruleset(preset="standard", version="1", cheat=rules),
        pace=ruleset_pb2.Pace(
            style=ruleset_pb2.PaceStyle.Value(f"PACE_STYLE_{pace.upper()}"), turn_ms=2000, call_ms=1000
        ),
        entrants=[f"bot {index}" for index in range(seats)],
        game_count=games,
        seating=ruleset_pb2.SEATING_FIXED,
    )
