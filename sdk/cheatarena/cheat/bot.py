"""The class that the author of a Cheat bot derives from."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, ClassVar

from cheatarena.cheat.decisions import Choose, Cut, Decline, Doubt, Move
from cheatarena.cheat.game import CHEAT
from cheatarena.game import Game
from cheatarena.player import Player

if TYPE_CHECKING:
    from cheatarena.cheat.claim import Claim
    from cheatarena.cheat.dealing import ChooseOptions, CutOptions
    from cheatarena.cheat.options import TurnOptions
    from cheatarena.cheat.table import Table


class Bot(Player):
    """A player of one seat in one match of Cheat; `turn` is the one method that it must have.

    A bot of `turn` and `call_window` plays every ruleset: what else may be asked has a good answer already.

    A fresh object is made for each match, with no arguments. Every method may be ``def`` or ``async def``. A ``def``
    runs at once and keeps the other matches of the process waiting meanwhile, which is best for everything that takes
    less than a millisecond; what waits for something else is ``async def``. Where turn and call window are open
    together (the pace ``live``), both may be under way at once. `BotEntrant` has the methods that all games share.
    """

    game: ClassVar[Game] = CHEAT

    def turn(self, table: "Table", options: "TurnOptions") -> Move | Awaitable[Move]:
        """Return what to do on the own turn: Play, or Pass where `options.can_pass`. Every bot writes this method.

        Where calling is a choice of the turn (`options.can_call`), `call_window` is asked first; this method then hears
        of the turn only if it declined, and may still return Call, or Believe where `options.can_believe`.

        An exception, or something that is no answer, leaves the question without one, and the server makes the
        automatic move.
        """
        raise NotImplementedError(f"{type(self).__name__} has no turn()")

    def call_window(self, table: "Table", claim: "Claim") -> Doubt | Awaitable[Doubt]:  # noqa: ARG002 - as in Player
        """Return Call or Decline for another seat's last move, or Believe where `table.can_believe`.

        Asked in a call window after the move, or, where calling is a choice of the turn, before the own `turn`.
        Declines unless overridden.
        """
        return Decline()

    def cut(self, table: "Table", options: "CutOptions") -> Cut | Awaitable[Cut]:  # noqa: ARG002 - as in Player
        """Return how to cut the deck, as the dealer. Unless overridden as evenly as possible.

        The others choose before the dealer, so it would be left with the thickest packet of any other cut.
        """
        return options.even()

    def choose(self, table: "Table", options: "ChooseOptions") -> Choose | Awaitable[Choose]:  # noqa: ARG002 - as in Player
        """Return which packet to take. Unless overridden the thinnest: fewest cards are first laid."""
        return options.thinnest()
