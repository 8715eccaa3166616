"""Maps the reasons why the server ends a stream to status codes. Reasons are names of `ErrorReason` in lower case."""

from collections.abc import Mapping

from google.rpc import code_pb2

_STATUS_CODES: Mapping[str, int] = {
    "goodbye": code_pb2.OK,
    "session_replaced": code_pb2.ABORTED,
    "too_slow": code_pb2.RESOURCE_EXHAUSTED,
    "too_many_invalid": code_pb2.INVALID_ARGUMENT,
    "token_revoked": code_pb2.UNAUTHENTICATED,
    "token_expired": code_pb2.UNAUTHENTICATED,
    "silent": code_pb2.UNAVAILABLE,
    "seats_wait": code_pb2.UNAVAILABLE,
    "shutting_down": code_pb2.UNAVAILABLE,
}


def status_code_of(reason: str) -> int:
    """Return the status code with which a stream ends for this reason. Raises KeyError for an unknown reason."""
    return _STATUS_CODES[reason]
