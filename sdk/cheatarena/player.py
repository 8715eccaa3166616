"""What bots of all games have in common. It knows no network and no clock of its own."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from cheatarena.game import Game
    from cheatarena.terms import Offer


class Player:
    """A player of one seat in one match. A fresh object is made for each match, with no arguments.

    Authors derive from the class of their game, `Bot` for Cheat or `cheater.CheaterBot`; it says what is asked. Every
    method may be ``def`` or ``async def``. A ``def`` runs at once and keeps the other matches of the process waiting
    meanwhile, which is best for everything that takes less than a millisecond; what waits for something else is
    ``async def``. Where several questions are open together, as in the pace ``live``, all may be under way at once.

    An exception, or something that is no answer to the question, leaves it without an answer, and the server makes the
    automatic move.
    """

    game: ClassVar["Game"]
    """The game that it plays."""
    presets: ClassVar[tuple[str, ...]] = ()
    """Names of the presets that it plays. Empty: all of them."""

    @classmethod
    def accepts(cls, offer: "Offer") -> bool:  # noqa: ARG003 - for those who override it
        """Tell whether to take an offered seat. Takes every seat unless overridden."""
        return True

    def match_started(self, table: Any) -> Awaitable[None] | None:
        """Hear that the match begins; names, ruleset and random source are known, cards are not."""

    def game_started(self, table: Any) -> Awaitable[None] | None:
        """Hear that a game begins; the seat is known. The cards come with the next facts."""

    def saw(self, table: Any, event: Any) -> Awaitable[None] | None:
        """Hear of one fact of a game, after the table has taken it in.

        The fact is a message of the contract, from the game's own module in `cheatarena.v1`. Facts come in their
        order; a table remade from a snapshot tells none.
        """

    def game_ended(self, table: Any) -> Awaitable[None] | None:
        """Hear that a game is over; `table.places` is final."""

    def match_ended(self, table: Any) -> Awaitable[None] | None:
        """Hear that the match is over; `table.termination` says why. Nothing follows."""

    def on_refused(self, table: Any, decision: Any, reason: str) -> None:
        """Hear that an answer was refused, and why, for example ``NOT_IN_HAND``.

        Writes a sentence to the log unless overridden. If the answer can be mended and there is time left, the
        question is put once more, and never a third time; then the server makes the automatic move.
        """
        table.log.warning("the answer %r was refused: %s", str(decision), reason)


def game_base_class(bot_class: type[Player]) -> type[Player]:
    """Return the game's own class from which a class of bots derives: it has nothing of the author's."""
    return next(each for each in bot_class.__mro__ if "game" in vars(each))
