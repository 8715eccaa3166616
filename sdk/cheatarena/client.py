"""The client of a bot program. It plays with one bot class and has a session with each node where it has seats."""

import asyncio
import logging

from cheatarena.class_check import check_bot_class
from cheatarena.encoding import encode_notice
from cheatarena.errors import CheatArenaError
from cheatarena.instance import Instance
from cheatarena.missing_run import note_play
from cheatarena.player import Player, game_base_class
from cheatarena.seat import Seat
from cheatarena.session import Session
from cheatarena.settings import Settings
from cheatarena.terms import read_offer
from cheatarena.v1 import lobby_pb2, play_pb2

logger = logging.getLogger("cheatarena")


class Client:
    """Plays with one bot class. Programs with their own event loop use `Client`; for all others, `run` is simpler.

    ::

        client = Client(Cautious, Settings(address="localhost:5000", token="..."))
        playing = asyncio.create_task(client.play())
        ...
        client.stop()
        await playing
    """

    def __init__(self, bot_class: type[Player], settings: Settings | None = None) -> None:
        """Check the bot class. If no settings are given, read them from the environment.

        Raises BotClassError if the class has a misspelled method or lacks one that every bot needs, and SettingsError
        if a setting is missing or invalid.
        """
        note_play()
        check_bot_class(bot_class)
        self.settings = settings or Settings.from_environment()
        """Where and how this program connects."""
        self.game = bot_class.game.name
        """Name of the game that the bot class plays."""
        self.presets = bot_class.presets
        """Names of the presets that the bot class plays; empty means all."""
        self.instance = Instance(self.settings.instance, self.game, self.settings.version)
        """The name of this process among the programs of its bot."""
        self._bot_class = bot_class
        self._sessions: dict[str, Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def play(self) -> None:
        """Play until `stop` is called.

        Raises RefusedError if the server does not let this program play, and ServerGoneError if the server cannot be
        reached for longer than `Settings.patience_s`.
        """
        home = self._open(self.settings.address)
        try:
            await home.run()
        finally:
            self.stop()
            if self._tasks:
                await asyncio.wait(self._tasks)

    def finish(self) -> bool:
        """Take no new seats, and end `play` when the present matches are over.

        Return False if there is nothing to finish, because the bot plays in no pool, holds no seat, or is finishing
        already. Then use `stop`.
        """
        return sum(session.finish() for session in self._sessions.values()) > 0

    def stop(self) -> None:
        """End all sessions and leave every seat."""
        for session in self._sessions.values():
            session.stop()

    # ---- SessionHost

    def make_seat(self, session: Session, match: int, entrant: int) -> Seat:
        """Return a new seat with a new bot.

        If the bot's constructor fails, the entrant leaves the match immediately.
        """
        try:
            bot = self._bot_class()
        except Exception:
            logger.exception(
                "match %d: %s could not be constructed, so its seat is left", match, self._bot_class.__name__
            )
            leave = lobby_pb2.Leave(match=match, entrant=entrant)
            session.send(encode_notice(play_pb2.BotNotice(leave=leave)))
            bot = game_base_class(self._bot_class)()
        return Seat(match, entrant, bot, session)

    def should_accept(self, offered: lobby_pb2.Offered) -> bool:
        """Return whether the bot class accepts an offered seat. Seats of other games are always declined."""
        if offered.terms.ruleset.WhichOneof("game") != self.game:
            return False
        try:
            return bool(self._bot_class.accepts(read_offer(offered, self._bot_class.game.read_ruleset)))
        except Exception:
            logger.exception("match %d: the offer is declined", offered.match)
            return False

    def on_assigned(self, session: Session, assigned: lobby_pb2.Assigned) -> None:
        """Open a session with the node of an accepted seat, unless the client already has a session with that node."""
        address = assigned.node_address
        if address and address != session.address and address not in self._sessions:
            task = asyncio.create_task(self._play_at(self._open(address, assigned.ticket)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _open(self, address: str, ticket: str = "") -> Session:
        session = self._sessions[address] = Session(self, address, ticket)
        return session

    async def _play_at(self, session: Session) -> None:
        """Play at another node. If the session fails, the error is logged and the other sessions continue."""
        try:
            await session.run()
        except CheatArenaError as error:
            logger.error("%s", error)  # noqa: TRY400  the text is complete without a traceback
        finally:
            self._sessions.pop(session.address, None)
