"""A submission as its owner may see it in a list: which version it is, its state, and what that means."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arena.bots.submissions.submission import Submission, SubmissionState
from arena.errors import SubmissionsOffError
from arena.server.intake.intake import Intake
from arena.web.errors import RefusedError
from arena.web.page import Asked

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
_NO_SERVER: Final = "no server uses this data folder now, so nothing can be handed in or changed"


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
    """Return a submission as lists show it."""
    sentence = row.sentence or _MEANINGS.get(row.state, "")
    return SubmissionLine(row.submission_id, row.bot, row.version, row.state, sentence, row.created_at, row.changed_at)


def why_closed(asked: Asked) -> str:
    """Return why nothing can be handed in or changed now; empty if it can."""
    if asked.sources.find_intake() is not None:
        return ""
    return str(SubmissionsOffError()) if asked.sources.is_running() else _NO_SERVER


def require_intake(asked: Asked) -> Intake:
    """Return what takes in packages for the server. Raises RefusedError if nothing does."""
    found = asked.sources.find_intake()
    if found is None:
        raise RefusedError(409, why_closed(asked))
    return found
