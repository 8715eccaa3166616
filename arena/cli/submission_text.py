"""Submissions as texts for people, and as values for JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arena.cli.store_access import format_date
from arena.launch.output import sanitize_for_terminal
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from arena.rpc.submission_client import SubmissionReport


def submission_as_dict(report: "SubmissionReport") -> dict[str, Any]:
    """Return a submission as values for JSON; its times are texts."""
    values = asdict(report)
    for each in (values, *values["steps"]):
        for name in each.keys() & {"created_at", "changed_at", "started_at", "ended_at"}:
            each[name] = format_date(each[name])
    return values


def describe_report(report: "SubmissionReport") -> str:
    """Return one line: which version it is, its state, and why it was refused or in which pools it plays."""
    match report.state:
        case "refused":
            more = f" ({report.refused_step}): {report.sentence}"
        case "active" if report.pools:
            more = f", in {', '.join(report.pools)}"
        case "active":
            shown = arena_command("pool", "list")
            more = f". Its bot.toml names no `pools`, so it plays only in leagues; `{shown}` shows the pools"
        case _:
            more = ""
    return sanitize_for_terminal(f"{report.bot}@{report.version} is {report.state}{more}")
