"""The rerun as the node sees it: a table that listens to one bot and whose match is moved only by the records."""

import asyncio
from collections.abc import Sequence
from typing import assert_never

from arena.match.inputs import (
    Answer,
    Begin,
    Cancel,
    Credit,
    Deal,
    Disconnect,
    Drawn,
    Input,
    Leave,
    Ready,
    Reconnect,
    Reject,
    Tick,
)
from arena.match.orders import Order
from arena.match.referee import Referee
from arena.match.scalars import EntrantIndex
from arena.match.table import Audience
from arena.rerun.answer_judge import AnswerJudge


class RerunTable:
    """Passes the bot's answers to the judge; implements `arena.node.hosted_match.MatchTable`."""

    def __init__(self, referee: Referee, audience: Audience, judge: AnswerJudge) -> None:
        """`referee` is the referee of the replay."""
        self.referee = referee
        self.recorder = None
        self.begun: asyncio.Future[Sequence[EntrantIndex]] = asyncio.get_running_loop().create_future()
        """Done when the seat is accepted or declined; its result is the entrants without a seat."""
        self.heard = asyncio.Event()
        self.has_left = False
        self._audience = audience
        self._judge = judge

    def apply(self, entry: Input) -> None:
        """Handle the bot's inputs; all other inputs from the node are ignored."""
        match entry:
            case Begin():
                if not self.begun.done():
                    self.begun.set_result(entry.absent)
            case Answer():  # only the bot answers, and the arrival time does not matter
                self._publish(self._judge.answer(entry.prompt_id, entry.action_id, entry.action))
            case Reject():
                self._publish(self._judge.reject(entry.prompt_id, entry.action_id, entry.reason))
            case Leave():  # the bot still receives the rest but is not waited for
                self.has_left = True
                self.heard.set()
            case Ready() | Tick() | Credit() | Cancel() | Disconnect() | Reconnect() | Drawn() | Deal():
                return  # the records determine these; the rerun waits for a disconnected bot
            case _:
                assert_never(entry)

    def _publish(self, orders: Sequence[Order]) -> None:
        self._audience.publish(orders)
        self.heard.set()
