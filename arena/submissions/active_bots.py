"""Keeps the active version of each submitted bot running in a box, connected to the pools that it names."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from arena.errors import ArenaError, UnknownNameError
from arena.log_lines import get_logger
from arena.runner.bot_entrant import BotEntrant
from arena.runner.kept_bots import KeptBot, KeptBots
from arena.store.open_store import Store
from arena.store.submission_rows import SubmissionRow
from arena.store.token_identity import Scope
from arena.submissions.submitted_programs import SubmittedPrograms

log = get_logger(__name__)

LOOK_INTERVAL_S: Final = 1.0
"""Seconds between looks for versions that were activated, rolled back or withdrawn."""
INSTANCE: Final = "submitted"
"""The instance of every process, so that a new one takes over the seats of the one before it."""
TOKEN_TTL: Final = timedelta(days=30)
_HANDLE_LENGTH: Final = 12


class ActiveBots:
    """The active versions of a store that run."""

    def __init__(self, store: Store, bots: KeptBots, address: str) -> None:
        """`address` is that of the server, `unix:PATH`."""
        self._store = store
        self._bots = bots
        self._address = address
        self._programs = SubmittedPrograms(store.folder)
        self._running: dict[str, str] = {}
        """The submission that runs, by bot."""
        self._tokens: dict[str, str] = {}
        """The handle of the token that was made last, by bot."""

    async def run(self) -> None:
        """Follow the store for ever. While it cannot be read, everything goes on as it is."""
        while True:
            try:
                await self.follow()
            except (ArenaError, OSError) as error:
                log.warning("submitted bots go on as they are", fault=str(error))
            await asyncio.sleep(LOOK_INTERVAL_S)

    async def follow(self) -> None:
        """Start the versions that are active and do not run, and end those that are no longer active.

        Raises StoreError. A version whose files are gone is left out, with a line in the log.
        """
        active = {row.bot: row for row in await self._store.submission_reader.list_active()}
        for bot, identity in list(self._running.items()):
            if bot not in active or active[bot].submission_id != identity:
                await self._end(bot)
        for bot, row in active.items():
            if bot not in self._running:
                self._start(row)

    async def _end(self, bot: str) -> None:
        del self._running[bot]
        await self._bots.drop(bot)
        await self._revoke(bot)

    def _start(self, row: SubmissionRow) -> None:
        self._running[row.bot] = row.submission_id
        try:
            program = self._programs.read(row)
        except ArenaError as error:
            log.warning("a submitted bot cannot run", bot=row.bot, version=row.version, fault=str(error))
            return
        environment = {
            **program.environment,
            "CHEATARENA_POOLS": ",".join(row.pools),
            "CHEATARENA_VERSION": row.version,
        }
        entrant = BotEntrant(row.bot, replace(program, environment=environment))
        self._bots.keep(KeptBot(entrant, self._address, INSTANCE, partial(self._make_token, row)))

    async def _make_token(self, row: SubmissionRow) -> str:
        """Return a token for the next process of a bot, and revoke that of the process before it."""
        await self._revoke(row.bot)
        secret = await self._store.tokens.create(row.bot, [Scope.PLAY], TOKEN_TTL, row.owner, version=row.version)
        self._tokens[row.bot] = secret[:_HANDLE_LENGTH]
        return secret

    async def _revoke(self, bot: str) -> None:
        handle = self._tokens.pop(bot, None)
        if handle is not None:
            try:
                await self._store.tokens.revoke(handle)
            except UnknownNameError:
                log.info("a token was gone already", bot=bot)
