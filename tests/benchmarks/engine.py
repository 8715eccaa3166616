"""The rules alone, without a referee and without a wire: random legal games, decisions a second of one core."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from arena.rules.catalog import GAMES
from arena.rules.cheat.actions import CALL, DECLINE, PASS, Action, Play
from arena.rules.cheat.cards import Hand
from arena.rules.cheat.state import State, TurnOptions
from arena.rules.game import Game, GameSetup, Style
from arena.secrecy.games import INSIGHTS

SEATS = 4
CALLS = 0.1
"""How often a window is answered with a call."""
DECKS = (1, 10, 251)


@dataclass(frozen=True, slots=True)
class EngineRow:
    """One ruleset."""

    name: str
    decisions: int
    us: float
    """CPU time of a decision, microseconds."""

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return 1e6 / self.us


def engine_row(name: str, game: str, preset: str, options: dict[str, object], seconds: float) -> EngineRow:
    """Play random legal games in the sealed style for so long."""
    player = Player(GAMES[game], preset, options)
    player.play(seconds / 4)
    decisions, spent_s = player.play(seconds)
    return EngineRow(name, decisions, spent_s / max(1, decisions) * 1e6)


def engine_rows(seconds: float) -> list[EngineRow]:
    """A row for each preset of each game, and for many decks."""
    rows = [
        engine_row(f"{game.name}/{preset}", game.name, preset, {}, seconds)
        for game in GAMES.values()
        for preset in game.presets
    ]
    return rows + [engine_row(f"{decks} decks", "cheat", "standard", {"decks": decks}, seconds) for decks in DECKS]


class Player:
    """Plays game after game against itself. Choosing is not measured, what the rules do is."""

    def __init__(self, game: Game, preset: str, options: dict[str, object]) -> None:
        self._game = game
        self._rules = game.ruleset(preset, options)
        self._random = Random(1)
        self._state: Any = None
        self._choose: Callable[[Any, str, Any], Any] = self._of_cheat if game.name == "cheat" else self._of_another

    def play(self, seconds: float) -> tuple[int, float]:
        """Play for so long; gives decisions, and the seconds that the rules took for them."""
        decisions, spent_s = 0, 0.0
        until_s = time.perf_counter() + seconds
        while time.perf_counter() < until_s:
            made, took_s = self._step()
            decisions, spent_s = decisions + made, spent_s + took_s
        return decisions, spent_s

    def _step(self) -> tuple[int, float]:
        """Draw, or answer all open questions of a group and settle it."""
        game = self._game
        if self._state is None or game.outcome(self._state) is not None:
            self._state = game.new(self._rules, GameSetup(SEATS, 0, Style.SEALED))
        chance = game.chance(self._state)
        if chance is not None:
            faces = chance.faces
            values = (
                [self._random.randrange(faces) for _ in range(chance.count)]
                if faces
                else self._random.sample(range(chance.count), chance.count)
            )
            self._state = game.draw(self._state, values).state
            return 0, 0.0
        group = game.groups(self._state)[0]
        answers = {each.seat: self._choose(self._state, group.kind, each) for each in group.questions}
        started_s = time.thread_time()
        legal = {
            seat: action
            for seat, action in answers.items()
            if game.why_illegal(self._state, seat, action, group.kind) is None
        }
        step = game.resolve(self._state, group.kind, legal)
        for event in step.events:
            game.redact(event)
        game.groups(step.state)
        spent_s = time.thread_time() - started_s
        self._state = step.state
        return len(answers), spent_s

    def _of_another(self, state: Any, kind: str, question: Any) -> Any:
        return INSIGHTS[self._game.name].choose(state, kind, question, self._random)(state)

    def _of_cheat(self, state: State, kind: str, question: Any) -> Action:
        options = question.options
        if not isinstance(options, TurnOptions) or options.face_up:
            is_call = kind == "window" and self._random.random() < CALLS
            return CALL if is_call else DECLINE if kind == "window" else self._of_another(state, kind, question)
        if options.can_pass and self._random.random() < CALLS:
            return PASS
        return self._play(state.hands[question.seat], options)

    def _play(self, hand: Hand, options: TurnOptions) -> Play:
        """Lay random cards of the hand."""
        first, last = self._random.choice(options.counts)
        count = self._random.randint(first, last)
        laid = count if options.laid is None else self._random.randint(options.laid[0], min(options.laid[1], 4))
        held = [code for code, number in enumerate(hand) for _ in range(min(number, laid))]
        return Play(bytes(sorted(self._random.sample(held, laid))), count, self._random.choice(options.ranks))
