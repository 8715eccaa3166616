"""Submissions as texts for people, and as values for JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arena.bots.launch.output import sanitize_for_terminal
from arena.cli.store_access import format_date
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from arena.server.rpc.submission_client import SubmissionReport


def submission_as_dict(report: "SubmissionReport", has_steps: bool = True) -> dict[str, Any]:
    """Return a submission as values for JSON; its times are texts. A list of submissions has no steps."""
    values = asdict(report)
    for each in (values, *values["steps"]):
        for name in each.keys() & {"created_at", "changed_at", "started_at", "ended_at"}:
            each[name] = format_date(each[name])
    if not has_steps:
        del values["steps"]
    return values


def describe_report(report: "SubmissionReport") -> str:
    """Return one line: which version it is, its state, in which pools it plays, and what is wrong with it."""
    more = ""
    if report.state == "active" and report.pools:
        more = f", in {', '.join(report.pools)}"
    elif report.state == "active" and not report.sentence:
        shown = arena_command("pool", "list")
        more = f". Its bot.toml names no `pools`, so it plays only in leagues; `{shown}` shows the pools"
    if report.sentence:
        step = f" ({report.refused_step})" if report.refused_step else ""
        more += f"{step}: {report.sentence}"
    return sanitize_for_terminal(f"{report.bot}@{report.version} is {report.state}{more}")
