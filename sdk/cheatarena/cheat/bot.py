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
    """A bot in one match of Cheat; `turn` is the only required method.

    A bot with `turn` and `call_window` plays every ruleset: all other questions have good default answers.

    A new object is constructed for each match, without arguments. Every method may be a ``def`` or an ``async def``. A
    ``def`` blocks the other matches of the process while it runs, so it should take less than a millisecond. A method
    that waits for something should be an ``async def``. In the pace ``live``, a turn and a call window may be open at
    the same time, and both methods may then run concurrently. `Player` has the methods that all games share.
    """

    game: ClassVar[Game] = CHEAT
    """The game Cheat."""

    def turn(self, table: "Table", options: "TurnOptions") -> Move | Awaitable[Move]:
        """Return the move of this turn: Play, or Pass if `options.can_pass`. Every bot must implement this method.

        If the turn also allows a call (`options.can_call`), `call_window` runs first, and `turn` runs only if
        `call_window` declines. Even after that, `turn` may return Call, or Believe if `options.can_believe`.

        If this method raises an exception or returns something that is not an answer, the server makes the automatic
        move.
        """
        raise NotImplementedError(f"{type(self).__name__} has no turn()")

    def call_window(self, table: "Table", claim: "Claim") -> Doubt | Awaitable[Doubt]:
        """Return Call or Decline in answer to another seat's move, or Believe if `table.can_believe`.

        This method runs in the call window after a move. If a turn allows a call, this method also runs before
        `turn`. The default declines.
        """
        return Decline()

    def cut(self, table: "Table", options: "CutOptions") -> Cut | Awaitable[Cut]:
        """Return the dealer's cut of the deck. The default cuts as evenly as possible.

        The others choose first, so an uneven cut may leave the dealer the thickest packet.
        """
        return options.even()

    def choose(self, table: "Table", options: "ChooseOptions") -> Choose | Awaitable[Choose]:
        """Return the packet to take. The default is the thinnest, because a small hand is emptied sooner."""
        return options.thinnest()
