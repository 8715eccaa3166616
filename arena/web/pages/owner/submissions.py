"""The submissions of an owner, with the form for another one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from arena.bots.packages.rules import format_size
from arena.bots.submissions.submission import Submission, SubmissionState
from arena.errors import CapacityError, RequestError, SubmissionsOffError
from arena.server.intake.intake import Intake
from arena.web.archive_form import receive_archive
from arena.web.errors import RefusedError
from arena.web.guards.form_token import require_own_site
from arena.web.page import PRIVATE, Asked, Page, Parameter, page_at
from arena.web.projection import project
from arena.web.session import require_session

_LINES: Final = 20
"""Submissions on one page."""
_S: Final = SubmissionState
_MEANINGS: Final[Mapping[SubmissionState, str]] = {
    _S.ACCEPTED: "the package is stored",
    _S.QUEUED: "it waits for its turn",
    _S.BUILDING: "its build command runs, if it has one",
    _S.CHECKING: "the server checks it",
    _S.TRYING: "it plays unrated games",
    _S.ACTIVE: "it plays",
    _S.INACTIVE: "it was tried, and does not play now",
    _S.WITHDRAWN: "you took it back",
}
_NO_SERVER: Final = "no server uses this data folder now, so nothing can be submitted or changed"


@dataclass(frozen=True, slots=True)
class SubmissionLine:
    """A submission. Times are in seconds since 1970."""

    submission_id: str
    bot: str
    version: str
    state: str
    sentence: str
    """Why it is refused, or what is wrong with it; otherwise what its state means."""
    created_at: float
    changed_at: float
    """When its state changed last."""


def submission_line(row: Submission) -> SubmissionLine:
    return project(row, SubmissionLine, sentence=row.sentence or _MEANINGS.get(row.state, ""))


def why_closed(asked: Asked) -> str:
    """Return why nothing can be submitted or changed now; empty if it can."""
    if asked.sources.find_intake() is not None:
        return ""
    return str(SubmissionsOffError()) if asked.sources.is_running() else _NO_SERVER


def require_intake(asked: Asked) -> Intake:
    """Return the server's intake of packages. Raises RefusedError if it has none."""
    found = asked.sources.find_intake()
    if found is None:
        raise RefusedError(409, why_closed(asked))
    return found


@dataclass(frozen=True, slots=True)
class SubmissionList:
    """A page of the list of submissions."""

    submissions: Sequence[SubmissionLine]
    """Newest first."""
    bot: str | None
    """Only submissions of this bot."""
    why_closed: str
    """Why nothing can be submitted now; empty if it can."""
    archive_bytes: int | None
    """The most bytes of an archive; null if nothing can be submitted now."""
    next: str | None
    """The query of the page with older submissions; null on the last page."""


@page_at(
    "/me/submissions",
    "Your submissions, newest first",
    SubmissionList,
    Parameter("bot", "Only submissions of this bot."),
    Parameter("before", "Only submissions older than the one with this id."),
    is_private=True,
)
async def read_submissions(asked: Asked) -> Page:
    session, bot, before = await require_session(asked), asked.text("bot"), asked.text("before")
    rows = await asked.sources.own_submissions.list(session.owner, bot or "", _LINES + 1, before or "")
    shown, following = rows[:_LINES], None
    if len(rows) > _LINES:
        given = {"bot": bot, "before": shown[-1].submission_id}
        following = urlencode({name: value for name, value in given.items() if value})
    intake = asked.sources.find_intake()
    view = SubmissionList(
        submissions=[submission_line(row) for row in shown],
        bot=bot,
        why_closed=why_closed(asked),
        archive_bytes=None if intake is None else intake.archive_bytes,
        next=following,
    )
    values = {
        "form_token": session.form_token,
        "most": "" if intake is None else format_size(intake.archive_bytes),
        "is_first": before is None,
    }
    return Page("submissions.html", view, values, PRIVATE)


@page_at(
    "/me/submissions",
    "Submits the archive of a package, sent as multipart/form-data",
    method="POST",
    is_private=True,
    limits_body=True,
)
async def submit_archive(asked: Asked) -> Response:
    require_own_site(asked)
    session = await require_session(asked)
    intake = require_intake(asked)
    with asked.sources.uploads.take(session.owner):
        async with receive_archive(asked, session, intake.archive_bytes) as archive:
            await require_session(asked)  # it may have ended meanwhile
            try:
                row = await intake.submit(session.owner, archive)
            except RequestError as error:
                status = 429 if isinstance(error, CapacityError) else 422
                raise RefusedError(status, str(error)) from error
    return RedirectResponse(f"/me/submissions/{row.submission_id}", 303)
