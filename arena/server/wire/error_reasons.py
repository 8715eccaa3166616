"""Maps reasons, which are lower-case words in the arena, to the numbers and names of `ErrorReason`."""

from collections.abc import Mapping

from cheatarena.v1 import error_reason_pb2
from cheatarena.v1.error_reason_pb2 import ErrorReason

_PREFIX = "ERROR_REASON_"
_REASON_NUMBERS = {
    name.removeprefix(_PREFIX).lower(): value for name, value in error_reason_pb2.ErrorReason.items() if value
}
_REASON_WORDS: Mapping[int, str] = {number: word for word, number in _REASON_NUMBERS.items()}


def reason_number(word: str) -> "ErrorReason.ValueType":
    """An empty word means unspecified. Raises KeyError for an unknown word."""
    return _REASON_NUMBERS[word] if word else error_reason_pb2.ERROR_REASON_UNSPECIFIED


def reason_word(number: int) -> str:
    """Return an empty word for unspecified and for numbers that this release does not know."""
    return _REASON_WORDS.get(number, "")


def reason_name(word: str) -> str:
    """ErrorInfo carries it like this: `SCOPE_MISSING`."""
    return ErrorReason.Name(reason_number(word)).removeprefix(_PREFIX)
