"""The games that there are, by name."""

from collections.abc import Mapping
from typing import Final

from arena.rules.cheat.game import CHEAT
from arena.rules.cheater.game import CHEATER
from arena.rules.game import Game

GAMES: Final[Mapping[str, Game]] = {game.name: game for game in (CHEAT, CHEATER)}
"""What can be looked at and told; `arena.wire.game_codecs` has those that the wire speaks."""
