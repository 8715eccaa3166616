"""The class that the author of a Cheat bot derives from."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, ClassVar

from cheatarena.cheat.decisions import Decline, Doubt, Move
from cheatarena.cheat.game import CHEAT
from cheatarena.game import Game
from cheatarena.player import Player

if TYPE_CHECKING:
    from cheatarena.cheat.options import TurnOptions
    from cheatarena.cheat.ruleset import Claim
    from cheatarena.cheat.table import Table


class Bot(Player):
    """A player of one seat in one match of Cheat; `turn` is the one method that it must have.

    A fresh object is made for each match, with no arguments. Every method may be ``def`` or ``async def``. A ``def``
    runs at once and keeps the other matches of the process waiting meanwhile, which is best for everything that takes
    less than a millisecond; what waits for something else is ``async def``. Where turn and call window are open
    together (the pace ``live``), both may be under way at once. `Player` has the methods that all games share.
    """

    game: ClassVar[Game] = CHEAT

    def turn(self, table: "Table", options: "TurnOptions") -> Move | Awaitable[Move]:
        """Return what to do on the own turn. Every bot writes this method.

        An exception, or something that is neither a Play nor a Pass, leaves the question without an answer, and
        the server makes the automatic move.
        """
        raise NotImplementedError(f"{type(self).__name__} has no turn()")

    def call_window(self, table: "Table", claim: "Claim") -> Doubt | Awaitable[Doubt]:  # noqa: ARG002 - as in Player
        """Return Call or Decline for another seat's move, which has just been made. Declines unless overridden."""
        return Decline()
