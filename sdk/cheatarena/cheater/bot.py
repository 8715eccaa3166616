"""The class that the author of a CHEATER bot derives from."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, ClassVar

from cheatarena.cheater.answers import Allow, Discard, Move, Pick, Reaction
from cheatarena.cheater.game import CHEATER
from cheatarena.game import Game
from cheatarena.player import Player

if TYPE_CHECKING:
    from cheatarena.cheater.options import ActOptions, DiscardOptions, PickOptions, ReactionOptions
    from cheatarena.cheater.table import Table


class CheaterBot(Player):
    """A bot in one match of CHEATER; `act` is the only required method.

    A new object is constructed for each match, without arguments. Every method may be a ``def`` or an ``async def``. A
    ``def`` blocks the other matches of the process while it runs. A method that waits for something should be an
    ``async def``. Only one question is open at a time. `Player` has the methods that all games share.
    """

    game: ClassVar[Game] = CHEATER
    """The game CHEATER."""

    def act(self, table: "Table", options: "ActOptions") -> Move | Awaitable[Move]:
        """Return the action of this turn, after the roll of the dice. Every bot must implement this method.

        If this method raises an exception or returns something that is not an answer, the server makes the automatic
        move: it draws a card and discards it.
        """
        raise NotImplementedError(f"{type(self).__name__} has no act()")

    def discard(self, table: "Table", options: "DiscardOptions") -> Discard | Awaitable[Discard]:
        """Return the cards to discard. The default discards those that help least to complete the nearest word."""
        return options.least_useful()

    def reaction(self, table: "Table", options: "ReactionOptions") -> Reaction | Awaitable[Reaction]:
        """Return Allow or Hide, in answer to an attack on this bot's hand. The default allows the attack."""
        return Allow()

    def pick(self, table: "Table", options: "PickOptions") -> Pick | Awaitable[Pick]:
        """Return the pick from a hand that this bot's attack has revealed. The default is `PickOptions.best`."""
        return options.best()
