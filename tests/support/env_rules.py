"""Random rulesets that arrays can hold, and random play in environments."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from arena.envs.card_stream import CardStream
from arena.envs.env_spec import EnvSpec, resolve_spec
from arena.envs.table import NOBODY, EnvTable
from arena.errors import OptionError, OptionsError
from arena.games.catalogue import PACKS
from arena.games.cheat.rules.presets import PRESETS
from tests.games.cheat.rules.strategies import OPTIONS

LISTS = ("count", "rank_start", "rank_next")
"""Options whose value is a list."""
EVERY_PRESET = [preset for pack in PACKS.values() for preset in pack.game.presets]


class EnvRules(NamedTuple):
    """The arguments of an environment."""

    preset: str
    options: Mapping[str, object]
    seats: int
    encoding: str


def draw_rules(random: Random, **fixed: object) -> EnvRules:
    """Draw a ruleset that the arrays hold: every option of Cheat but `deal` at random, or as it is `fixed`."""
    while True:
        options: dict[str, Any] = {
            name: random.choice(choices) for name, choices in OPTIONS.items() if name not in (*LISTS, "deal")
        }
        options |= {name: random.sample(OPTIONS[name], random.randint(1, len(OPTIONS[name]))) for name in LISTS}
        options |= {"max_turns": random.choice((20, 80)), **fixed}
        preset = random.choice(list(PRESETS))
        chosen = {name: options[name] for name in random.sample(list(options), random.randrange(len(options)))}
        rules = EnvRules(preset, {**chosen, **fixed}, random.randint(2, 10), random.choice(("steps", "macro")))
        try:
            resolve_spec(*rules)
        except (OptionError, OptionsError):
            continue
        return rules


def begin_table(spec: EnvSpec, seed: int = 1, number: int = 0) -> EnvTable:
    """Return a table at the beginning of a game, which keeps its events."""
    table = spec.new_table(keeps_events=True)
    table.begin_game(CardStream(seed).chance, number)
    return table


def legal_actions(mask: bytes) -> list[int]:
    return [action for action, allowed in enumerate(mask) if allowed]


def play_on(table: EnvTable, random: Random) -> Iterator[int]:
    """Play a game to its end at random. Yield each action before it is taken."""
    while table.seat != NOBODY:
        action = random.choice(legal_actions(table.mask()))
        yield action
        table.choose(action)
