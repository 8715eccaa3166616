"""Maps reasons, which are lower-case words in the arena, to the numbers and names of `ErrorReason`."""

from cheatarena.v1 import error_reason_pb2
from cheatarena.v1.error_reason_pb2 import ErrorReason

_PREFIX = "ERROR_REASON_"
_REASON_NUMBERS = {
    name.removeprefix(_PREFIX).lower(): value for name, value in error_reason_pb2.ErrorReason.items() if value
}


def reason_number(word: str) -> "ErrorReason.ValueType":
    """Return the number of a reason; an empty word means unspecified. Raises KeyError for an unknown word."""
    return _REASON_NUMBERS[word] if word else error_reason_pb2.ERROR_REASON_UNSPECIFIED


def reason_name(word: str) -> str:
    """Return the name of a reason as ErrorInfo carries it, e.g. `SCOPE_MISSING`."""
    return ErrorReason.Name(reason_number(word)).removeprefix(_PREFIX)
