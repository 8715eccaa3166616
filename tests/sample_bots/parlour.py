"""Whole matches between bot objects in one process: the real table and feed, the real seats of the SDK, no network.

Nothing is ever late, and the same seed plays the same match.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.deal.stream import SeededChance, entrant_seed
from arena.feed.match_feed import MatchFeed
from arena.match.orders import Answer, Order, Status, Strike
from arena.match.pace import Pace
from arena.match.ports import MatchId
from arena.match.table import Table
from arena.match.terms import Terms
from arena.rpc.codec import ProtoCodec
from arena.rpc.games import WIRES
from cheatarena import Bot
from cheatarena.clock import ServerClock
from cheatarena.scanning import split_frame, split_message
from cheatarena.seat import Seat
from cheatarena.v1 import play_pb2

WIRE = WIRES["cheat"]


class Pigeonhole:
    """Messages to one entrant, in order. Stands where the outbox of a session would."""

    asked_count = 0

    def __init__(self) -> None:
        self.messages: deque[bytes] = deque()

    def stage(self, field: bytes) -> None:
        self.messages += split_frame(field)[0]


class Nowhere:
    """A journal that keeps nothing, and the gate that never shuts."""

    def append(self, record: bytes) -> None: ...

    def flush(self) -> None: ...

    def hold(self, staged: object) -> None: ...


class Line:
    """The world of the seats: what they send is kept until it is their turn to be heard."""

    is_strict = True

    def __init__(self) -> None:
        self.clock = ServerClock()
        self.clock.read(0, time.monotonic())
        self.sent: deque[bytes] = deque()

    def send(self, request: bytes) -> None:
        self.sent.append(request)

    def start(self, work: Any) -> Any:
        raise AssertionError("a sample bot waits for nothing")

    def later(self, delay_s: float, work: Any) -> Any:
        raise AssertionError("in the sealed pace a call is never early")

    def fail(self, table: object, error: Exception) -> None:
        raise error

    def queued(self, queued_s: float, allowed_s: float) -> None: ...


class Parlour:
    """One match. `faults` are strikes and refused answers; `told` is what each entrant was sent."""

    def __init__(self, bots: Sequence[type[Bot]], games: int = 1, seed: int = 0, **options: Any) -> None:
        self.faults: list[Order] = []
        self.told: list[list[play_pb2.SeatMessage]] = [[] for _ in bots]
        terms = Terms(
            game=WIRE.game,
            preset="standard",
            ruleset=WIRE.game.ruleset("standard", options),
            pace=replace(Pace.sealed(), no_deadlines=True),
            entrants=tuple(f"bot {index}" for index in range(len(bots))),
            game_count=games,
            rated=False,
        ).check()
        match, secret, nowhere = MatchId(f"parlour{seed}"), seed.to_bytes(32, "big"), Nowhere()
        seeds = [entrant_seed(secret, match, entrant) for entrant in range(len(bots))]
        self.feed = MatchFeed(1, terms, seeds, ProtoCodec(WIRE), nowhere)  # type: ignore[arg-type]
        self.table = Table(1, match, terms, nowhere, SeededChance(secret, match), self, keeps_records=False)
        self._line = Line()
        self._seats = [Seat(1, entrant, bot(), self._line) for entrant, bot in enumerate(bots)]
        self._holes = [Pigeonhole() for _ in bots]
        for entrant, hole in enumerate(self._holes):
            self.feed.attach(self.table.referee, entrant, hole, None)  # type: ignore[arg-type]
        self._now = 1
        self.table.begin(1, 1)

    def publish(self, orders: Sequence[Order]) -> None:
        """Hear what happened at the table, as its audience."""
        refused = [each for each in orders if isinstance(each, Answer) and each.status is Status.REFUSED]
        self.faults += [each for each in orders if isinstance(each, Strike)] + refused
        self.feed.publish(orders)

    def step(self) -> bool:
        """Give everybody what came for them and hear what they say. Tells whether there was anything."""
        is_news = False
        for entrant, hole in enumerate(self._holes):
            while hole.messages:
                is_news = True
                message = hole.messages.popleft()
                self.told[entrant].append(play_pb2.SeatMessage.FromString(message))
                self._seats[entrant].take(split_message(message), 0.0)
            self._hear()
        return is_news

    def play(self) -> "Parlour":
        """Play to the end of the match."""
        while self.step():
            pass
        assert self.table.referee.ended is not None, "nobody is asked, and the match is not over"
        return self

    def snapshot(self, entrant: int) -> play_pb2.SeatMessage:
        """Give what an entrant would be sent that comes back now and has forgotten everything."""
        hole = Pigeonhole()
        self.feed.attach(self.table.referee, entrant, hole, None)  # type: ignore[arg-type]
        self.feed.attach(self.table.referee, entrant, self._holes[entrant], len(self.told[entrant]))  # type: ignore[arg-type]
        return play_pb2.SeatMessage.FromString(hole.messages[0])

    def places(self) -> list[list[int]]:
        """List the places of each entrant, game by game."""
        found: list[list[int]] = [[] for _ in self._seats]
        for result in self.table.referee.results:
            for entrant, place in zip(result.entrants, result.places, strict=True):
                found[entrant].append(place)
        return found

    def _hear(self) -> None:
        while self._line.sent:
            for said in play_pb2.PlayRequest.FromString(self._line.sent.popleft()).decisions:
                self._now += 1
                action = WIRE.read_action(said)
                self.table.answer(self._now, self._now, said.entrant, said.prompt_id, said.action_id, action)
