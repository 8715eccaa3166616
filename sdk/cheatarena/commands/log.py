"""`python -m cheatarena log BOT` prints the log of a step of a submission."""

import argparse

from cheatarena.commands.arguments import Commands, add_command, add_server
from cheatarena.commands.output import Found, Line, present, tell
from cheatarena.commands.own_submissions import call_submissions, find_submission
from cheatarena.errors import RequestError
from cheatarena.submission_client import SubmissionClient
from cheatarena.submission_values import STEPS


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "log",
        _run,
        summary="print the log of a step of a submitted bot",
        description="Only you and the organizer can read it. What cannot be shown on a terminal is escaped.",
    )
    told = "a version, or the newest one of a bot; or the id of one"
    parser.add_argument("submission", metavar="BOT[@VERSION]", help=told)
    told = f"{', '.join(STEPS[:-1])} or {STEPS[-1]}. Default: the step that failed, or else the last one"
    parser.add_argument("--step", default="", help=told)
    add_server(parser)


def read_log(address: str, submission: str, step: str) -> tuple[str, str]:
    """Return the log of a step, and a message if it is empty. Without `step`, it is the failed one, or else the last.

    Raises RequestError if there is no such submission or step, and the errors of SubmissionClient.
    """

    async def read(client: SubmissionClient) -> tuple[str, str]:
        found, steps = await find_submission(client, submission)
        name = f"{found.bot}@{found.version}"
        known = [each.name for each in steps]
        newest = known[-1] if known else ""
        wanted = step or (found.refused_step if found.refused_step in known else newest)
        if not wanted:
            raise RequestError(f"no step of {name} has started yet")
        if wanted not in STEPS:
            raise RequestError(f"--step {wanted}: expected one of {', '.join(STEPS)}")
        if wanted not in known:
            others = ", ".join(known) or "none"
            hint = "BOT@VERSION names another version"
            raise RequestError(f"{name} has not reached the step {wanted}, only {others}. {hint}")
        text = await client.read_log(found.submission_id, wanted)
        empty = f"step {wanted} of {name}: it has printed nothing yet; --step names another step"
        return text, "" if text.strip() else empty

    return call_submissions(address, read)


def _run(asked: argparse.Namespace) -> None:
    text, message = read_log(asked.server, asked.submission, asked.step)
    present(Found(text, list(map(Line, text.splitlines()))), is_json=False)
    if message:
        tell(message)
