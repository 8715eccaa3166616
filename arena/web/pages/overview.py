"""The overview of an organizer who has logged in: everybody's bots and versions, and the logs of their steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.organizer.course.overview import OverviewLine, read_overview
from arena.web.page import PRIVATE, Asked, Page, Parameter, page_at
from arena.web.pages.owner.submission import SubmissionView, show_submission
from arena.web.projection import project
from arena.web.session import require_organizer

_PLACE: Final = {"folder": "/overview/submissions", "list_path": "/overview", "list_title": "Overview"}
"""Where the page of a submission is, and the list that leads to it."""


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """A bot with its newest version, a bot without any, or an owner without bots.

    Times are in seconds since 1970.
    """

    owner: str
    contact: str
    bot: str
    """Empty for an owner without bots."""
    version: str
    submission_id: str
    """Empty if nothing was submitted, as `version`."""
    state: str
    sentence: str
    """Why it is refused, or what is wrong with it."""
    handed_in: float | None
    last_seen: float | None


@dataclass(frozen=True, slots=True)
class Overview:
    """What the organizer sees."""

    lines: Sequence[OverviewRow]
    """By owner and bot."""


@page_at(
    "/overview",
    "For organizers: every owner's bots, how far each came, when it was last seen",
    Overview,
    is_private=True,
)
async def read_overview_page(asked: Asked) -> Page:
    session = await require_organizer(asked)
    view = Overview([_overview_row(line) for line in await read_overview(asked.sources.store)])
    return Page("overview.html", view, {"form_token": session.form_token}, PRIVATE)


@page_at(
    "/overview/submissions/{submission_id}",
    "For organizers: anybody's submission, its steps with their logs",
    SubmissionView,
    Parameter("submission_id", "The id of a submission.", in_path=True),
    is_private=True,
)
async def read_anybodys_submission(asked: Asked) -> Page:
    await require_organizer(asked)
    row = await asked.sources.store.submissions.get(asked.part("submission_id"))
    view = await show_submission(asked.sources, row, changes=())
    return Page("submission.html", view, {"form_token": "", "why_closed": "", **_PLACE}, PRIVATE)


def _overview_row(line: OverviewLine) -> OverviewRow:
    row = line.submission
    version, identity, at = ("", "", None) if row is None else (row.version, row.submission_id, row.created_at)
    return project(line, OverviewRow, version=version, submission_id=identity, handed_in=at)
