"""Chooses random answers quickly, for measurements that do not include choosing."""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from arena.games.catalogue import pack_of
from arena.games.cheat.rules.actions import CALL, DECLINE, PASS, Action, Play
from arena.games.cheat.rules.cards import Hand
from arena.games.cheat.rules.state import State, TurnOptions
from arena.match.game import Game

CALLS = 0.1
"""The share of windows that are answered with a call, and of turns with a pass if a pass is legal."""


def chooser(game: Game, random: Random) -> Callable[[Any, str, Any], Any]:
    """Return a function that answers questions at random. It takes the state, the kind and the question."""
    if game.name == "cheat":
        return partial(_choose_cheat, random)
    return partial(_choose_any, game.name, random)


def _choose_any(game: str, random: Random, state: Any, kind: str, question: Any) -> Any:
    return pack_of(game).load_knowledge_model().draw_decision(state, kind, question, random)(state)


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
    """Return a play of random cards of the hand."""
    first, last = random.choice(options.counts)
    count = random.randint(first, last)
    laid = count if options.laid is None else random.randint(options.laid[0], min(options.laid[1], 4))
    held = [code for code, number in enumerate(hand) for _ in range(min(number, laid))]
    return Play(bytes(sorted(random.sample(held, laid))), count, random.choice(options.ranks))
