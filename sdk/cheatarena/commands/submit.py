"""`python -m cheatarena submit FOLDER` submits a bot to a server, and follows it until it plays or is refused."""

import argparse
import asyncio
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

from cheatarena.commands.arguments import PROGRAM, Commands, add_command, add_json, add_server
from cheatarena.commands.exit_codes import MEANINGS, NO
from cheatarena.commands.output import Found, Line, present, tell
from cheatarena.commands.own_server import any_settings
from cheatarena.commands.own_submissions import describe_submission, submission_as_dict
from cheatarena.packing import PackedBot, open_archive, pack_folder, read_packed_bot
from cheatarena.plurals import format_count
from cheatarena.submission_client import SubmissionClient, WithSteps
from cheatarena.submission_values import FINAL, OwnSubmission, SubmissionStep

WITHOUT_POOLS: Final = "its bot.toml names no `pools`, so it will play only in leagues"

_LOG_HEAD, _LOG_TAIL = 25, 35
"""The most lines of a log that are printed: from its begin, where the verdicts are, and what the bot wrote last."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "submit",
        _run,
        summary="submit a bot to a server, which builds, checks, tries and runs it",
        description="A lost connection is made again, and the upload goes on where it stopped. The token is the owner's"
        " in the credentials file, or that in ARENA_TOKEN, as in CI.",
        exit_codes=f"0 it plays or, with --no-wait, is submitted, {NO} refused, {MEANINGS}",
    )
    told = "the bot's folder with its bot.toml, or its archive"
    parser.add_argument("package", metavar="FOLDER|ARCHIVE", type=Path, help=told)
    parser.add_argument("--no-wait", action="store_true", help="do not wait until the bot plays or is refused")
    add_server(parser, "--to")
    add_json(parser)


async def submit(
    archive: IO[bytes],
    bot: PackedBot,
    address: str,
    tell: Callable[[str], object],
    log_command: Callable[[str], str],
    *,
    waits: bool,
) -> tuple[OwnSubmission, Sequence[SubmissionStep]]:
    """Submit an archive; with `waits`, follow it until it plays or is refused. Return the submission with its steps.

    `tell` gets a line for each change, and the log of a step that failed. `log_command` returns the command that prints
    the log of BOT@VERSION. Raises the errors of SubmissionClient, and SettingsError.
    """
    async with SubmissionClient(any_settings(address)) as client:
        name = f"{bot.name}@{bot.version}"
        tell(f"submitting {name} to {client.address}")
        if not bot.has_pools:
            tell(WITHOUT_POOLS)
        found = await client.upload(bot.name, archive, _make_progress(tell))
        if not found.is_pending:
            tell(f"{name} was submitted before, with the same files: nothing changes")
            return found, ()
        if not waits:
            return found, ()
        found, steps = await _follow(client, found, tell)
        if found.refused_step in {step.name for step in steps}:
            lines = (await client.read_log(found.submission_id, found.refused_step)).splitlines()
            for line in _shorten(lines, log_command(f"{found.bot}@{found.version}")):
                tell(f"  {line}")
        return found, steps


async def _follow(client: SubmissionClient, found: OwnSubmission, tell: Callable[[str], object]) -> WithSteps:
    """Tell each change of a submission, and return it at its end."""
    state = ""
    steps: Sequence[SubmissionStep] = ()
    async for newest in client.follow(found.submission_id):
        found, steps = newest
        if found.state != state:
            state = found.state
            tell(state)
    return found, steps


def _shorten(lines: list[str], command: str) -> list[str]:
    """Return the lines of a log without its middle, which `command` prints."""
    left_out = len(lines) - _LOG_HEAD - _LOG_TAIL
    if left_out <= 1:
        return lines
    note = f"[{format_count(left_out, 'line')} are left out here; `{command}` prints all]"
    return [*lines[:_LOG_HEAD], note, *lines[-_LOG_TAIL:]]


def _make_progress(tell: Callable[[str], object]) -> Callable[[int, int], None]:
    """Return a callback that reports an upload's progress, a quarter at a time."""
    told = 0

    def note(sent: int, whole: int) -> None:
        nonlocal told
        quarter = 4 * sent // whole
        if quarter > told:
            tell(f"sent {25 * quarter} %")
        told = quarter

    return note


def _log_command(version: str) -> str:
    return f"{PROGRAM} log {shlex.quote(version)}"


def _run(asked: argparse.Namespace) -> int:
    with open_archive(asked.package, pack_folder) as archive:
        bot = read_packed_bot(archive, str(asked.package))
        found, steps = asyncio.run(submit(archive, bot, asked.server, tell, _log_command, waits=not asked.no_wait))
    present(Found(submission_as_dict(found, steps), [Line(describe_submission(found))]), asked.json)
    return NO if found.state in FINAL else 0
