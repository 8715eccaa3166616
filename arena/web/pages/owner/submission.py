"""One submission of the owner: its steps with their logs, and the forms that change its state."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import RedirectResponse, Response

from arena.bots.launch.output import sanitize_for_terminal
from arena.bots.submissions.submission import FINAL, Step, Submission, SubmissionState, shorten_log
from arena.errors import RequestError, UnknownNameError
from arena.web.errors import RefusedError
from arena.web.guards.form_token import check_form_token, read_form
from arena.web.page import PRIVATE, Asked, Page, Parameter, page_at
from arena.web.pages.owner.submissions import SubmissionLine, require_intake, submission_line, why_closed
from arena.web.projection import project
from arena.web.session import require_session
from arena.web.sources import Sources

_LOG_CHARACTERS: Final = 65_536
"""The most characters of a log that a page shows: its beginning and its end."""
_ACTIVATE, _ROLL_BACK, _WITHDRAW = "activate", "roll-back", "withdraw"
_PLACE: Final = {"folder": "/me/submissions", "list_path": "/me/submissions", "list_title": "Your submissions"}
"""Where the page of a submission is, and the list that leads to it."""
_ID: Final = Parameter("submission_id", "The id of your submission.", in_path=True)


@dataclass(frozen=True, slots=True)
class SubmissionStep:
    """The newest run of a step. Times are in seconds since 1970."""

    step: str
    """`building`, `checking`, `trying`, or `running`: then it plays, or has played."""
    is_passed: bool | None
    """Null while the step runs, and for `running`."""
    sentence: str
    """What was found; empty while the step runs. For `running`, how the bot is doing."""
    started_at: float
    ended_at: float | None
    log: str
    """What the programs of the step wrote, without characters that steer a terminal; of a long log, the middle is left
    out."""


@dataclass(frozen=True, slots=True)
class SubmissionView:
    """A submission as its owner may see it."""

    submission: SubmissionLine
    package: str
    """The content hash of the package."""
    byte_count: int
    """Bytes of its archive."""
    pools: Sequence[str]
    """The pools that the package names."""
    is_pending: bool
    """Whether its state will change by itself."""
    steps: Sequence[SubmissionStep]
    """Those that have started, in their order."""
    changes: Sequence[str]
    """What the owner can do with it now: `activate`, `roll-back` or `withdraw`."""


@page_at(
    "/me/submissions/{submission_id}",
    "Your submission: its steps with their logs",
    SubmissionView,
    _ID,
    is_private=True,
)
async def read_submission(asked: Asked) -> Page:
    session = await require_session(asked)
    row = await asked.sources.own_submissions.get(session.owner, asked.part("submission_id"))
    closed = why_closed(asked)
    view = await show_submission(asked.sources, row, () if closed else _changes_of(row))
    values = {"form_token": session.form_token, "why_closed": closed, **_PLACE}
    return Page("submission.html", view, values, PRIVATE)


async def show_submission(sources: Sources, row: Submission, changes: Sequence[str]) -> SubmissionView:
    """`changes` are those that the reader can make."""
    steps = await sources.own_submissions.list_steps(row.owner, row.submission_id)
    shown = [await _read_step(sources, row.owner, row.submission_id, step) for step in steps]
    return project(row, SubmissionView, submission=submission_line(row), steps=shown, changes=changes)


@page_at(
    "/me/submissions/{submission_id}/{change}",
    "Lets a version play, lets the version before it play again, or withdraws it",
    None,
    _ID,
    Parameter("change", "`activate`, `roll-back` or `withdraw`.", in_path=True),
    method="POST",
    is_private=True,
)
async def change_submission(asked: Asked) -> Response:
    """Answer with the page of the submission that changed: after a roll-back, another one."""
    form, session = await read_form(asked), await require_session(asked)
    check_form_token(session, form)
    require_intake(asked)
    own = asked.sources.own_submissions
    row = await own.get(session.owner, asked.part("submission_id"))
    change = asked.part("change")
    try:
        changed = await _change(asked, session.owner, row, change)
    except UnknownNameError:
        raise
    except RequestError as error:
        raise RefusedError(409, str(error)) from error
    return RedirectResponse(f"/me/submissions/{changed.submission_id}", 303)


async def _change(asked: Asked, owner: str, row: Submission, change: str) -> Submission:
    """What the page did not offer, because the state has changed, is refused."""
    if change not in (_ACTIVATE, _ROLL_BACK, _WITHDRAW):
        raise RefusedError(404, "there is no such page")
    if change not in _changes_of(row):
        raise RequestError(f"version {row.version!r} of {row.bot!r} is now {row.state}: reload the page")
    own = asked.sources.own_submissions
    if change == _ACTIVATE:
        return await own.activate(owner, row.bot, row.version)
    if change == _ROLL_BACK:
        return await own.roll_back(owner, row.bot)
    return await own.withdraw(owner, row.bot, row.version)


def _changes_of(row: Submission) -> Sequence[str]:
    if row.state in FINAL:
        return ()
    first = {SubmissionState.ACTIVE: (_ROLL_BACK,), SubmissionState.INACTIVE: (_ACTIVATE,)}.get(row.state, ())
    return (*first, _WITHDRAW)


async def _read_step(sources: Sources, owner: str, submission_id: str, step: Step) -> SubmissionStep:
    log = await sources.own_submissions.read_log(owner, submission_id, step.step)
    lines = shorten_log(log, _LOG_CHARACTERS).splitlines()
    return project(step, SubmissionStep, step=step.name, log="\n".join(map(sanitize_for_terminal, lines)))
