"""`arena submit`: hands in a bot to a server, and follows it until it plays or is refused."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.bots.submissions.submission import FINAL, Step, Submission
from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption, OwnServerOption
from arena.cli.pack import warn_without_pools
from arena.cli.present import present
from arena.cli.submission import connect_as_owner, describe_submission, submission_as_dict
from arena.plurals import format_subject
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from arena.server.rpc.submission_client import SubmissionClient

app = typer.Typer(rich_markup_mode="markdown")

_LOG_HEAD, _LOG_TAIL = 25, 35
"""The most lines of a log that are printed: from its begin, where the verdicts are, and what the bot wrote last."""


@app.command()
def submit(
    package: Annotated[
        Path, typer.Argument(metavar="FOLDER|ARCHIVE", help="The bot's folder with its bot.toml, or its archive.")
    ],
    to: OwnServerOption = "",
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until the bot plays or is refused.")] = True,
    json: JsonOption = False,
) -> int:
    """A lost connection is made again, and the upload goes on where it stopped. Your token is in the credentials file
    (see `arena join`), or in ARENA_TOKEN, as in CI: `arena submission token` makes one for that. Exits with 1 if the
    server refuses the bot.
    """
    found, steps = asyncio.run(_submit(package, to, wait))
    present(submission_as_dict(found, steps), json, [describe_submission(found)])
    return ExitCode.NO if found.state in FINAL else ExitCode.YES


async def _submit(place: Path, address: str, waits: bool) -> tuple[Submission, Sequence[Step]]:
    from arena.bots.packages.packing import open_package

    archive, package = open_package(place)
    with archive:
        async with connect_as_owner(address) as client:
            name = f"{package.manifest.name}@{package.manifest.version}"
            print_status(f"handing in {name} to {client.address}")
            warn_without_pools(package)
            found = await client.upload(package.manifest.name, archive, _make_progress(print_status))
            if not found.is_pending:
                print_status(f"{name} was handed in before, with the same files: nothing changes")
                return found, ()
            return await _follow(client, found) if waits else (found, ())


async def _follow(client: "SubmissionClient", found: Submission) -> tuple[Submission, Sequence[Step]]:
    """Tell each change of a submission, and return it at its end. Print the log of a failed step."""
    state = ""
    steps: Sequence[Step] = ()
    async for newest in client.follow(found.submission_id):
        found, steps = newest
        if found.state != state:
            state = found.state
            print_status(state)
    if found.refused_step in {step.name for step in steps}:
        lines = (await client.read_log(found.submission_id, found.refused_step)).splitlines()
        for line in _shorten(lines, f"{found.bot}@{found.version}"):
            print_status(f"  {line}")
    return found, steps


def _shorten(lines: list[str], name: str) -> list[str]:
    """Return the lines of a log without its middle, which `arena submission log` prints."""
    left_out = len(lines) - _LOG_HEAD - _LOG_TAIL
    if left_out <= 1:
        return lines
    command = arena_command("submission", "log", name)
    note = f"[{format_subject(left_out, 'line')} left out here; `{command}` prints all]"
    return [*lines[:_LOG_HEAD], note, *lines[-_LOG_TAIL:]]


def _make_progress(tell: Callable[[str], object]) -> Callable[[int, int], None]:
    """Return what tells the progress of an upload, a quarter at a time."""
    told = 0

    def note(sent: int, whole: int) -> None:
        nonlocal told
        quarter = 4 * sent // whole
        if quarter > told:
            tell(f"sent {25 * quarter} %")
        told = quarter

    return note
