"""A program's part in the arena: one class of bots, and a session with each node at which it has a seat."""

import asyncio
import logging

from cheatarena.encoding import encode_notice
from cheatarena.errors import CheatArenaError
from cheatarena.player import Player, game_base_class
from cheatarena.seat import Seat
from cheatarena.session import Session
from cheatarena.settings import Settings
from cheatarena.terms import read_offer
from cheatarena.v1 import lobby_pb2, play_pb2

logger = logging.getLogger("cheatarena")


class Client:
    """Plays with one class of bots. For programs with an event loop of their own; `run` is simpler.

    ::

        client = Client(Cautious, Settings(address="localhost:5000", token="..."))
        playing = asyncio.create_task(client.play())
        ...
        client.stop()
        await playing
    """

    def __init__(self, bot_class: type[Player], settings: Settings | None = None) -> None:
        self.settings = settings or Settings.from_environment()
        self.game = bot_class.game.name
        self.presets = bot_class.presets
        self._bot_class = bot_class
        self._sessions: dict[str, Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def play(self) -> None:
        """Play until `stop` is called.

        Raises RefusedError where the server does not let this program play, and ServerGoneError where the server that
        was dialled first cannot be reached for longer than the settings' patience.
        """
        home = self._open(self.settings.address)
        try:
            await home.run()
        finally:
            self.stop()
            if self._tasks:
                await asyncio.wait(self._tasks)

    def stop(self) -> None:
        """Say goodbye everywhere, which leaves every seat."""
        for session in self._sessions.values():
            session.stop()

    # The host of sessions.

    def make_seat(self, session: Session, match: int, entrant: int) -> Seat:
        """Make a bot and its seat. A bot that cannot be made leaves the match at once."""
        try:
            bot = self._bot_class()
        except Exception:
            logger.exception("match %d: no %s could be made, so its seat is left", match, self._bot_class.__name__)
            leave = lobby_pb2.Leave(match=match, entrant=entrant)
            session.send(encode_notice(play_pb2.BotNotice(leave=leave)))
            bot = game_base_class(self._bot_class)()
        return Seat(match, entrant, bot, session)

    def should_accept(self, offered: lobby_pb2.Offered) -> bool:
        """Ask the bot's class whether to take a seat. A game that it does not play is declined."""
        if offered.terms.ruleset.WhichOneof("game") != self.game:
            return False
        try:
            return bool(self._bot_class.accepts(read_offer(offered, self._bot_class.game.read_ruleset)))
        except Exception:
            logger.exception("match %d: the offer is declined", offered.match)
            return False

    def on_assigned(self, session: Session, assigned: lobby_pb2.Assigned) -> None:
        """Dial the node of an accepted seat, unless there is a session with it."""
        address = assigned.node_address
        if address and address != session.address and address not in self._sessions:
            task = asyncio.create_task(self._play_at(self._open(address, assigned.ticket)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _open(self, address: str, ticket: str = "") -> Session:
        session = self._sessions[address] = Session(self, address, ticket)
        return session

    async def _play_at(self, session: Session) -> None:
        """Play at another node; that it is gone does not end the program."""
        try:
            await session.run()
        except CheatArenaError as error:
            logger.error("%s", error)  # noqa: TRY400 - the sentence says it all
        finally:
            self._sessions.pop(session.address, None)
