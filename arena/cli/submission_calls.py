"""Connects to a server's SubmissionService as an owner, names submissions as people do, and shows them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any, Final, TypeVar

from arena.bots.launch.output import sanitize_for_terminal
from arena.bots.submissions.submission import Step, Submission, SubmissionState
from arena.cli.author import any_settings
from arena.cli.store_access import format_date
from arena.errors import RequestError
from arena.ids import id_time
from arena.server.rpc.submission_client import SubmissionClient
from arena.typed_command import arena_command

T = TypeVar("T")

_TOLD: Final = (
    *("submission_id", "bot", "version", "state", "sentence", "refused_step", "package", "byte_count", "pools"),
    *("created_at", "changed_at"),
)
"""What a server tells of a submission, in the order of the JSON."""


@asynccontextmanager
async def connect_as_owner(address: str) -> AsyncIterator[SubmissionClient]:
    """Connect with the token in CHEATARENA_TOKEN or ARENA_TOKEN, or else that of the owner in the credentials file.

    Without an address, connect to the only server in the file. Raises SettingsError.
    """
    settings = any_settings(address)
    async with SubmissionClient(settings.address, settings.token, settings.tls) as client:
        yield client


def call_submissions(address: str, act: Callable[[SubmissionClient], Awaitable[T]]) -> T:
    """Connect as the owner, make calls and return their result. Raises what SubmissionClient raises."""

    async def work() -> T:
        async with connect_as_owner(address) as client:
            return await act(client)

    return asyncio.run(work())


def check_bot(text: str) -> None:
    """Raise RequestError for BOT@VERSION, where only a bot is expected."""
    if "@" in text:
        raise RequestError(f"{text!r} names a version: expected BOT")


def split_version(text: str) -> tuple[str, str]:
    """Return bot and version of BOT@VERSION. Raises RequestError for anything else."""
    bot, _, version = text.rpartition("@")
    if not bot or not version:
        raise RequestError(f"{text!r} names no version: expected BOT@VERSION")
    return bot, version


async def find_submission(client: SubmissionClient, text: str) -> tuple[Submission, Sequence[Step]]:
    """Return a submission with its steps, by its id, by BOT@VERSION, or the newest one of BOT. Raises RequestError."""
    if id_time(text) is not None:
        return await client.get(text)
    bot, _, version = text.rpartition("@") if "@" in text else (text, "", "")
    for submission in await client.list_versions(bot):
        if version in ("", submission.version):
            return await client.get(submission.submission_id)
    raise RequestError(f"there is no submission {text!r}: expected an id, BOT or BOT@VERSION")


def submission_as_dict(submission: Submission, steps: Sequence[Step] | None = None) -> dict[str, Any]:
    """Return a submission as values for JSON; its times are texts. A list of submissions has no steps."""
    values = {name: getattr(submission, name) for name in _TOLD}
    values |= {name: format_date(values[name]) for name in ("created_at", "changed_at")}
    return values if steps is None else values | {"steps": list(map(_step_as_dict, steps))}


def _step_as_dict(step: Step) -> dict[str, Any]:
    times = {"started_at": format_date(step.started_at), "ended_at": format_date(step.ended_at)}
    return asdict(step) | {"step": step.name} | times


def describe_submission(submission: Submission) -> str:
    """Return one line: which version it is, its state, in which pools it plays, and what is wrong with it."""
    more = ""
    is_active = submission.state is SubmissionState.ACTIVE
    if is_active and submission.pools:
        more = f", in {', '.join(submission.pools)}"
    elif is_active and not submission.sentence:
        shown = arena_command("pool", "list")
        more = f". Its bot.toml names no `pools`, so it plays only in leagues; `{shown}` shows the pools"
    if submission.sentence:
        step = f" ({submission.refused_step})" if submission.refused_step else ""
        more += f"{step}: {submission.sentence}"
    return sanitize_for_terminal(f"{submission.bot}@{submission.version} is {submission.state}{more}")
