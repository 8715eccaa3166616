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
    """A player of one seat in one match of CHEATER; `act` is the one method that it must have.

    A fresh object is made for each match, with no arguments. Every method may be ``def`` or ``async def``; a ``def``
    runs at once, what waits for something else is ``async def``. One question is open at a time. `BotEntrant` has the
    methods that all games share.
    """

    game: ClassVar[Game] = CHEATER

    def act(self, table: "Table", options: "ActOptions") -> Move | Awaitable[Move]:
        """Return what to do on the own turn, after the dice. Every bot writes this method.

        An exception, or something that is no answer, leaves the question without one, and the server draws a card and
        discards it again.
        """
        raise NotImplementedError(f"{type(self).__name__} has no act()")

    def discard(self, table: "Table", options: "DiscardOptions") -> Discard | Awaitable[Discard]:  # noqa: ARG002
        """Return which cards to discard of those above seven. What helps the nearest word least, unless overridden."""
        return options.least_useful()

    def reaction(self, table: "Table", options: "ReactionOptions") -> Reaction | Awaitable[Reaction]:  # noqa: ARG002
        """Return Allow or a Hide for an attack on the own hand. Allows unless overridden."""
        return Allow()

    def pick(self, table: "Table", options: "PickOptions") -> Pick | Awaitable[Pick]:  # noqa: ARG002
        """Return what to do with a hand that is shown after an own attack. What helps most, unless overridden."""
        return options.best()
