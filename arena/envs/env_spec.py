"""What an environment plays: a game with its rules, seats and arrays, checked once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from arena.envs.table import EnvTable
from arena.errors import OptionError
from arena.games.arrays import GameArrays, Layout
from arena.games.catalogue import arrays_of, pack_of, resolve_game_and_preset
from arena.match.game import Game, Style

SEATS: Final = 4

Arguments: TypeAlias = tuple[str, Mapping[str, object], int, str]
"""Preset, options, seats and encoding."""


@dataclass(frozen=True, slots=True)
class EnvSpec:
    """An environment's game, rules and arrays."""

    preset: str
    options: Mapping[str, object]
    seats: int
    encoding: str
    game: Game
    ruleset: Any
    arrays: GameArrays

    @property
    def actions(self) -> Layout:
        """What the actions mean."""
        return self.arrays.encodings[self.encoding]

    @property
    def arguments(self) -> Arguments:
        """The arguments of `resolve_spec` that give this value again."""
        return self.preset, self.options, self.seats, self.encoding

    def new_table(self, keeps_events: bool = False) -> EnvTable:
        """Return a table of its own, before its first game."""
        arrays = self.arrays.seat_arrays(self.ruleset, self.seats, self.encoding)
        return EnvTable(self.game, self.ruleset, self.seats, arrays, self.actions.size, keeps_events)


def resolve_spec(
    preset: str = "", options: Mapping[str, object] | None = None, seats: int = SEATS, encoding: str = ""
) -> EnvSpec:
    """Return the spec of an environment. The game's first preset and encoding are the defaults.

    Raises UnknownNameError for an unknown preset; OptionError or OptionsError for options that the rules refuse, and
    for a ruleset that the arrays cannot hold.
    """
    if type(seats) is not int:
        raise OptionError("seats", seats, "expected a whole number")
    name, preset = resolve_game_and_preset("", preset)
    game, arrays = pack_of(name).game, arrays_of(name)
    ruleset = game.build_ruleset(preset, options or {})
    game.check_seats(ruleset, seats, Style.SEALED)
    encoding = arrays.read_encoding(encoding)
    arrays.check(ruleset, seats, encoding)
    return EnvSpec(preset, dict(options or {}), seats, encoding, game, ruleset, arrays)
