"""The place as the node sees it: a match in the hall that no clock moves, and a table that listens to one bot."""

import asyncio
from collections.abc import Sequence
from typing import Any

from arena.match.deal import MatchDeal
from arena.match.orders import Order
from arena.match.ports import MatchId, NullJournal
from arena.match.referee import Referee
from arena.match.table import Table
from arena.node.hosted_match import HostedMatch
from arena.rerun.answer_judge import AnswerJudge
from arena.rerun.rerun_feed import RerunFeed


class RerunBooking(HostedMatch):
    """A match in which nothing happens by itself."""

    __slots__ = ()

    @property
    def due(self) -> int | None:
        """Never."""
        return None


class RerunTable(Table):
    """Takes what the bot says to its judge. Everything else that a node tells a table does not concern the match."""

    def __init__(
        self, number: int, match_id: MatchId, referee: Referee, room: RerunFeed, judge: AnswerJudge, deal: MatchDeal
    ) -> None:
        super().__init__(number, match_id, referee.terms, NullJournal(), deal, room, keeps_records=False)
        self.referee = referee
        self.begun: asyncio.Future[Sequence[int]] = asyncio.get_running_loop().create_future()
        """Done when the seat was accepted or declined; gives who holds no seat."""
        self.heard = asyncio.Event()
        self.has_left = False
        self._room = room
        self._judge = judge

    @property
    def due(self) -> int | None:
        """Never: the records say when."""
        return None

    def begin(self, at: int, now: int, absent: Sequence[int] = ()) -> None:
        """The bot has taken its seat, or has not."""
        del at, now
        if not self.begun.done():
            self.begun.set_result(absent)

    def answer(
        self,
        at: int,
        now: int,
        entrant: int,
        prompt_id: int,
        action_id: int,
        action: Any,
        note: str = "",
    ) -> None:
        """The bot has decided."""
        del at, now, entrant, note  # it is the bot, and when does not matter
        self._publish(self._judge.answer(prompt_id, action_id, action))

    def reject(self, at: int, now: int, entrant: int, prompt_id: int, action_id: int, reason: str) -> None:
        """The bot has sent what cannot be read."""
        del at, now, entrant
        self._publish(self._judge.reject(prompt_id, action_id, reason))

    def leave(self, at: int, now: int, entrant: int) -> None:
        """The bot gives up: it is told the rest, and nobody waits for it."""
        del at, now, entrant
        self.has_left = True
        self.heard.set()

    def tick(self, at: int, now: int) -> None:
        """Nothing is due."""

    def mark_ready(self, at: int, now: int, entrant: int) -> None:
        """The records say when the next game begins."""

    def disconnect(self, at: int, now: int, entrant: int) -> None:
        """The bot is waited for."""

    def reconnect(self, at: int, now: int, entrant: int) -> None:
        """The bot is told what it has missed; the match knows nothing of it."""

    def credit(self, at: int, now: int, us: int) -> None:
        """No time runs here."""

    def cancel(self, at: int, now: int, termination: str) -> None:
        """The node stops, which is no part of the match."""

    def _publish(self, orders: Sequence[Order]) -> None:
        self._room.publish(orders)
        self.heard.set()
