"""`arena submission`: an owner's submitted bots on a server, versions and logs. `arena submit` shares its calls."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from arena.bots.launch.output import sanitize_for_terminal
from arena.bots.submissions.submission import Step, Submission, SubmissionState, parse_step, step_name
from arena.cli.console import print_status
from arena.cli.options import JsonOption, OwnServerOption
from arena.cli.present import present, present_rows, print_lines
from arena.cli.store_access import ServerDataOption, format_date, plain_fields, with_known_store
from arena.errors import RequestError
from arena.ids import id_time
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from arena.server.rpc.submission_client import SubmissionClient

T = TypeVar("T")

_TOLD: Final = (
    *("submission_id", "bot", "version", "state", "sentence", "refused_step", "package", "byte_count", "pools"),
    *("created_at", "changed_at"),
)
"""What a server tells of a submission, in the order of the JSON."""
app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)

VersionArgument = Annotated[str, typer.Argument(metavar="BOT@VERSION", help="The version.")]
SubmissionArgument = Annotated[
    str, typer.Argument(metavar="BOT[@VERSION]", help="A version, or the newest one of a bot; or the id of one.")
]

_OUTCOMES = {None: "ended", True: "passed", False: "failed"}
"""How a step ended, by whether it was passed. Nobody judges the one in which a version plays."""


@asynccontextmanager
async def connect_as_owner(address: str) -> "AsyncIterator[SubmissionClient]":
    """Connect with the token in CHEATARENA_TOKEN or ARENA_TOKEN, or else that of the owner in the credentials file.

    Without an address, connect to the only server in the file. Raises SettingsError.
    """
    from arena.server.rpc.submission_client import SubmissionClient
    from cheatarena.commands.own_server import any_settings

    settings = any_settings(address)
    async with SubmissionClient(settings.address, settings.token, settings.tls) as client:
        yield client


def call_submissions(address: str, act: "Callable[[SubmissionClient], Awaitable[T]]") -> T:
    """Raises what SubmissionClient raises."""

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


async def find_submission(client: "SubmissionClient", text: str) -> tuple[Submission, Sequence[Step]]:
    """Return a submission with its steps, by its id, by BOT@VERSION, or the newest one of BOT. Raises RequestError."""
    if id_time(text) is not None:
        return await client.get(text)
    bot, _, version = text.rpartition("@") if "@" in text else (text, "", "")
    for submission in await client.list_versions(bot):
        if version in ("", submission.version):
            return await client.get(submission.submission_id)
    raise RequestError(f"there is no submission {text!r}: expected an id, BOT or BOT@VERSION")


def submission_as_dict(submission: Submission, steps: Sequence[Step] | None = None) -> dict[str, Any]:
    """Times are texts. A list of submissions has no steps."""
    values = plain_fields(submission, *_TOLD)
    return values if steps is None else values | {"steps": list(map(_step_as_dict, steps))}


def _step_as_dict(step: Step) -> dict[str, Any]:
    return asdict(step) | {"step": step.name} | plain_fields(step, "started_at", "ended_at")


def describe_submission(submission: Submission) -> str:
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


@app.command("list")
def list_(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Only this bot. Default: all of yours.")] = "",
    server: OwnServerOption = "",
    json: JsonOption = False,
) -> None:
    """List your submissions, the newest first."""
    check_bot(bot)
    submissions = call_submissions(server, lambda client: client.list_versions(bot))
    columns = {name: name for name in ("bot", "version", "state")}
    columns |= {"handed in": "created_at", "pools": "pools", "why": "sentence"}
    none = f"no submissions yet: `{arena_command('submit', 'FOLDER')}` hands in a bot"
    present_rows(list(map(submission_as_dict, submissions)), json, columns, none)


@app.command()
def show(submission: SubmissionArgument, server: OwnServerOption = "", json: JsonOption = False) -> None:
    """Show a submission with its steps."""
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
    """Print the log of a step. Nobody but you can read it."""

    async def read(client: "SubmissionClient") -> tuple[str, str]:
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
            raise RequestError(f"{name} has not reached the step {wanted}, only {others}. {hint}")
        return f"step {wanted} of {name}", await client.read_log(found.submission_id, wanted)

    title, text = call_submissions(server, read)
    print_lines(text.splitlines())
    if not text.strip():
        print_status(f"{title}: it has printed nothing yet; --step names another step")


@app.command()
def activate(version: VersionArgument, server: OwnServerOption = "") -> None:
    """Let a version play that was tried before."""
    bot, name = split_version(version)
    print(describe_submission(call_submissions(server, lambda client: client.activate(bot, name))))


@app.command("roll-back")
def roll_back(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot.")],
    server: OwnServerOption = "",
) -> None:
    """Let the version play that was active before the present one. Repeated calls go further back."""
    check_bot(bot)
    print(describe_submission(call_submissions(server, lambda client: client.roll_back(bot))))


@app.command()
def withdraw(version: VersionArgument, server: OwnServerOption = "") -> None:
    """Withdraw a version for ever. If it plays, the bot no longer plays until you activate another version."""
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
