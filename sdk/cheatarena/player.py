"""The base class of bots of all games. It knows neither network nor clock."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from cheatarena.game import Game
    from cheatarena.terms import Offer


class Player:
    """A player of one seat in one match. A new object is constructed for each match, without arguments.

    Authors derive from the class of their game, which declares the questions: `Bot` for Cheat, `cheater.CheaterBot` for
    CHEATER. Every method but `accepts` and `on_refused` may be ``def`` or ``async def``. A ``def`` runs at once and
    blocks the other matches of the process; it is best for whatever takes less than a millisecond. A method that waits
    for something else is an ``async def``. In the pace ``live``, several questions may be open together, and their
    methods may run concurrently.

    After an exception, or a return value that is not an answer, the question stays unanswered and the server makes the
    automatic move.
    """

    game: ClassVar["Game"]
    """The game it plays."""
    presets: ClassVar[tuple[str, ...]] = ()
    """Names of the presets it plays; empty: all."""

    @classmethod
    def accepts(cls, offer: "Offer") -> bool:  # noqa: ARG003  for overriding methods
        """Return whether to accept an offered seat. The default accepts every seat."""
        return True

    def match_started(self, table: Any) -> Awaitable[None] | None:
        """Called when the match begins: names, ruleset and random source are known, but no cards."""

    def game_started(self, table: Any) -> Awaitable[None] | None:
        """Called when a game begins: the seat is known. The cards come with later facts."""

    def saw(self, table: Any, event: Any) -> Awaitable[None] | None:
        """Called for each fact of a game, after the table has applied it.

        The fact is a protobuf message from the game's module in `cheatarena.v1`. Facts come in order. Those that a
        snapshot replaces are not reported.
        """

    def game_ended(self, table: Any) -> Awaitable[None] | None:
        """Called when a game is over; `table.places` is final."""

    def match_ended(self, table: Any) -> Awaitable[None] | None:
        """Called last, when the match is over; `table.termination` says why."""

    def on_refused(self, table: Any, decision: Any, reason: str) -> None:
        """Called when an answer was refused, for a reason such as ``NOT_IN_HAND``. The default logs a warning.

        If another answer may succeed and there is time left, the question is asked a second time, but never a third.
        """
        table.log.warning("the answer %r was refused: %s", str(decision), reason)


def game_base_class(bot_class: type[Player]) -> type[Player]:
    """Return the class of the game that a bot class derives from, which has none of the author's methods."""
    return next(each for each in bot_class.__mro__ if "game" in vars(each))
