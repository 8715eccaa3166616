"""Decisions without a wire: the rules with all views, and a whole table. What is timed are games played again."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from random import Random
from typing import Any, NamedTuple

from arena.deal.stream import SEED_BYTES, SeededChance
from arena.match.orders import Ask, Order
from arena.match.pace import Pace
from arena.match.ports import MatchId, NoJournal
from arena.match.table import Table
from arena.match.terms import Terms
from arena.rules.catalog import GAMES
from arena.rules.cheat.actions import CALL, DECLINE, PASS, Action, Play
from arena.rules.cheat.cards import Hand
from arena.rules.cheat.state import State, TurnOptions
from arena.rules.game import Game, GameSetup, Seat, Style
from arena.secrecy.games import INSIGHTS
from tests.benchmarks.row import Figure

SEATS = 4
CALLS = 0.1
"""How often a window is answered with a call."""
MOST_DECKS = 251
RULES_GOAL = 160_000.0
RATIO_GOAL = 1.5
SCRIPT = 4000
"""So many decisions are made up and then replayed again and again; many games of most rulesets."""
MATCH = MatchId("BENCHMARK")


class Drawn(NamedTuple):
    """Values that a game asked for."""

    values: tuple[int, ...]


class Answered(NamedTuple):
    """All answers to a group of questions."""

    kind: str
    actions: Mapping[Seat, Any]


Script = Sequence[Drawn | Answered | None]
"""None: a new game."""


def rules(seconds: float) -> list[Figure]:
    """Every preset of each game, and many decks, each for so long.

    As a practice table or a learning environment uses them: every answer is checked and settled, every fact redacted
    for all seats, every seat given its options. What chose the answers is not counted, nor are draws and deals.
    """
    standard = _rules_us("cheat", "standard", {}, seconds)
    others = [
        (f"rules {preset}", _rules_us(game.name, preset, {}, seconds))
        for game in GAMES.values()
        for preset in game.presets
        if preset != "standard"
    ]
    others.append((f"rules {MOST_DECKS} decks", _rules_us("cheat", "standard", {"decks": MOST_DECKS}, seconds)))
    return [
        Figure("rules standard rate", "/s", 1e6 / standard, RULES_GOAL, True),
        *(Figure(name, "us", us) for name, us in [("rules standard", standard), *others]),
        *(Figure(f"{name} / standard", "x", us / standard, RATIO_GOAL) for name, us in others),
    ]


def table(seconds: float) -> list[Figure]:
    """Through a whole table: referee, prompts, records; without a journal, and an audience that listens to nothing."""
    terms = _terms()
    said = _conversation(terms)
    us = _least_us(partial(_replay_table_s, terms, said), len(said), seconds)
    return [Figure("table rate", "/s", 1e6 / us, is_more_better=True), Figure("table", "us", us)]


def _rules_us(game: str, preset: str, options: dict[str, object], seconds: float) -> float:
    player = Player(GAMES[game], preset, options)
    script, made = player.script()
    return _least_us(partial(player.replay_s, script), made, seconds)


def _least_us(replay_s: Callable[[], float], decisions: int, seconds: float) -> float:
    """CPU time of a decision: the least of all replays in so long, as everything that disturbs makes it longer."""
    spans_s: list[float] = []
    until_s = time.perf_counter() + seconds
    while not spans_s or time.perf_counter() < until_s:
        spans_s.append(replay_s())
    return min(spans_s) / decisions * 1e6


class Player:
    """Plays random legal games in the sealed style against itself."""

    def __init__(self, game: Game, preset: str, options: dict[str, object]) -> None:
        self._game = game
        self._rules = game.ruleset(preset, options)
        self._random = Random(1)
        self._choose = chooser(game, self._random)

    def script(self) -> tuple[Script, int]:
        """Make games up; gives what happened in them, and how many decisions that were."""
        script: list[Drawn | Answered | None] = []
        state, made = None, 0
        while made < SCRIPT:
            if state is None or self._game.outcome(state) is not None:
                script.append(None)
            elif (chance := self._game.chance(state)) is not None:
                script.append(Drawn(self._draw(chance)))
            else:
                group = self._game.groups(state)[0]
                actions = {each.seat: self._choose(state, group.kind, each) for each in group.questions}
                script.append(Answered(group.kind, actions))
                made += len(actions)
            state = self._follow(state, script[-1])
        return script, made

    def replay_s(self, script: Script) -> float:
        """Do it all again; gives the CPU seconds of the answers."""
        state, spent_s = None, 0.0
        for are_answers, entries in groupby(script, lambda entry: isinstance(entry, Answered)):
            row = list(entries)
            started_s = time.thread_time()
            for entry in row:
                state = self._follow(state, entry)
            spent_s += (time.thread_time() - started_s) * are_answers
        return spent_s

    def _follow(self, state: Any, entry: Drawn | Answered | None) -> Any:
        game = self._game
        if entry is None:
            return game.new(self._rules, GameSetup(SEATS, 0, Style.SEALED))
        if isinstance(entry, Drawn):
            step = game.draw(state, entry.values)
        else:
            kind, actions = entry
            legal = {s: a for s, a in actions.items() if game.why_illegal(state, s, a, kind) is None}
            step = game.resolve(state, kind, legal)
        for event in step.events:
            game.redact(event)
        game.groups(step.state)
        return step.state

    def _draw(self, chance: Any) -> tuple[int, ...]:
        if chance.faces:
            return tuple(self._random.randrange(chance.faces) for _ in range(chance.count))
        return tuple(self._random.sample(range(chance.count), chance.count))


class _Listener:
    """An audience that keeps what is asked."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []

    def publish(self, orders: Sequence[Order]) -> None:
        """Keep the questions."""
        self.asked += [order for order in orders if isinstance(order, Ask)]


class _Nobody:
    """An audience that listens to nothing."""

    def publish(self, orders: Sequence[Order]) -> None:
        """Tell nobody."""


Said = tuple[int, int, int, Any]
"""Entrant, prompt id, action id, action."""


def _terms() -> Terms:
    game = GAMES["cheat"]
    pace = replace(Pace.sealed(), no_deadlines=True)
    rules, names = game.ruleset("standard", {}), ("a", "b", "c", "d")
    return Terms(game, "standard", rules, pace, names, game_count=1000, rated=False).check()


def _table(terms: Terms, audience: _Listener | _Nobody) -> Table:
    chance = SeededChance(bytes(SEED_BYTES), MATCH)
    made = Table(1, MATCH, terms, NoJournal(), chance, audience, keeps_records=False)
    made.begin(0, 0)
    return made


def _conversation(terms: Terms) -> list[Said]:
    """Play at a table; gives every answer in order."""
    listener = _Listener()
    made = _table(terms, listener)
    choose = chooser(terms.game, Random(1))
    said: list[Said] = []
    while len(said) < SCRIPT:
        asked, listener.asked = listener.asked, []
        for entrant, prompt in asked:
            playing, seat = made.referee.playing, made.referee.seat_of(entrant)
            assert playing is not None
            assert seat is not None
            group = next(group for group in terms.game.groups(playing.state) if group.kind == prompt.kind)
            question = next(each for each in group.questions if each.seat == seat)
            said.append((entrant, prompt.id, len(said) + 1, choose(playing.state, prompt.kind, question)))
        for entry, at in zip(said[-len(asked) :], _instants(len(said) - len(asked)), strict=False):
            made.answer(at, at, *entry)
    return said


def _replay_table_s(terms: Terms, said: Sequence[Said]) -> float:
    made = _table(terms, _Nobody())
    started_s = time.thread_time()
    for entry, at in zip(said, _instants(0), strict=False):
        made.answer(at, at, *entry)
    return time.thread_time() - started_s


def _instants(first: int) -> Iterator[int]:
    """A decision every millisecond."""
    return iter(range(1000 * (first + 1), 1 << 62, 1000))


def chooser(game: Game, random: Random) -> Callable[[Any, str, Any], Any]:
    """What answers a question of a game by chance: takes state, kind and question."""
    if game.name == "cheat":
        return partial(_choose_cheat, random)
    return partial(_choose_any, game.name, random)


def _choose_any(game: str, random: Random, state: Any, kind: str, question: Any) -> Any:
    return INSIGHTS[game].choose(state, kind, question, random)(state)


def _choose_cheat(random: Random, state: State, kind: str, question: Any) -> Action:
    options = question.options
    if kind == "window":
        return CALL if random.random() < CALLS else DECLINE
    if not isinstance(options, TurnOptions) or options.face_up:
        action: Action = _choose_any("cheat", random, state, kind, question)
        return action
    if options.can_pass and random.random() < CALLS:
        return PASS
    return _lay(random, state.hands[question.seat], options)


def _lay(random: Random, hand: Hand, options: TurnOptions) -> Play:
    """Lay random cards of the hand."""
    first, last = random.choice(options.counts)
    count = random.randint(first, last)
    laid = count if options.laid is None else random.randint(options.laid[0], min(options.laid[1], 4))
    held = [code for code, number in enumerate(hand) for _ in range(min(number, laid))]
    return Play(bytes(sorted(random.sample(held, laid))), count, random.choice(options.ranks))
