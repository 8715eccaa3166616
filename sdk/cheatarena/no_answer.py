"""Says why a bot has no answer to a question, in words for the replay that its author reads."""

import traceback

from cheatarena.errors import BotError
from cheatarena.v1.decision_pb2 import (
    NO_ANSWER_CAUSE_CRASHED,
    NO_ANSWER_CAUSE_EMPTY,
    NO_ANSWER_CAUSE_GAVE_UP,
    NO_ANSWER_CAUSE_ILLEGAL,
    NoAnswer,
    NoAnswerCause,
)
from cheatarena.v1.error_reason_pb2 import ErrorReason

MAX_WORDS_BYTES = 200
"""The server refuses longer texts. It is the default of `Limits.note_bytes`."""


def no_answer_after_error(method: str, error: BaseException) -> NoAnswer:
    """Return the message for an exception that a bot's method raised."""
    if isinstance(error, BotError):
        return _no_answer(NO_ANSWER_CAUSE_EMPTY, str(error))
    words = f"{method}() raised {type(error).__name__}{_text_of(error)}{_place_of(error)}"
    is_time_limit = isinstance(error, TimeoutError)
    return _no_answer(NO_ANSWER_CAUSE_GAVE_UP if is_time_limit else NO_ANSWER_CAUSE_CRASHED, words)


def no_answer_after_check(method: str, reason: str, words: str) -> NoAnswer:
    """Return the message for an answer that the package's own check found illegal. `reason` is a rule's name."""
    told = _no_answer(NO_ANSWER_CAUSE_ILLEGAL, f"{method}(): {words}")
    told.reason = ErrorReason.Value(f"ERROR_REASON_{reason}")
    return told


def no_answer_after_refusals(method: str, count: int, reason: str, why: str) -> NoAnswer:
    """Return the message for a bot whose answers to one question the server refused `count` times.

    `why` explains the last refusal; it may be empty.
    """
    answers = {1: "the answer", 2: "both answers"}.get(count, f"all {count} answers")
    words = f"the server refused {answers} of {method}(), the last as {reason}{f': {why}' if why else ''}"
    return _no_answer(NO_ANSWER_CAUSE_GAVE_UP, words)


def _no_answer(cause: "NoAnswerCause.ValueType", words: str) -> NoAnswer:
    """Return a message whose words are one line and short enough."""
    line = " ".join(words.split())
    return NoAnswer(cause=cause, text=line.encode(errors="replace")[:MAX_WORDS_BYTES].decode(errors="ignore"))


def _text_of(error: BaseException) -> str:
    """Return the text of an exception after a colon; empty if it has none or cannot be printed."""
    try:
        return f": {error}" if str(error) else ""
    except Exception:  # noqa: BLE001  a bot's exception may fail in any way
        return ""


def _place_of(error: BaseException) -> str:
    """Return the file name and line where an exception was raised, in brackets; empty if they are unknown."""
    for frame in traceback.extract_tb(error.__traceback__)[-1:]:
        return f" ({frame.filename.rpartition('/')[2]}:{frame.lineno})"
    return ""
