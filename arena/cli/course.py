"""`arena course`: enrols people, shows what they submitted, says what counts at a deadline, and writes grades."""

import asyncio
import csv
import io
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.console import print_status
from arena.cli.league.options import FileArgument
from arena.cli.option_groups import with_option_groups
from arena.cli.options import DataOption, JsonOption
from arena.cli.output_file import write_file
from arena.cli.present import Columns, present, present_rows, print_lines
from arena.cli.store_access import (
    ServerDataOption,
    data_folder,
    format_date,
    parse_duration,
    with_known_store,
    with_store,
)
from arena.errors import EnvironmentFaultError, OptionError, RequestError
from arena.plurals import format_count
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from arena.bots.submissions.submission import Submission
    from arena.organizer.course.overview import OverviewLine
    from arena.server.store.open_store import Store

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@dataclass(frozen=True, slots=True)
class MailFlags:
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="The server's address, which the mails name.")]
    mails: Annotated[Path, typer.Option(metavar="FILE", help="Mails to send: FILE.mbox, or FILE.csv for a mail merge.")]
    sdk: Annotated[
        str, typer.Option(metavar="URL|FILE", help="Where people get the SDK's wheel, or the name of what you attach.")
    ] = "cheatarena-*.whl"
    ca: Annotated[
        str, typer.Option(metavar="FILE", help="Name of the ca.pem that you attach. Default: a public certificate.")
    ] = ""


@app.command()
@with_option_groups
def enrol(
    roster: Annotated[Path, typer.Argument(metavar="ROSTER", help="CSV file with the columns mail, name and group.")],
    *,
    flags: MailFlags,
    bots: Annotated[
        int, typer.Option(help="Bots that each owner may create; the people of a group share them, with one at least.")
    ] = 4,
    ttl: Annotated[float, typer.Option(metavar="DAYS", help="Days that the codes are valid, up to 365.")] = 14.0,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """Make owners of the people and groups of a roster, and an invitation for each who has not joined.

    Nothing is done if a line is refused. Run it again for a longer roster, or if mails were lost: whoever has joined is
    left alone, and everybody else gets a new code in place of the old one. The people of a group get a code each.
    """
    from arena.organizer.course.invitations import invite
    from arena.organizer.course.mails import Server, check_mail_file, write_mails
    from arena.organizer.course.roster import parse_roster

    sdk = flags.sdk if "://" in flags.sdk else Path(flags.sdk).name
    mails, server = flags.mails, Server(flags.address, sdk, Path(flags.ca).name)
    check_mail_file(mails)
    enrolled = parse_roster(_read_text(roster), str(roster))
    lifetime = parse_duration("ttl", ttl, "days")
    codes = with_store(data, lambda store: invite(store.invitations, enrolled, bots, lifetime))
    until = str(format_date(time.time() + lifetime.total_seconds()))
    try:
        write_mails(mails, enrolled.owners, codes, server, until)
    except OSError as error:
        raise EnvironmentFaultError(f"{mails} cannot be written: {error.strerror}; run this again") from error
    count = format_count(sum(map(len, codes.values())), "invitation")
    words = f"{format_count(len(enrolled.owners), 'owner')}, {count} in {mails}"
    present({"owners": len(enrolled.owners), "invited": sorted(codes), "mails": str(mails)}, json, [words])


@app.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="All versions, not only the newest of each bot.")] = False,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """List all owners with their bots, the newest version of each, how far it came, and when it was last seen."""
    from arena.organizer.course.overview import read_overview

    rows = [
        _line_as_dict(line) for line in with_known_store(data, lambda store: read_overview(store, has_all=everything))
    ]
    columns: Columns = {
        "owner": "owner", "bot": "bot", "version": "version", "state": "state", "why": "sentence",
        "submitted (UTC)": lambda row: _to_minute(row["handed_in"]),
        "last seen (UTC)": lambda row: _to_minute(row["last_seen"]), "contact": "contact",
    }  # fmt: skip
    present_rows(rows, json, columns, f"nobody is enrolled yet: `{arena_command('course', 'enrol')}` reads a roster")


@app.command()
def log(
    bot: Annotated[str, typer.Argument(metavar="BOT[@VERSION]", help="A bot; its newest version if none is named.")],
    step: Annotated[str, typer.Option(help="building, checking, trying or running. Default: the last one.")] = "",
    data: ServerDataOption = None,
) -> None:
    """Print the log of a step of anybody's version.

    If the version was submitted again and no step has started since, that of the time before.
    """
    print_lines(with_known_store(data, lambda store: _read_log(store, bot, step)).splitlines())


@app.command()
def cut(
    deadline: Annotated[str, typer.Argument(metavar="TIME", help="Such as '2026-12-10 23:59+01:00'.")],
    to: Annotated[Path, typer.Option(metavar="FILE", help="JSON file to write, which the printed line seals.")],
    pool: Annotated[str, typer.Option(metavar="NAME", help="Only versions whose bot.toml names this pool.")] = "",
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """Say which version of each bot counts at a deadline: the last one submitted by then that passed its steps.

    Bots of banned owners are left out, and named. Post the printed line. `bots = "cut FILE"` in the file of a league
    takes these versions.
    """
    from arena.organizer.course.cut import make_cut, parse_deadline

    at = parse_deadline(deadline, time.time())
    submissions, banned = with_known_store(data, _read_submissions)
    asked = [each for each in submissions if not pool or pool in each.pools]
    made = make_cut(asked, at, banned)
    if to.exists() and to.read_bytes() != made.as_json():
        raise RequestError(f"{to} has another cut: it was sealed before, so name a new file")
    _write_whole(to, made.as_json().decode())
    left_out = {each.bot: each.owner for each in asked if each.owner in banned and each.created_at <= at}
    for bot, owner in left_out.items():
        print_status(f"{bot} is left out: its owner {owner!r} is banned: {banned[owner]}")
    lines = [f"{each.bot}@{each.version}   {each.owner}   {each.handed_in}" for each in made.bots]
    present({"seal": made.seal, "bots": len(made.bots), "left_out": [*left_out]}, json, [*lines, made.seal])


@app.command()
def alike(
    least: Annotated[float, typer.Option(min=0.05, max=1, help="The least likeness to list.")] = 0.5,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """List programs of different owners that are the same or nearly, by fingerprints as MOSS has them.

    Of each bot it compares the newest version that may play, and the newest that you refused after it had played. What
    the samples have, or more than half of all owners, does not count. A likeness is a reason to look, no proof.
    """
    from arena.organizer.course.likeness import find_likenesses
    from arena.organizer.course.packages import read_programs, read_samples
    from arena.plain_data import to_plain

    submissions, folder = with_known_store(data, lambda store: store.submissions.list()), data_folder(data)
    found = find_likenesses(list(read_programs(submissions, folder)), list(read_samples()), least)
    versions = {f"{each.bot}@{each.version}": each for each in submissions}
    rows = [
        to_plain(each) | _version_as_dict("one", versions[each.one]) | _version_as_dict("other", versions[each.other])
        for each in found
    ]
    columns: Columns = {
        "one": lambda row: "{one}, {one_state}, {one_handed_in}".format(**row),
        "other": lambda row: "{other}, {other_state}, {other_handed_in}".format(**row),
        "likeness": lambda row: "the same" if row["is_same"] else f"{row['share']:.0%}",
    }
    present_rows(rows, json, columns, f"no two programs are {least:.0%} alike")


@app.command()
def grades(
    file: FileArgument,
    to: Annotated[Path, typer.Option(metavar="FILE", help="CSV file to write.")],
    roster: Annotated[
        Path | None,
        typer.Option(
            metavar="ROSTER", help="Roster as for `enrol`: everybody in it gets a row, with or without a bot."
        ),
    ] = None,
    data: DataOption = None,
) -> None:
    """Write the standings of a league as CSV: mail, owner, bot, version, place, score with its 95 % interval, games.

    Scores are rounded to 6 digits; equal scores share a place.
    """
    from arena.cli.league.status import read_status
    from arena.organizer.course.grades import Grade, list_grades
    from arena.organizer.course.roster import parse_roster
    from arena.replays.narration.text_format import safe_cell_text

    enrolled = parse_roster(_read_text(roster), str(roster)).require_complete() if roster else ()
    league, _ = asyncio.run(read_status(file, data))
    rows, lines = list(list_grades(league, enrolled)), io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(Grade._fields)
    writer.writerows([safe_cell_text(each) if isinstance(each, str) else each for each in row] for row in rows)
    write_file(to, lines.getvalue())
    if not league.is_over:
        print_status(f"the league {league.file.name} is not over: these are its standings now")
    print(f"{to}: {format_count(len(rows), 'row')}")


def _write_whole(path: Path, text: str) -> None:
    """Write a file that a kill leaves either whole or not there. Raises EnvironmentFaultError."""
    part = path.with_name(f"{path.name}.part")
    write_file(part, text)
    try:
        part.replace(path)
    except OSError as error:
        raise EnvironmentFaultError(f"{path} cannot be written: {error.strerror}") from error


def _read_text(path: Path) -> str:
    """Raises RequestError and NotationError."""
    from arena.text_files import decode_text

    try:
        return decode_text(path.read_bytes(), str(path))
    except OSError as error:
        raise RequestError(f"the roster {path} cannot be read: {error.strerror}") from error


async def _read_log(store: "Store", text: str, step: str) -> str:
    bot, _, version = text.partition("@")
    found = [each for each in await store.submissions.list() if each.bot == bot and version in ("", each.version)]
    if not found:
        raise RequestError(f"nobody has submitted {text}")
    newest = found[-1]
    for submission in reversed([each for each in found if each.version == newest.version]):
        if steps := {each.name: each.step for each in await store.submissions.list_steps(submission.submission_id)}:
            break
    else:
        raise RequestError(f"no step of {text} has started yet")
    if submission is not newest:
        print_status(f"{text} was submitted again and is {newest.state}: this is the log of the time before")
    if step and step not in steps:
        raise OptionError("step", step, f"expected one of {', '.join(steps)}")
    return await store.submissions.read_log(submission.submission_id, steps[step] if step else [*steps.values()][-1])


def _version_as_dict(side: str, version: "Submission") -> Mapping[str, Any]:
    handed_in = format_date(version.created_at)
    return {f"{side}_owner": version.owner, f"{side}_state": str(version.state), f"{side}_handed_in": handed_in}


async def _read_submissions(store: "Store") -> "tuple[Sequence[Submission], Mapping[str, str]]":
    """Return all submissions, and why each banned owner is banned."""
    return await store.submissions.list(), await store.bans.reasons()


def _to_minute(date: str | None) -> str | None:
    """Return the beginning of a date, which a narrow terminal does not wrap."""
    return date and date[: len("2026-01-31 12:00")]


def _line_as_dict(line: "OverviewLine") -> Mapping[str, Any]:
    submission = line.submission
    return {
        "owner": line.owner,
        "contact": line.contact,
        "bot": line.bot,
        "version": submission.version if submission else "",
        "state": line.state,
        "sentence": line.sentence,
        "handed_in": format_date(submission.created_at if submission else None),
        "last_seen": format_date(line.last_seen),
    }
