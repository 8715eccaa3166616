"""The base class of the bots of all games. It knows neither network nor clock."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from cheatarena.game import Game
    from cheatarena.terms import Offer


class Player:
    """A bot in one match. A new object is constructed for each match, without arguments.

    Authors derive from the class of their game: `Bot` for Cheat, `cheater.CheaterBot` for CHEATER. That class has a
    method for each question. Every method except `accepts` and `on_refused` may be a ``def`` or an ``async def``. A
    ``def`` blocks the other matches of the process while it runs, so it should take less than a millisecond. A method
    that waits for something should be an ``async def``. In the pace ``live``, several questions may be open at the same
    time, and their methods may then run concurrently.

    If a method raises an exception or returns something that is not an answer, the question stays unanswered, and the
    server makes the automatic move.
    """

    game: ClassVar["Game"]
    """The game that the bot plays."""
    presets: ClassVar[tuple[str, ...]] = ()
    """Names of the presets that the bot plays; empty means all."""

    @classmethod
    def accepts(cls, offer: "Offer") -> bool:  # noqa: ARG003  for overriding methods
        """Return whether to accept an offered seat. The default accepts every seat."""
        return True

    def match_started(self, table: Any) -> Awaitable[None] | None:
        """Called when the match begins. Names, ruleset and random source are known; the cards are not."""

    def game_started(self, table: Any) -> Awaitable[None] | None:
        """Called when a game begins. The bot's seat is known; the cards come with later facts."""

    def saw(self, table: Any, event: Any) -> Awaitable[None] | None:
        """Called for each fact of a game, after the table has applied it.

        ``event`` is the fact, a typed value from `cheatarena.cheat.facts` or `cheatarena.cheater.facts`. Facts are
        reported in order. If the server sends a snapshot instead of facts, these facts are not reported.
        """

    def game_ended(self, table: Any) -> Awaitable[None] | None:
        """Called when a game is over; `table.places` is final."""

    def match_ended(self, table: Any) -> Awaitable[None] | None:
        """Called last, when the match is over; `table.termination` says why."""

    def on_refused(self, table: Any, decision: Any, reason: str) -> None:
        """Called when an answer was refused, for a reason such as ``NOT_IN_HAND``.

        The default logs what is legal instead, unless this package refused the answer and has logged that already.

        If another answer may succeed and there is time left, the question is asked a second time, but never a third.
        """
        why = table.explain_refusal(decision, reason)
        if why:
            table.log.error("the answer %r was refused: %s; %s", str(decision), reason, why)
        else:
            table.log.warning("the answer %r was refused: %s", str(decision), reason)


def game_base_class(bot_class: type[Player]) -> type[Player]:
    """Return the game's bot class, such as `Bot` or `CheaterBot`, from which the author's class derives."""
    return next(each for each in bot_class.__mro__ if "game" in vars(each))
