"""Connects to a server's SubmissionService as an owner, and names submissions as people do."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from arena.server.rpc.submission_client import SubmissionClient, SubmissionReport

T = TypeVar("T")


@asynccontextmanager
async def connect_as_owner(address: str) -> "AsyncIterator[SubmissionClient]":
    """Connect with the token in CHEATARENA_TOKEN or ARENA_TOKEN, or else that of the owner in the credentials file.

    Without an address, connect to the only server in the file. Raises SettingsError.
    """
    from arena.cli.author import any_settings
    from arena.server.rpc.submission_client import SubmissionClient

    settings = any_settings(address)
    async with SubmissionClient(settings.address, settings.token, settings.tls) as client:
        yield client


def call_submissions(address: str, act: "Callable[[SubmissionClient], Awaitable[T]]") -> T:
    """Connect as the owner, make calls and return their result. Raises what SubmissionClient raises."""

    async def work() -> T:
        async with connect_as_owner(address) as client:
            return await act(client)

    return asyncio.run(work())


def check_bot(text: str) -> None:
    """Raise RequestError for BOT@VERSION, where only a bot is expected."""
    from arena.errors import RequestError

    if "@" in text:
        raise RequestError(f"{text!r} names a version: expected BOT")


def split_version(text: str) -> tuple[str, str]:
    """Return bot and version of BOT@VERSION. Raises RequestError for anything else."""
    from arena.errors import RequestError

    bot, _, version = text.rpartition("@")
    if not bot or not version:
        raise RequestError(f"{text!r} names no version: expected BOT@VERSION")
    return bot, version


async def find_submission(client: "SubmissionClient", text: str) -> "SubmissionReport":
    """Return a submission by its id, by BOT@VERSION, or the newest one of BOT. Raises RequestError."""
    from arena.errors import RequestError
    from arena.ids import id_time

    if id_time(text) is not None:
        return await client.get(text)
    bot, _, version = text.rpartition("@") if "@" in text else (text, "", "")
    for report in await client.list_versions(bot):
        if version in ("", report.version):
            return await client.get(report.submission_id)
    raise RequestError(f"there is no submission {text!r}: expected an id, BOT or BOT@VERSION")
