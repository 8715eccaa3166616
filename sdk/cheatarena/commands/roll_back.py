"""`python -m cheatarena roll-back BOT` lets the version of a submitted bot play that was active before."""

import argparse

from cheatarena.commands.arguments import Commands, add_command, add_server
from cheatarena.commands.output import Found, Line, present
from cheatarena.commands.own_submissions import call_submissions, check_bot, describe_submission
from cheatarena.submission_values import OwnSubmission


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "roll-back",
        _run,
        summary="let the version of a submitted bot play that was active before",
        description="Repeated calls go further back.",
    )
    parser.add_argument("bot", metavar="BOT", help="the bot")
    add_server(parser)


def roll_back(address: str, bot: str) -> OwnSubmission:
    """Return the version that plays now. Raises RequestError for BOT@VERSION, and the errors of SubmissionClient."""
    check_bot(bot)
    return call_submissions(address, lambda client: client.roll_back(bot))


def _run(asked: argparse.Namespace) -> None:
    present(Found("", [Line(describe_submission(roll_back(asked.server, asked.bot)))]), is_json=False)
