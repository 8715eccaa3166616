"""All games, by name."""

from collections.abc import Mapping
from typing import Final

from arena.rules.cheat.game import CHEAT
from arena.rules.cheater.game import CHEATER
from arena.rules.game import Game

GAMES: Final[Mapping[str, Game]] = {game.name: game for game in (CHEAT, CHEATER)}
"""Every game that can be inspected and replayed; `arena.wire.game_codecs` lists those with a wire format."""
