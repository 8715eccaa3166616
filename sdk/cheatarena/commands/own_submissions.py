"""An owner's submissions on a server: finds them, and describes them in words and as values for JSON."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Any, Final, TypeVar

from cheatarena.commands.output import format_date
from cheatarena.commands.own_server import ID_LENGTH, any_settings
from cheatarena.errors import RequestError
from cheatarena.submission_client import SubmissionClient, WithSteps
from cheatarena.submission_values import OwnSubmission, SubmissionStep

T = TypeVar("T")

_ID_LETTERS: Final = frozenset("0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def call_submissions(address: str, act: Callable[[SubmissionClient], Awaitable[T]]) -> T:
    """Return what `act` does or finds out with the token of `any_settings`. Raises the errors of SubmissionClient."""

    async def work() -> T:
        async with SubmissionClient(any_settings(address)) as client:
            return await act(client)

    return asyncio.run(work())


def check_bot(text: str) -> None:
    """Raise RequestError for BOT@VERSION, where only a bot is expected."""
    if "@" in text:
        raise RequestError(f"{text!r} names a version: expected BOT")


async def find_submission(client: SubmissionClient, text: str) -> WithSteps:
    """Return a submission with its steps, by its id, by BOT@VERSION, or the newest one of BOT. Raises RequestError."""
    if len(text) == ID_LENGTH and _ID_LETTERS.issuperset(text):
        return await client.get(text)
    bot, _, version = text.rpartition("@") if "@" in text else (text, "", "")
    for submission in await client.list_versions(bot):
        if version in ("", submission.version):
            return await client.get(submission.submission_id)
    raise RequestError(f"there is no submission {text!r}: expected an id, BOT or BOT@VERSION")


def submission_as_dict(submission: OwnSubmission, steps: Sequence[SubmissionStep] | None = None) -> dict[str, Any]:
    """Return a submission for JSON; times are texts. A list of submissions has no steps."""
    values = asdict(submission) | _dates(submission, "created_at", "changed_at")
    return values if steps is None else values | {"steps": list(map(_step_as_dict, steps))}


def _step_as_dict(step: SubmissionStep) -> dict[str, Any]:
    return asdict(step) | {"step": step.name} | _dates(step, "started_at", "ended_at")


def _dates(row: object, *names: str) -> dict[str, str | None]:
    return {name: format_date(getattr(row, name)) for name in names}


def describe_submission(submission: OwnSubmission, pools_command: str = "") -> str:
    """Return a sentence that says how far a submission has come.

    `pools_command` is the command that shows the pools of the server, for a bot that names none.
    """
    more = ""
    is_active = submission.state == "active"
    if is_active and submission.pools:
        more = f", in {', '.join(submission.pools)}"
    elif is_active and not submission.sentence:
        hint = f"; `{pools_command}` shows the pools" if pools_command else ""
        more = f". Its bot.toml names no `pools`, so it plays only in leagues{hint}"
    if submission.sentence:
        step = f" ({submission.refused_step})" if submission.refused_step else ""
        more += f"{step}: {submission.sentence}"
    return f"{submission.bot}@{submission.version} is {submission.state}{more}"
