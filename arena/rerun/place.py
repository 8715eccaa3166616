"""A match once more, with the bot in one place: told as it was, one question after the other, no clock running."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from arena.deal.stream import new_seed
from arena.errors import BotStartError, RequestError
from arena.match.booking import Booking, Guest
from arena.match.deal import MatchDeal, new_secret
from arena.match.facts import DealRevealed
from arena.match.furnishing import at_once
from arena.match.ports import MatchId
from arena.match.replay import Replay
from arena.match.shoe import LaidDeal
from arena.rerun.judge import Given, Judge
from arena.rerun.moments import whole_moments
from arena.rerun.room import RerunRoom, untimed
from arena.rerun.table import RerunBooking, RerunTable
from arena.rpc.games import games
from arena.rpc.limits import Limits
from arena.rpc.node import Node

_FOR_EVER_S = 1_000_000
LIMITS = Limits(hello_s=_FOR_EVER_S, silent_s=_FOR_EVER_S, outbox_age_us=_FOR_EVER_S * 1_000_000, outbox_bytes=1 << 26)
"""A debugger may hold the whole program."""
POLL_S = 0.1
"""How often one looks whether the bot is still there."""
MEND_S = (5.0, 0.5)
"""How long one waits for an answer that mends a refused one, or several: a bot may have stopped trying."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A match as its journal has kept it."""

    match_id: MatchId
    number: int
    """On its node."""
    records: Sequence[bytes]
    revealed: DealRevealed | None
    """Its deal, opened; None where it was not."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the bot is waited for, and whom that concerns."""

    check: Callable[[], None]
    """Raises a ConductError when the bot will not answer any more."""
    wait: Callable[[int, float], None]
    """Told while an answer is waited for: to which question, for how many seconds already."""
    most_s: float | None = None
    """What a question may take; None: as long as it likes."""


class Place:
    """One entrant's place in a match, for a bot that is connected to the node."""

    def __init__(self, recorded: Recorded, entrant: int, node: Node, patience: Patience) -> None:
        self._replay = replay = Replay(recorded.records, games())
        self._entrant = entrant
        self._node = node
        self._patience = patience
        self._judge = Judge(replay.referee, entrant)
        terms = replay.terms
        secret = replay.secret or new_secret(recorded.match_id, terms, partial(new_seed, os.urandom))
        self._room = RerunRoom(
            recorded.number, untimed(terms), secret.entrant_seeds(), node.gate, entrant, self._judge, recorded.revealed
        )
        self._deal = MatchDeal(secret, terms.game_count, at_once)
        self._table = RerunTable(
            recorded.number, recorded.match_id, replay.referee, self._room, self._judge, self._deal
        )

    @property
    def given(self) -> dict[int, Given]:
        """What the bot has said so far, by question."""
        return self._judge.given

    async def offer(self, guest: Guest) -> None:
        """Offer the seat to the bot and wait until it has it.

        Raises RequestError for a bot of another game, BotStartError for one that does not take the seat.
        """
        terms = self._replay.terms
        if not guest.plays(terms.game.name, terms.preset):
            raise RequestError(f"bot {guest.key[0]!r} does not play {terms.game.name}/{terms.preset}")
        hall = self._node.hall
        hall.on_started = hall.on_ended = lambda _: None  # it is no match of this server
        hall.offer(self._booking(guest), self._node.now())
        began = time.monotonic()
        while not self._table.begun.done():
            self._check_offer(guest, time.monotonic() - began)
            await asyncio.wait({self._table.begun}, timeout=POLL_S)
        if self._entrant in self._table.begun.result():
            raise BotStartError(f"{guest.key[0]} declines the seat that it is offered")

    def _check_offer(self, guest: Guest, waited_s: float) -> None:
        self._patience.check()
        if self._patience.most_s is not None and waited_s > self._patience.most_s:
            raise BotStartError(f"{guest.key[0]} has not answered the offer of its seat for {waited_s:.1f} s")

    def _booking(self, guest: Guest) -> Booking:
        """The match with everybody seated but the bot; nobody sits where nobody sat."""
        table, terms, entrants = self._table, untimed(self._replay.terms), range(len(self._replay.terms.entrants))
        keys = tuple(guest.key if each == self._entrant else ("", str(each)) for each in entrants)
        now, number, match_id, deal = time.time(), table.number, table.match_id, self._deal
        laid = LaidDeal(number, match_id, deal.secret, now)
        booking = RerunBooking(number, match_id, terms, keys, self._room, table, now, deal, laid)
        booking.answers = dict.fromkeys((each for each in entrants if each != self._entrant), True)
        return booking

    async def play(self, until: int | None = None) -> None:
        """Go through the match, to its end or up to a question that is to be answered still.

        Raises what `Patience.check` raises.
        """
        for moment in whole_moments(self._replay.moments()):
            self._room.tell(moment.orders)
            await self._hear()
            if until is not None and until in self.given and self.given[until].is_settled:
                return

    async def _hear(self) -> None:
        """Wait until the bot has answered all that it is asked."""
        since, table = time.monotonic(), self._table
        while waiting := self._judge.waiting:
            for prompt_id, given in waiting.items():
                self._weigh(prompt_id, given, time.monotonic() - since)
            refused = sum(len(given.refused) for given in waiting.values())
            table.heard.clear()
            if self._judge.waiting:
                with suppress(TimeoutError):
                    await asyncio.wait_for(table.heard.wait(), POLL_S)
            if refused != sum(len(given.refused) for given in waiting.values()):
                since = time.monotonic()

    def _weigh(self, prompt_id: int, given: Given, waited_s: float) -> None:
        """Give up waiting where that makes sense."""
        most_s = self._patience.most_s
        if given.refused:
            mend_s = MEND_S[min(len(given.refused), len(MEND_S)) - 1]
            most_s = mend_s if most_s is None else min(most_s, mend_s)
        given.is_given_up = self._table.has_left or (most_s is not None and waited_s >= most_s)
        if not given.is_given_up:
            self._patience.check()
            self._patience.wait(prompt_id, waited_s)
