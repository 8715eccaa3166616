"""Reasons as words inside the arena and as numbers of `ErrorReason` on the wire."""

from cheatarena.v1 import error_reason_pb2
from cheatarena.v1.error_reason_pb2 import ErrorReason

_PREFIX = "ERROR_REASON_"
_REASON_NUMBERS = {
    name.removeprefix(_PREFIX).lower(): value for name, value in error_reason_pb2.ErrorReason.items() if value
}


def reason_number(word: str) -> "ErrorReason.ValueType":
    """The wire's number of a reason; no word, no reason. Raises KeyError for a word that the contract lacks."""
    return _REASON_NUMBERS[word] if word else error_reason_pb2.ERROR_REASON_UNSPECIFIED


def reason_name(word: str) -> str:
    """The reason as ErrorInfo carries it, e.g. `SCOPE_MISSING`."""
    return ErrorReason.Name(reason_number(word)).removeprefix(_PREFIX)
