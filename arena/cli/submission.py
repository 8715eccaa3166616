"""`arena submission`: an owner's submitted bots on a server, their versions and logs."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from arena.bots.launch.output import sanitize_for_terminal
from arena.bots.submissions.submission import parse_step, step_name
from arena.cli.author import call_as_owner, open_credentials
from arena.cli.console import print_json, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption, OwnServerOption
from arena.cli.result_console import stdout_console
from arena.cli.store_access import ServerDataOption, format_date, with_known_store
from arena.cli.submission_calls import (
    call_submissions,
    check_bot,
    describe_submission,
    find_submission,
    split_version,
    submission_as_dict,
)
from arena.errors import RequestError
from arena.server.rpc.submission_client import SubmissionClient
from arena.typed_command import arena_command

app = typer.Typer(
    rich_markup_mode="markdown",
    no_args_is_help=True,
    help="Show, activate, roll back and withdraw your submitted bots on a server (see `arena submit`).",
)

VersionArgument = Annotated[str, typer.Argument(metavar="BOT@VERSION", help="The version.")]
SubmissionArgument = Annotated[
    str, typer.Argument(metavar="BOT[@VERSION]", help="A version, or the newest one of a bot; or the id of one.")
]

_OUTCOMES = {None: "ended", True: "passed", False: "failed"}
"""How a step ended, by whether it was passed. Nobody judges the one in which a version plays."""


@app.command("list")
def list_(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Only this bot. Default: all of yours.")] = "",
    server: OwnServerOption = "",
    json: JsonOption = False,
) -> int:
    """List your submissions, the newest first."""
    check_bot(bot)
    submissions = call_submissions(server, lambda client: client.list_versions(bot))
    if json:
        print_json(list(map(submission_as_dict, submissions)))
        return ExitCode.YES
    if not submissions:
        print(f"no submissions yet: `{arena_command('submit', 'FOLDER')}` hands in a bot")
        return ExitCode.YES
    table = Table("bot", "version", "state", "handed in", "pools", "why")
    for each in submissions:
        date, pools = format_date(each.created_at) or "", ", ".join(each.pools)
        table.add_row(*map(Text, (each.bot, each.version, each.state, date, pools, each.sentence)))
    stdout_console().print(table)
    return ExitCode.YES


@app.command()
def show(submission: SubmissionArgument, server: OwnServerOption = "", json: JsonOption = False) -> int:
    """Show a submission with its steps."""
    found, steps = call_submissions(server, lambda client: find_submission(client, submission))
    if json:
        print_json(submission_as_dict(found, steps))
        return ExitCode.YES
    print(describe_submission(found))
    print(f"id {found.submission_id}, package {found.package}")
    for step in steps:
        outcome = "runs" if step.ended_at is None else _OUTCOMES[step.is_passed]
        print(sanitize_for_terminal(f"{step.name:9} {outcome}  {step.sentence}"))
    return ExitCode.YES


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
) -> int:
    """Print the log of a step. Nobody but you can read it."""

    async def read(client: SubmissionClient) -> tuple[str, str]:
        found, steps = await find_submission(client, submission)
        name = f"{found.bot}@{found.version}"
        known = [each.name for each in steps]
        newest = known[-1] if known else ""
        wanted = step or (found.refused_step if found.refused_step in known else newest)
        if not wanted:
            raise RequestError(f"no step of {name} has started yet")
        wanted = step_name(parse_step(wanted))
        if wanted not in known:
            others = ", ".join(known) or "none"
            hint = "BOT@VERSION names another version"
            raise RequestError(f"{name} has not had the step {wanted}, but: {others}. {hint}")
        return f"step {wanted} of {name}", await client.read_log(found.submission_id, wanted)

    title, text = call_submissions(server, read)
    for line in text.splitlines():
        print(sanitize_for_terminal(line))
    if not text.strip():
        print_status(f"{title}: it has printed nothing yet; --step names another step")
    return ExitCode.YES


@app.command()
def activate(version: VersionArgument, server: OwnServerOption = "") -> int:
    """Let a version play that was tried before."""
    bot, name = split_version(version)
    print(describe_submission(call_submissions(server, lambda client: client.activate(bot, name))))
    return ExitCode.YES


@app.command("roll-back")
def roll_back(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot.")],
    server: OwnServerOption = "",
) -> int:
    """Let the version play that was active before the present one. Repeated calls go further back."""
    check_bot(bot)
    print(describe_submission(call_submissions(server, lambda client: client.roll_back(bot))))
    return ExitCode.YES


@app.command()
def withdraw(version: VersionArgument, server: OwnServerOption = "") -> int:
    """Withdraw a version for ever. If it plays, the bot no longer plays until you activate another version."""
    bot, name = split_version(version)
    print(describe_submission(call_submissions(server, lambda client: client.withdraw(bot, name))))
    return ExitCode.YES


@app.command()
def refuse(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot.")],
    because: Annotated[str, typer.Option(metavar="TEXT", help="What the owner is told.")],
    data: ServerDataOption = None,
) -> int:
    """Refuse the active version of a bot for ever, as the organizer. It ends within seconds.

    The owner may still activate another version, unless you revoke the owner's tokens: `arena token revoke OWNER`.
    """
    row = with_known_store(data, lambda store: store.submissions.refuse_active(bot, because))
    print(f"{row.bot}@{row.version} is refused")
    return ExitCode.YES


@app.command()
def token(
    days: Annotated[int, typer.Option(min=1, max=366, help="Days that the token is valid.")] = 90,
    server: OwnServerOption = "",
) -> int:
    """Make a token that can submit your bots and nothing else, for ARENA_TOKEN in the secrets of a CI."""
    secret, expires_at = call_as_owner(*open_credentials(server), lambda client: client.create_submit_token(days))
    print(secret)
    print_status(f"This token is not shown again. It is valid until {format_date(expires_at)}.")
    return ExitCode.YES
