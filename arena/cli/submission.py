"""`arena submission`: an owner's submitted bots on a server, their versions and logs."""

from typing import TYPE_CHECKING, Annotated

import typer

from arena.bots.launch.output import sanitize_for_terminal
from arena.cli.console import print_status
from arena.cli.options import JsonOption, OwnServerOption
from arena.cli.present import present, present_rows, print_lines
from arena.cli.store_access import ServerDataOption, format_date, with_known_store
from arena.errors import RequestError
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from cheatarena.submission_values import OwnSubmission

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)

VersionArgument = Annotated[str, typer.Argument(metavar="BOT@VERSION", help="The version.")]
SubmissionArgument = Annotated[
    str, typer.Argument(metavar="BOT[@VERSION]", help="A version, or the newest one of a bot; or the id of one.")
]

_OUTCOMES = {None: "ended", True: "passed", False: "failed"}
"""How a step ended, by whether it was passed. Nobody judges the one in which a version plays."""


def split_version(text: str) -> tuple[str, str]:
    """Return bot and version of BOT@VERSION. Raises RequestError for anything else."""
    bot, _, version = text.rpartition("@")
    if not bot or not version:
        raise RequestError(f"{text!r} names no version: expected BOT@VERSION")
    return bot, version


def describe_submission(submission: "OwnSubmission") -> str:
    from cheatarena.commands.own_submissions import describe_submission as describe

    return sanitize_for_terminal(describe(submission, arena_command("pool", "list")))


@app.command("list")
def list_(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Only this bot. Default: all of yours.")] = "",
    server: OwnServerOption = "",
    json: JsonOption = False,
) -> None:
    """List your submissions, the newest first."""
    from cheatarena.commands.own_submissions import call_submissions, check_bot, submission_as_dict

    check_bot(bot)
    submissions = call_submissions(server, lambda client: client.list_versions(bot))
    columns = {name: name for name in ("bot", "version", "state")}
    columns |= {"submitted": "created_at", "pools": "pools", "why": "sentence"}
    none = f"no submissions yet: `{arena_command('submit', 'FOLDER')}` submits a bot"
    present_rows(list(map(submission_as_dict, submissions)), json, columns, none)


@app.command()
def show(submission: SubmissionArgument, server: OwnServerOption = "", json: JsonOption = False) -> None:
    """Show a submission with its steps."""
    from cheatarena.commands.own_submissions import call_submissions, find_submission, submission_as_dict

    found, steps = call_submissions(server, lambda client: find_submission(client, submission))
    lines = [describe_submission(found), f"id {found.submission_id}, package {found.package}"]
    for step in steps:
        outcome = "runs" if step.ended_at is None else _OUTCOMES[step.is_passed]
        lines.append(f"{step.name:9} {outcome}  {step.sentence}")
    present(submission_as_dict(found, steps), json, lines)


@app.command()
def log(
    submission: SubmissionArgument,
    step: Annotated[
        str,
        typer.Option(
            help="building, checking, trying or running. Default: the step that failed, or else the last one."
        ),
    ] = "",
    server: OwnServerOption = "",
) -> None:
    """Print the log of a step. Only you and the organizer can read it."""
    from cheatarena.commands.log import read_log

    text, message = read_log(server, submission, step)
    print_lines(text.splitlines())
    if message:
        print_status(message)


@app.command()
def activate(version: VersionArgument, server: OwnServerOption = "") -> None:
    """Let a version play that was tried before."""
    from cheatarena.commands.own_submissions import call_submissions

    bot, name = split_version(version)
    print(describe_submission(call_submissions(server, lambda client: client.activate(bot, name))))


@app.command("roll-back")
def roll_back(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot.")],
    server: OwnServerOption = "",
) -> None:
    """Let the version play that was active before the present one. Repeated calls go further back."""
    from cheatarena.commands.roll_back import roll_back as roll_back_bot

    print(describe_submission(roll_back_bot(server, bot)))


@app.command()
def withdraw(version: VersionArgument, server: OwnServerOption = "") -> None:
    """Withdraw a version for ever. If it plays, the bot no longer plays until you activate another version."""
    from cheatarena.commands.own_submissions import call_submissions

    bot, name = split_version(version)
    print(describe_submission(call_submissions(server, lambda client: client.withdraw(bot, name))))


@app.command()
def refuse(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot.")],
    because: Annotated[str, typer.Option(metavar="TEXT", help="What the owner is told.")],
    data: ServerDataOption = None,
) -> None:
    """Refuse the active version of a bot for ever, as the organizer. It ends within seconds.

    The owner may still activate another version, unless you revoke the owner's tokens: `arena token revoke OWNER`.
    """
    row = with_known_store(data, lambda store: store.submissions.refuse_active(bot, because))
    print(f"{row.bot}@{row.version} is refused")


@app.command()
def token(
    days: Annotated[int, typer.Option(min=1, max=366, help="Days that the token is valid.")] = 90,
    server: OwnServerOption = "",
) -> None:
    """Make a token that can submit your bots and nothing else, for ARENA_TOKEN in the secrets of a CI."""
    from cheatarena.commands.own_server import call_as_owner, open_credentials

    secret, expires_at = call_as_owner(*open_credentials(server), lambda client: client.create_submit_token(days))
    print(secret)
    print_status(f"This token is not shown again. It is valid until {format_date(expires_at)}.")
