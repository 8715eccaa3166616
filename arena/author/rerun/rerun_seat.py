"""Replays a match with the bot in one seat. There are no deadlines: each question waits for its answer."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from arena.author.rerun.answer_judge import AnswerJudge, BotResponse
from arena.author.rerun.recorded_prompts import merge_chance_moments
from arena.author.rerun.rerun_feed import RerunFeed, without_deadlines
from arena.errors import BotStartError, RequestError
from arena.games.catalogue import games
from arena.match.deal.stream import new_seed
from arena.match.referee.deal import MatchDeal, new_secret
from arena.match.referee.facts import DealRevealed
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
from arena.match.referee.ports import MatchId, run_inline
from arena.match.referee.referee import Referee
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, PromptId
from arena.match.referee.table import Audience
from arena.server.node.deals import AssignedDeal
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.limits import Limits
from arena.server.node.node import Node
from arena.server.node.session import Session
from arena.server.node.time_credits import MatchCredits

_UNLIMITED_S = 1_000_000
UNTIMED_LIMITS = Limits(
    hello_s=_UNLIMITED_S, silent_s=_UNLIMITED_S, outbox_age_us=_UNLIMITED_S * 1_000_000, outbox_bytes=1 << 26
)
"""Limits whose times never run out, because a debugger may stop the bot for hours."""
POLL_INTERVAL_S = 0.1
"""Seconds between two checks whether the bot is still running."""
CORRECTION_WAIT_S = (5.0, 0.5)
"""Seconds to wait for another answer after the first refused one, and after each later refused one.

The wait is limited, because the bot might not try again.
"""


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    match_id: MatchId
    number: int
    """The match's number on its node."""
    records: Sequence[bytes]
    revealed: DealRevealed | None
    """The deal; None if it was not revealed."""


@dataclass(frozen=True, slots=True)
class WaitPolicy:
    """How long to wait for the bot, and what to do during the wait."""

    check: Callable[[], None]
    """Raises BotStartError if no answer can be expected from the bot."""
    wait: Callable[[PromptId, float], None]
    """Called repeatedly during a wait, with the prompt id and the seconds waited so far."""
    max_s: float | None = None
    """The longest wait for one answer in seconds; None means no limit."""


class RerunSeat:
    """One entrant's seat in a recorded match, for a bot that is connected to the node."""

    def __init__(self, recorded: RecordedMatch, entrant: EntrantIndex, node: Node, wait_policy: WaitPolicy) -> None:
        self._recorded = recorded
        self._replay = replay = Replay(recorded.records, games())
        self._entrant = entrant
        self._node = node
        self._wait_policy = wait_policy
        self._judge = AnswerJudge(replay.referee, entrant)
        terms = replay.terms
        secret = replay.secret or new_secret(recorded.match_id, terms, partial(new_seed, os.urandom))
        self._feed = RerunFeed(
            recorded.number,
            without_deadlines(terms),
            secret.entrant_seeds(),
            node.gate,
            entrant,
            self._judge,
            recorded.revealed,
        )
        self._deal = MatchDeal(secret, terms.game_count, run_inline)
        self._table = RerunTable(replay.referee, self._feed.feed, self._judge)

    @property
    def responses(self) -> dict[PromptId, BotResponse]:
        """The bot's responses so far, by prompt id."""
        return self._judge.responses

    async def offer(self, session: Session) -> None:
        """Offer the seat to the bot and wait until it accepts.

        Raises RequestError if the bot cannot play the game or preset, BotStartError if it does not take the seat.
        """
        terms = self._replay.terms
        if not session.can_play(terms.game.name, terms.preset):
            raise RequestError(f"bot {session.key[0]!r} does not play {terms.game.name}/{terms.preset}")
        self._node.registry.offer_seats(self._build_hosted_match(session), self._node.now())
        began = time.monotonic()
        while not self._table.started.done():
            self._wait_policy.check()
            waited_s = time.monotonic() - began
            if self._wait_policy.max_s is not None and waited_s > self._wait_policy.max_s:
                raise BotStartError(f"{session.key[0]} has not answered the offer of its seat for {waited_s:.1f} s")
            await asyncio.wait({self._table.started}, timeout=POLL_INTERVAL_S)
        if self._entrant in self._table.started.result():
            raise BotStartError(f"{session.key[0]} declined the seat")

    def _build_hosted_match(self, session: Session) -> HostedMatch:
        """Return the match. The bot's seat is not accepted yet. All other seats count as accepted, without sessions."""
        terms, recorded = without_deadlines(self._replay.terms), self._recorded
        number, match_id, now = recorded.number, recorded.match_id, time.time()
        keys = tuple(session.key if each == self._entrant else ("", str(each)) for each in terms.entrant_indices)
        return HostedMatch(
            number=number,
            match_id=match_id,
            terms=terms,
            keys=keys,
            feed=self._feed.feed,
            table=self._table,
            credits=MatchCredits(self._table),
            created_at=now,
            deal=self._deal,
            assigned_deal=AssignedDeal(number, match_id, self._deal.secret, now),
            answers={each: True for each in terms.entrant_indices if each != self._entrant},
            is_rerun=True,
        )

    async def play(self, until: PromptId | None = None) -> None:
        """Play the match to its end, or until the question `until` is answered or given up.

        Raises whatever `WaitPolicy.check` raises.
        """
        for moment in merge_chance_moments(self._replay.moments()):
            self._feed.publish_recorded(moment.orders)
            await self._wait_for_answers()
            if until is not None and until in self.responses and self.responses[until].is_settled:
                return

    async def _wait_for_answers(self) -> None:
        since, table = time.monotonic(), self._table
        while waiting := self._judge.pending_responses:
            for prompt_id, response in waiting.items():
                self._update_given_up(prompt_id, response, time.monotonic() - since)
            refused = sum(len(response.refused) for response in waiting.values())
            table.input_arrived.clear()
            if self._judge.pending_responses:
                with suppress(TimeoutError):
                    await asyncio.wait_for(table.input_arrived.wait(), POLL_INTERVAL_S)
            if refused != sum(len(response.refused) for response in waiting.values()):
                since = time.monotonic()

    def _update_given_up(self, prompt_id: PromptId, response: BotResponse, waited_s: float) -> None:
        """Give up a question if the bot has left or the wait is too long. Otherwise run the policy's callbacks."""
        max_s = self._wait_policy.max_s
        if response.refused:
            correction_s = CORRECTION_WAIT_S[min(len(response.refused), len(CORRECTION_WAIT_S)) - 1]
            max_s = correction_s if max_s is None else min(max_s, correction_s)
        response.is_given_up = self._table.has_left or (max_s is not None and waited_s >= max_s)
        if not response.is_given_up:
            self._wait_policy.check()
            self._wait_policy.wait(prompt_id, waited_s)


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
