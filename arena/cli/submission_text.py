"""Submissions as texts for people, and as values for JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arena.cli.store_access import format_date
from arena.launch.output import sanitize_for_terminal

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
    """Return one line: which version it is, its state and, if it was refused, why."""
    why = f" ({report.refused_step}): {report.sentence}" if report.state == "refused" else ""
    return sanitize_for_terminal(f"{report.bot}@{report.version} is {report.state}{why}")
