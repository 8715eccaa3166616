"""The class that a bot author derives from. It knows no network and no clock of its own."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, ClassVar

from cheatarena.decisions import Answer, Call, Decline, Doubt, Move, Pass, Play

if TYPE_CHECKING:
    from cheatarena.options import TurnOptions
    from cheatarena.table import Table
    from cheatarena.terms import Claim, Offer


class Bot:
    """A player of one seat in one match. A fresh object is made for each match, with no arguments.

    Every method may be ``def`` or ``async def``. A ``def`` runs at once and keeps the other matches of the process
    waiting meanwhile, which is best for everything that takes less than a millisecond; what waits for something else
    is ``async def``. Where turn and call window are open together (the pace ``live``), both may be under way at once.
    """

    presets: ClassVar[tuple[str, ...]] = ()
    """Names of the presets that it plays. Empty: all of them."""

    @classmethod
    def accepts(cls, offer: "Offer") -> bool:  # noqa: ARG003 - for those who override it
        """Tell whether to take an offered seat. Takes every seat unless overridden."""
        return True

    def turn(self, table: "Table", options: "TurnOptions") -> Move | Awaitable[Move]:
        """Return what to do on the own turn. Every bot writes this method.

        An exception, or something that is neither a Play nor a Pass, leaves the question without an answer, and
        the server makes the automatic move.
        """
        raise NotImplementedError(f"{type(self).__name__} has no turn()")

    def call_window(self, table: "Table", claim: "Claim") -> Doubt | Awaitable[Doubt]:  # noqa: ARG002 - as above
        """Return Call or Decline for another seat's move, which has just been made. Declines unless overridden."""
        return Decline()

    def match_started(self, table: "Table") -> Awaitable[None] | None:
        """Hear that the match begins; names, ruleset and random source are known, cards are not."""

    def game_started(self, table: "Table") -> Awaitable[None] | None:
        """Hear that a game begins; the seat is known. The cards come with the next facts."""

    def saw(self, table: "Table", event: Any) -> Awaitable[None] | None:
        """Hear of one fact of a game, after the table has taken it in.

        The fact is a message of the contract: CheatPlayed, CheatCalled, CheatShown and so on, from
        `cheatarena.v1.cheat_pb2`. Facts come in their order; a table remade from a snapshot tells none.
        """

    def game_ended(self, table: "Table") -> Awaitable[None] | None:
        """Hear that a game is over; `table.places` is final."""

    def match_ended(self, table: "Table") -> Awaitable[None] | None:
        """Hear that the match is over; `table.termination` says why. Nothing follows."""

    def on_refused(self, table: "Table", decision: Answer, reason: str) -> None:
        """Hear that an answer was refused, and why, for example ``ILLEGAL_RANK``.

        Writes a sentence to the log unless overridden. If the answer can be mended and there is time left, the
        question is put once more, and never a third time; then the server makes the automatic move.
        """
        table.log.warning("the answer %r was refused: %s", str(decision), reason)


__all__ = ["Answer", "Bot", "Call", "Decline", "Doubt", "Move", "Pass", "Play"]
