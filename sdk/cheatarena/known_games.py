"""All games that this package knows, by their names in the protocol."""

from collections.abc import Mapping
from typing import Final

from cheatarena.cheat.game import CHEAT
from cheatarena.cheater.game import CHEATER
from cheatarena.game import Game

GAMES: Final[Mapping[str, Game]] = {game.name: game for game in (CHEAT, CHEATER)}
