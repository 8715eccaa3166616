"""Measures the rules and their views without a wire. Random games are recorded first, then replayed and timed."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from random import Random
from typing import Any, NamedTuple

from arena.games.catalogue import games
from arena.match.game import Game, GameSetup, Seat, Style
from tools.benchmarks.chooser import chooser
from tools.benchmarks.row import Figure

SEATS = 4
MAX_DECKS = 251
RULES_GOAL = 300_000.0
RATIO_GOAL = 1.5
SCRIPT = 10_000
"""Recorded decisions per second of measuring. They are replayed repeatedly, and make up many games of most rulesets."""


class Drawn(NamedTuple):
    """The values of a draw."""

    values: tuple[int, ...]


class Answered(NamedTuple):
    """All answers to a group of questions."""

    kind: str
    actions: Mapping[Seat, Any]


Script = Sequence[Drawn | Answered | None]
"""The steps of recorded games; None begins a new game."""


def rules(seconds: float) -> list[Figure]:
    """Measure every preset of each game, and a game with many decks, for `seconds` each.

    The rules do the work that a practice table or a learning environment needs: every answer is checked and settled,
    every event is redacted for all seats, and every seat gets its options. Choosing answers, draws and deals are not
    counted.
    """
    standard = _rules_us("cheat", "standard", {}, seconds)
    others = [
        (f"rules {preset}", _rules_us(game.name, preset, {}, seconds))
        for game in games().values()
        for preset in game.presets
        if preset != "standard"
    ]
    others.append((f"rules {MAX_DECKS} decks", _rules_us("cheat", "standard", {"decks": MAX_DECKS}, seconds)))
    return [
        Figure("rules standard rate", "/s", 1e6 / standard, RULES_GOAL, True),
        *(Figure(name, "us", us) for name, us in [("rules standard", standard), *others]),
        *(Figure(f"{name} / standard", "x", us / standard, RATIO_GOAL) for name, us in others),
    ]


def _rules_us(game: str, preset: str, options: dict[str, object], seconds: float) -> float:
    player = Player(games()[game], preset, options)
    script, made = player.script(int(SCRIPT * seconds))
    return least_us(partial(player.replay_s, script), made, seconds)


def least_us(replay_s: Callable[[], float], decisions: int, seconds: float) -> float:
    """Return the microseconds of CPU time per decision in the fastest replay. Disturbances only make replays slower."""
    spans_s: list[float] = []
    until_s = time.perf_counter() + seconds
    while not spans_s or time.perf_counter() < until_s:
        spans_s.append(replay_s())
    return min(spans_s) / decisions * 1e6


class Player:
    """Plays random legal games in the sealed style, with all seats."""

    def __init__(self, game: Game, preset: str, options: dict[str, object]) -> None:
        self._game = game
        self._rules = game.build_ruleset(preset, options)
        self._random = Random(1)
        self._choose = chooser(game, self._random)

    def script(self, decisions: int) -> tuple[Script, int]:
        """Play random games until there are `decisions` decisions. Return the script and the number of decisions."""
        script: list[Drawn | Answered | None] = []
        state, made = None, 0
        while made < decisions:
            if state is None or self._game.outcome(state) is not None:
                script.append(None)
            elif (chance := self._game.chance_request(state)) is not None:
                script.append(Drawn(self._draw(chance)))
            else:
                group = self._game.open_groups(state)[0]
                actions = {each.seat: self._choose(state, group.kind, each) for each in group.questions}
                script.append(Answered(group.kind, actions))
                made += len(actions)
            state = self._follow(state, script[-1])
        return script, made

    def replay_s(self, script: Script) -> float:
        """Replay a script, and return the CPU seconds that the answers took."""
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
            return game.initial_state(self._rules, GameSetup(SEATS, 0, Style.SEALED))
        if isinstance(entry, Drawn):
            step = game.apply_chance(state, entry.values)
        else:
            kind, actions = entry
            legal = {s: a for s, a in actions.items() if game.why_illegal(state, s, a, kind) is None}
            step = game.resolve(state, kind, legal)
        for event in step.events:
            game.redact(event)
        game.open_groups(step.state)
        return step.state

    def _draw(self, chance: Any) -> tuple[int, ...]:
        if chance.faces:
            return tuple(self._random.randrange(chance.faces) for _ in range(chance.count))
        return tuple(self._random.sample(range(chance.count), chance.count))
