"""Keeps the active version of each submitted bot running in a box, connected to the pools that it names.

A version that another one replaces *retires*: it gets no more seats, plays its games to the end, and ends. So a game is
played by one program. The server says when no game is left, by revoking the token (`arena.server.node.retirement`).
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

from arena.bots.submissions.submission import STOPPED, RunNote, Submission, SubmissionState
from arena.errors import ArenaError, DeniedError, UnknownNameError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.kept_bots import KeptBot, KeptBots
from arena.fleet.submissions.submitted_programs import SubmittedPrograms
from arena.log_lines import get_logger
from arena.server.node.identity import SUBMITTED_INSTANCE
from arena.server.store.account_values import Scope
from arena.server.store.open_store import Store
from arena.server.store.secret_text import handle_of

log = get_logger(__name__)

LOOK_INTERVAL_S: Final = 0.5
"""Seconds between looks for versions that were activated, rolled back or withdrawn, and for banned owners."""
RETIREMENT_S: Final = 3_600.0
"""The most seconds for which a version that was replaced plays on."""
TELL_INTERVAL_S: Final = 5.0
"""Seconds between two looks at what the bots have written."""
TOKEN_TTL: Final = timedelta(days=30)
_END_SENTENCES: Final = {
    SubmissionState.ACTIVE: "the organizer has shut its owner out",
    SubmissionState.INACTIVE: "another version plays in its place",
    SubmissionState.REFUSED: "the organizer has refused it",
    SubmissionState.WITHDRAWN: "it was withdrawn",
}
"""Why a version has ended, by its state."""


@dataclass(slots=True)
class _Run:
    submission: Submission
    token: str = ""
    """The public part of its newest token; empty until its first process starts."""
    retires_by: float | None = None
    """When it has to end, in seconds since 1970, because another version has replaced it; None for an active one."""
    bot: KeptBot | None = None
    """None if the version cannot run."""
    fault: str = ""
    """Why the version cannot run."""
    is_ending: bool = False
    """Whether its bot is gone, and its token or its note for the owner may not be."""
    told: object = None
    """The value of `state` when the owner was last told about it."""

    @property
    def state(self) -> object:
        """A value that differs if there is news for the owner."""
        return self.fault if self.bot is None else self.bot.record.state


class ActiveBots:
    """The versions of a store that run: the active ones, and those that play their games to the end."""

    def __init__(self, store: Store, bots: KeptBots, address: str, now: Callable[[], float] = time.time) -> None:
        """`address` is that of the server, `unix:PATH`. `now` returns seconds since 1970."""
        self._store = store
        self._bots = bots
        self._address = address
        self._now = now
        self._programs = SubmittedPrograms(store.folder)
        self._runs: dict[str, _Run] = {}
        """By submission."""
        self._tells_at = 0.0
        """When owners are told next, in seconds since 1970."""

    async def run(self) -> None:
        """Follow the store for ever. While it cannot be read, everything goes on as it is."""
        is_resumed = False
        while True:
            try:
                if not is_resumed:
                    await self.resume()
                    is_resumed = True
                await self.follow()
                await self.tell_owners()
            except (ArenaError, OSError) as error:
                log.warning("submitted bots go on as they are", fault=str(error))
            await asyncio.sleep(LOOK_INTERVAL_S)

    async def resume(self) -> None:
        """Take up the versions that an earlier process ran: those that retired play on. Raises StoreError."""
        found: dict[str, _Run] = {}
        for token in await self._store.tokens.list_version_tokens():
            row = await self._store.submissions.find_version(token.name, token.version or "")
            if row is not None and row.submission_id not in found:
                found[row.submission_id] = _Run(row, token.handle, token.expires_at if token.is_retiring else None)
            else:
                await self._store.tokens.end_version(token.handle)
        for run in found.values():
            self._start(run)

    async def follow(self) -> None:
        """Start the versions that are active and do not run, and end or retire those that are no longer active.

        Raises StoreError. A version whose files are gone is left out, with a line in the log.
        """
        active = {row.submission_id: row for row in await self._store.submissions.list_active()}
        for identity, run in list(self._runs.items()):
            is_active, is_retiring = identity in active, run.retires_by is not None
            if identity not in self._runs:  # it has ended, because another version of the bot retires
                continue
            if run.is_ending or (is_active and is_retiring):
                await self._end(run, keeps_seats=is_active)  # a new process of the same version takes them over
            elif not is_active and not (await self._may_finish(run) if is_retiring else await self._retire(run)):
                await self._end(run)
        for identity, row in active.items():
            if identity not in self._runs:
                self._start(_Run(row))

    async def tell_owners(self) -> None:
        """Store how each version is doing, and the last lines that it wrote. Raises StoreError."""
        if self._now() < self._tells_at:
            return
        self._tells_at = self._now() + TELL_INTERVAL_S
        news = [(run, state) for run in self._runs.values() if (state := run.state) != run.told]
        if news:
            await self._store.submissions.note_runs(await asyncio.to_thread(lambda: [_note(run) for run, _ in news]))
        for run, state in news:
            run.told = state

    async def _retire(self, run: _Run) -> bool:
        """Let a version play its games to the end. Return False if it has to end at once.

        That is so unless another version plays in its place, or if it does not keep running. Of each bot, one version
        retires at a time.
        """
        bot = run.submission.bot
        row = await self._store.submissions.get(run.submission.submission_id)
        is_replaced = row.state is SubmissionState.INACTIVE and await self._store.submissions.find_active(bot)
        keeps_running = run.bot is not None and not run.bot.record.describe_trouble()
        if not is_replaced or not run.token or not keeps_running:
            return False
        for other in [each for each in self._runs.values() if each.submission.bot == bot]:
            if other.retires_by is not None:
                await self._end(other)
        run.retires_by = self._now() + RETIREMENT_S
        try:
            await self._store.tokens.retire(run.token, run.retires_by)
        except BaseException:
            run.retires_by = None
            raise
        return True

    async def _may_finish(self, run: _Run) -> bool:
        """A retiring version may if it has a game, there is time, and nobody has withdrawn it."""
        row = await self._store.submissions.get(run.submission.submission_id)
        valid = {token.handle for token in await self._store.tokens.list_version_tokens()}
        return row.state is SubmissionState.INACTIVE and run.token in valid

    async def _is_over(self, run: _Run) -> bool:
        """Return whether a version retires and has no game left. While the store cannot be read, it goes on."""
        try:
            return run.retires_by is not None and not await self._may_finish(run)
        except ArenaError:
            return False

    async def _end(self, run: _Run, *, keeps_seats: bool = False) -> None:
        """End a version, and tell its owner why. Unless another process takes them over, it leaves its seats.

        If the store fails meanwhile, the next look ends it again: a token that stays valid could play elsewhere.
        """
        run.is_ending = True
        row = await self._store.submissions.get(run.submission.submission_id)
        is_shut_out = row.state is SubmissionState.ACTIVE  # its process gets no time to say goodbye either
        if run.bot is not None:
            await self._bots.drop(run.bot, keeps_seats=keeps_seats or is_shut_out)
        await self._revoke(run)
        why = STOPPED if row.sentence == STOPPED else _END_SENTENCES.get(row.state, "")
        ended = replace(_note(run), sentence=why, trouble="", is_over=True)
        await self._store.submissions.note_runs([ended])
        del self._runs[run.submission.submission_id]

    def _start(self, run: _Run) -> None:
        row = run.submission
        self._runs[row.submission_id] = run
        try:
            program = self._programs.read(row)
        except ArenaError as error:
            log.warning("a submitted bot cannot run", bot=row.bot, version=row.version, fault=str(error))
            run.fault = str(error)
            return
        environment = {
            **program.environment,
            "CHEATARENA_POOLS": ",".join(row.pools),
            "CHEATARENA_VERSION": row.version,
        }
        entrant = BotEntrant(row.bot, replace(program, environment=environment))
        instance = f"{SUBMITTED_INSTANCE}{row.version}"  # a new process takes over the seats of the same version
        run.bot = KeptBot(entrant, self._address, instance, partial(self._make_token, run), partial(self._is_over, run))
        self._bots.keep(run.bot)

    async def _make_token(self, run: _Run) -> str:
        """Revoke the token of the process before it.

        Raises DeniedError if the version retires and has no game left.
        """
        row, tokens = run.submission, self._store.tokens
        if run.retires_by is not None and not await self._may_finish(run):
            raise DeniedError(f"version {row.version} of {row.bot} was replaced and has no game left")
        await self._revoke(run)
        secret = await tokens.create(row.bot, [Scope.PLAY], TOKEN_TTL, row.owner, version=row.version)
        run.token = handle_of(secret)
        if run.retires_by is not None:
            await tokens.retire(run.token, run.retires_by)
        return secret

    async def _revoke(self, run: _Run) -> None:
        if run.token:
            try:
                await self._store.tokens.end_version(run.token)
            except UnknownNameError:
                log.info("a token was gone already", bot=run.submission.bot)
            run.token = ""


def _note(run: _Run) -> RunNote:
    """Return the note for the owner of the version."""
    identity = run.submission.submission_id
    if run.bot is None:
        return RunNote(identity, run.fault, run.fault, log="")
    record = run.bot.record
    return RunNote(identity, record.describe(), record.describe_trouble(), record.read_log())
