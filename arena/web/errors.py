"""What is refused, with which status, and in which sentence."""

from collections.abc import Mapping
from typing import Final

from starlette.exceptions import HTTPException

from arena.errors import (
    STORE_AWAY,
    CapacityError,
    RequestError,
    StoreAwayError,
    StoreLockedError,
    UnknownNameError,
    quote,
)

BUSY: Final = "too many requests: wait a moment and try again"
_INTERNAL: Final = "this page failed: the error is in the server log"
_SENTENCES: Final[Mapping[int, str]] = {
    404: "there is no such page",
    405: "this page does not allow that request method",
}


class RefusedError(HTTPException):
    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, sentence, headers)


def refusal_of(error: Exception) -> tuple[int, str, Mapping[str, str]]:
    """Return the status, the sentence and the headers of the answer."""
    match error:
        case RefusedError():
            return error.status_code, error.detail, error.headers or {}
        case HTTPException():  # raised by the router
            sentence = _SENTENCES.get(error.status_code, error.detail)
            return error.status_code, sentence, error.headers or {}
        case UnknownNameError():
            return 404, f"there is no {error.kind} {quote(error.name)} here", {}
        case CapacityError():
            return 429, BUSY, {"Retry-After": "2"}
        case RequestError():
            return 404, str(error), {}
        case StoreAwayError() | StoreLockedError():
            return 503, STORE_AWAY, {"Retry-After": "5"}
        case _:
            return 500, _INTERNAL, {}
