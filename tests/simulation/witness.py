"""Watches a run at every step and records each broken promise. It uses no code that it watches.

What leaves the server is compared with what its disk holds, what a seat is shown with the cards that the seat was dealt
or took by the true events, and what a bot is told with what it was told before.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from arena.games.cheat.rules.cards import cards_from_hand
from arena.games.cheat.rules.events import Called, Dealt
from arena.match.feed.match_feed import MatchFeed
from arena.match.feed.outbox import Outbox
from arena.match.game import Game
from arena.match.referee.facts import GameStarted
from arena.match.referee.inputs import match_number_of
from arena.match.referee.orders import AnnounceFact, Order, TellEvent
from arena.match.referee.replay import Moment, Replay
from cheatarena.v1 import decision_pb2, error_reason_pb2, event_pb2, play_pb2
from tests.simulation.virtual_bot import VirtualBot
from tests.simulation.virtual_disk import VirtualDisk
from tests.simulation.virtual_time import World

ACCEPTED = decision_pb2.DECISION_STATUS_ACCEPTED
NodeSeat = tuple[str, int, int]
"""Node, match number and entrant."""


class Witness:
    """Holds what was promised, and compares everything that follows with it."""

    def __init__(self, world: World, disk: VirtualDisk) -> None:
        self.disk = disk
        self.node = ""
        """The name of the running server."""
        self._clock: Callable[[], int] = lambda: 0
        self.accepted: set[tuple[str, int, int, int]] = set()
        """Match id, entrant, prompt and action of every decision that a bot was told is accepted."""
        self.ended: dict[str, tuple[int, ...]] = {}
        """Place sums of the matches whose end a bot was told, by match id."""
        self._world = world
        self._seats: dict[int, Sequence[int]] = {}
        """Entrant by seat in the running game, by match number."""
        self._own_cards: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        """The cards that an entrant has had in the running game, by match number and entrant."""
        self._earlier_cards: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        """The same in the game before."""
        self._deadlines: dict[tuple[NodeSeat, int], int] = {}
        self._arrivals: dict[tuple[NodeSeat, int, int], int] = {}
        self._answered: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
        """The prompts that an entrant has answered, by match id and entrant."""

    def on_start(self, node: str, clock: Callable[[], int]) -> None:
        """Begin to watch another server, whose clock this is."""
        self.node, self._clock = node, clock
        self._seats.clear()
        self._own_cards.clear()
        self._earlier_cards.clear()

    # ---- inside the server: what is true, and what leaves

    def on_publish(self, number: int, orders: Iterable[Order]) -> None:
        """Follow the true events of a match: who has had which cards."""
        for order in orders:
            if isinstance(order, AnnounceFact) and isinstance(order.fact, GameStarted):
                self._seats[number] = order.fact.entrants
                for entrant in order.fact.entrants:  # a message may hold the end of a game and the start of the next
                    own = self._own_cards[number, entrant]
                    self._earlier_cards[number, entrant], self._own_cards[number, entrant] = own, set()
            elif isinstance(order, TellEvent) and isinstance(order.event, Dealt):
                for seat, hand in enumerate(order.event.hands):
                    self._own_cards[number, self._seats[number][seat]] |= {*cards_from_hand(hand)}
            elif isinstance(order, TellEvent) and isinstance(order.event, Called):
                taker = self._seats[number][order.event.taker]
                self._own_cards[number, taker] |= {*cards_from_hand(order.event.taken)}

    def on_staged(self, raw: bytes) -> None:
        """Check that a message shows its receiver no hand but its own."""
        for message in play_pb2.PlayResponse.FromString(raw).messages:
            seat = message.match, message.entrant
            shown = {*message.snapshot.cheat.hand.cards}.union(*map(_private_cards, message.events))
            if not shown <= self._own_cards[seat] | self._earlier_cards[seat]:
                self._world.violate(f"entrant {message.entrant} of match {message.match} is shown cards of others")

    def on_leaving(self, needed: int) -> None:
        """Check that everything that caused a message is recorded."""
        if needed > self.disk.durable:
            self._world.violate(f"told before recorded: {needed - self.disk.durable} records are missing")

    def on_decisions(self, bot: str, raw: bytes) -> None:
        """Note when decisions have arrived at the server."""
        now = self._clock()
        for each in play_pb2.PlayRequest.FromString(raw).decisions:
            key = (self.node, each.match, each.entrant), each.prompt_id, each.action_id
            self._arrivals.setdefault(key, now)

    # ---- outside: what bots are told

    def on_bot_message(self, bot: VirtualBot, message: play_pb2.SeatMessage) -> None:
        """Check a message that a bot receives against what it and others have received."""
        if message.sequence:
            self._check_sequence(bot, message)
        seat = bot.node, message.match, message.entrant
        match_id = self._match_id(bot.node, message.match)
        if match_id:
            self._check_prompts(seat, match_id, message)
            self._check_answers(seat, match_id, message)
            self._check_events(bot, match_id, message)

    def _check_sequence(self, bot: VirtualBot, message: play_pb2.SeatMessage) -> None:
        last = bot.positions.get((message.match, message.entrant), 0)
        is_next = message.sequence - message.joined_count == last + 1
        if not is_next and not (message.HasField("snapshot") and message.sequence >= last):
            self._world.violate(f"{bot.name} gets message {message.sequence} after {last}")

    def _check_prompts(self, seat: NodeSeat, match_id: str, message: play_pb2.SeatMessage) -> None:
        answered = {*message.snapshot.answered}
        for prompt in [*message.snapshot.prompts, *message.prompts]:
            known = self._deadlines.get((seat, prompt.id), 0)
            self._deadlines[seat, prompt.id] = max(known, prompt.deadline_us)
            if prompt.id in self._answered[match_id, seat[2]] and prompt.id not in answered:
                self._world.violate(f"entrant {seat[2]} of {match_id} is asked again what it has answered")

    def _check_answers(self, seat: NodeSeat, match_id: str, message: play_pb2.SeatMessage) -> None:
        late = event_pb2.FAULT_KIND_LATE
        struck = {event.fault.prompt_id for event in message.events if event.fault.kind == late}
        for answer in message.answers:
            key = seat, answer.prompt_id
            if answer.status == ACCEPTED:
                self.accepted.add((match_id, seat[2], answer.prompt_id, answer.action_id))
                self._answered[match_id, seat[2]].add(answer.prompt_id)
            elif answer.reason == error_reason_pb2.ERROR_REASON_LATE and answer.prompt_id in struck:
                arrived = self._arrivals.get((seat, answer.prompt_id, answer.action_id))
                if arrived is not None and key in self._deadlines and arrived <= self._deadlines[key]:
                    self._world.violate(f"an answer of entrant {seat[2]} that came in time was judged late")

    def _check_events(self, bot: VirtualBot, match_id: str, message: play_pb2.SeatMessage) -> None:
        for event in message.events:
            if event.HasField("fault") and bot.temper == "punctual":
                kind = event_pb2.FaultKind.Name(event.fault.kind)
                self._world.violate(f"{bot.name} is punctual and gets {kind}")
        for event in [*message.snapshot.events, *message.events]:
            if event.HasField("match_ended"):
                sums = tuple(event.match_ended.place_sums)
                if self.ended.setdefault(match_id, sums) != sums:
                    self._world.violate(f"match {match_id} ends in two ways")

    def _match_id(self, node: str, number: int) -> str:
        journal = f"{node}.journal"
        return next((d.match_id for d in self.disk.deals if (d.journal, d.match_number) == (journal, number)), "")


def _private_cards(event: event_pb2.Event) -> bytes:
    """Return the cards of a fact that only their owner may see."""
    match event.WhichOneof("fact"):
        case "cheat_hand":
            return event.cheat_hand.cards.cards
        case "cheat_taken":
            return event.cheat_taken.cards.cards
        case "cheat_laid":
            return event.cheat_laid.cards.cards
        case _:
            return b""


class WatchedOutbox(Outbox):
    """An outbox that knows which records each of its messages needs."""

    witness: ClassVar[Witness]

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self._needed: deque[int] = deque()

    def stage(self, message: bytes) -> bool:
        """Stage a message."""
        self._needed.append(self.witness.disk.appended)
        self.witness.on_staged(message)
        return super().stage(message)

    def send_at_once(self, message: bytes) -> None:
        """Note that a message needs no record. It leaves behind those that are ready, and before those that wait."""
        self._needed.insert(len(self._ready), 0)
        super().send_at_once(message)

    def take_frame(self) -> list[bytes]:
        """Take the messages that leave now."""
        leaving = super().take_frame()
        for _ in leaving:
            self.witness.on_leaving(self._needed.popleft())
        return leaving


class WatchedFeed(MatchFeed):
    """A feed whose true events are followed."""

    witness: ClassVar[Witness]

    def __init__(self, number: int, *values: Any) -> None:
        super().__init__(number, *values)
        self._number = number

    def publish(self, orders: Sequence[Order]) -> None:
        """Follow the events, then publish them."""
        self.witness.on_publish(self._number, orders)
        super().publish(orders)


class WatchedReplay(Replay):
    """A replay of an interrupted match whose true events are followed."""

    witness: ClassVar[Witness]

    def __init__(self, records: Sequence[bytes], games: Mapping[str, Game]) -> None:
        super().__init__(records, games)
        self._number = match_number_of(records[0])

    def moments(self) -> Iterator[Moment]:
        """Follow the events of each moment, then yield the moment."""
        for moment in super().moments():
            self.witness.on_publish(self._number, moment.orders)
            yield moment
