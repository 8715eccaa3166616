"""The table of a rerun as the node sees it: it takes the bot's inputs, but only the records change the match."""

import asyncio
from collections.abc import Sequence
from typing import assert_never

from arena.author.rerun.answer_judge import AnswerJudge
from arena.match.referee.inputs import (
    Answer,
    Begin,
    Cancel,
    Credit,
    Deal,
    Disconnect,
    Drawn,
    Input,
    Leave,
    NewRoundTrip,
    NoAnswer,
    Ready,
    Reconnect,
    Reject,
    Tick,
)
from arena.match.referee.orders import Order
from arena.match.referee.referee import Referee
from arena.match.referee.scalars import EntrantIndex
from arena.match.referee.table import Audience


class RerunTable:
    """Passes the bot's answers to the judge; implements `arena.match.referee.table.MatchTable`."""

    def __init__(self, referee: Referee, audience: Audience, judge: AnswerJudge) -> None:
        """`referee` is the replay's referee; `audience` gets the orders that acknowledge the bot's answers."""
        self.referee = referee
        self.recorder = None
        self.started: asyncio.Future[Sequence[EntrantIndex]] = asyncio.get_running_loop().create_future()
        """Done when the bot has accepted or declined the seat. The result lists the entrants without a seat."""
        self.input_arrived = asyncio.Event()
        """Set whenever the bot has sent an answer or left."""
        self.has_left = False
        self._audience = audience
        self._judge = judge

    def apply(self, entry: Input) -> None:
        """Handle an input that the bot caused. Ignore everything else that the node passes in."""
        match entry:
            case Begin():
                if not self.started.done():
                    self.started.set_result(entry.absent)
            case Answer():  # from the bot, as nobody else has a session; the arrival time does not matter
                self._publish(self._judge.answer(entry.prompt_id, entry.action_id, entry.action))
            case Reject():
                self._publish(self._judge.reject(entry.prompt_id, entry.action_id, entry.reason))
            case NoAnswer():
                self._publish(self._judge.go_without_answer(entry.prompt_id, entry.action_id, entry.given))
            case Leave():  # the bot still gets all messages, but nobody waits for its answers
                self.has_left = True
                self.input_arrived.set()
            case (
                Ready() | Tick() | NewRoundTrip() | Credit() | Cancel() | Disconnect() | Reconnect() | Drawn() | Deal()
            ):
                return  # the records have these inputs, and a rerun waits for a bot that lost its connection
            case _:
                assert_never(entry)

    def _publish(self, orders: Sequence[Order]) -> None:
        self._audience.publish(orders)
        self.input_arrived.set()
