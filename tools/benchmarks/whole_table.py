"""Measures decisions at a whole table without a wire. Random answers are recorded first, then replayed and timed."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from arena.games.catalogue import games
from arena.match.deal.stream import SEED_BYTES, SeededChance
from arena.match.game import Game
from arena.match.referee.inputs import Answer, Begin
from arena.match.referee.orders import Ask, Order
from arena.match.referee.pace import Pace
from arena.match.referee.ports import MatchId, NullJournal
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.match.referee.table import Table
from arena.match.referee.terms import Terms, describe_terms
from tools.benchmarks.chooser import chooser
from tools.benchmarks.engine import SCRIPT, least_us
from tools.benchmarks.row import Figure

MATCH = MatchId("BENCHMARK")
RATE_GOAL = 150_000.0


def table(seconds: float) -> list[Figure]:
    """Measure a table with its referee, prompts and records, but without a journal and with nobody who listens."""
    terms = _terms()
    said = _conversation(terms, int(SCRIPT * seconds))
    us = least_us(partial(_replay_table_s, terms, said), len(said), seconds)
    return [Figure("table rate", "/s", 1e6 / us, RATE_GOAL, is_more_better=True), Figure("table", "us", us)]


class _Listener:
    """An audience that keeps the questions."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []

    def publish(self, orders: Sequence[Order]) -> None:
        self.asked += [order for order in orders if isinstance(order, Ask)]


class _Nobody:
    """An audience that ignores everything."""

    def publish(self, orders: Sequence[Order]) -> None:
        """Ignore the orders."""


Said = Callable[[Instant], Answer]
"""Returns a decision that arrives at the given instant."""


def _terms() -> Terms:
    game = games()["cheat"]
    pace = replace(Pace.sealed_defaults(), no_deadlines=True)
    rules, names = game.build_ruleset("standard", {}), ("a", "b", "c", "d")
    return Terms(game, "standard", rules, pace, names, game_count=1000, rated=False).check()


def _table(terms: Terms, audience: _Listener | _Nobody) -> Table:
    chance = SeededChance(bytes(SEED_BYTES), MATCH)
    made = Table(1, MATCH, terms, NullJournal(), chance, audience, keeps_records=False)
    made.apply(Begin(Instant(0), Instant(0), MATCH, describe_terms(terms)))
    return made


def _conversation(terms: Terms, decisions: int) -> list[Said]:
    """Play at a table, and return all answers in order."""
    listener = _Listener()
    made = _table(terms, listener)
    choose = chooser(terms.game, Random(1))
    said: list[Said] = []
    while len(said) < decisions:
        asked, listener.asked = listener.asked, []
        for order in asked:
            entrant, prompt = order.entrant, order.prompt
            playing, seat = made.referee.current_game, made.referee.seat_of(entrant)
            assert playing is not None
            assert seat is not None
            group = next(group for group in terms.game.open_groups(playing.state) if group.kind == prompt.kind)
            question = next(each for each in group.questions if each.seat == seat)
            action = choose(playing.state, prompt.kind, question)
            said.append(_decision(terms.game, entrant, prompt.id, len(said) + 1, action))
        for entry, at in zip(said[-len(asked) :], _instants(len(said) - len(asked)), strict=False):
            made.apply(entry(at))
    return said


def _replay_table_s(terms: Terms, said: Sequence[Said]) -> float:
    made = _table(terms, _Nobody())
    started_s = time.thread_time()
    for entry, at in zip(said, _instants(0), strict=False):
        made.apply(entry(at))
    return time.thread_time() - started_s


def _decision(game: Game, entrant: EntrantIndex, prompt_id: PromptId, action_id: int, action: Any) -> Said:
    return lambda at: Answer(at, at, entrant, prompt_id, action_id, game.write_action(action), action=action)


def _instants(first: int) -> Iterator[Instant]:
    """Yield the instants of the decisions from number `first` on: one every millisecond."""
    return map(Instant, range(1000 * (first + 1), 1 << 62, 1000))
