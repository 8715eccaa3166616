"""Maps the reasons for which the server ends a stream, as words of `ErrorReason`, to status codes."""

from collections.abc import Mapping

from google.rpc import code_pb2

_STATUS_CODES: Mapping[str, int] = {
    "goodbye": code_pb2.OK,
    "session_replaced": code_pb2.ABORTED,
    "too_slow": code_pb2.RESOURCE_EXHAUSTED,
    "too_many_invalid": code_pb2.INVALID_ARGUMENT,
    "token_revoked": code_pb2.UNAUTHENTICATED,
    "token_expired": code_pb2.UNAUTHENTICATED,
    "shutting_down": code_pb2.UNAVAILABLE,
}


def status_code_of(reason: str) -> int:
    """Return the status code of a stream that ends for this reason. Raises KeyError."""
    return _STATUS_CODES[reason]
