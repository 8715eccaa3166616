"""Ends calls: refuses them with a status, and lets gRPC log no error if the caller has gone.

A status has a code, an ErrorInfo with a stable reason, and the refused arguments, as in AIP-193.
"""

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from arena.errors import (
    STORE_AWAY,
    ArenaError,
    BannedError,
    CapacityError,
    DeniedError,
    EnvironmentFaultError,
    InvitationRefusedError,
    OptionError,
    OptionsError,
    PackageRefusedError,
    ProtocolError,
    RequestError,
    StoreAwayError,
    SubmissionsOffError,
    UnknownNameError,
)
from arena.server.node.admission import AdmissionControl
from arena.server.node.challenges import ChallengeRefusedError
from arena.server.node.idempotency import KeyReusedError
from arena.server.node.match_registry import ChosenCardsError, ShuttingDownError
from arena.server.rpc.caller import Caller, ScopeMissingError
from arena.server.wire.error_reasons import reason_name

DOMAIN = "cheatarena"
_MAX_TEXT, _MAX_NAME, _MAX_FIELD, _MAX_DESCRIPTION, _MAX_FAULTS = 400, 1000, 64, 300, 12
"""The limits of a status: the bytes of its text, of each name, of each refused field, and of what is expected of the
field; and the number of refused fields.

A status travels as metadata, and a client accepts at most 8 KiB of metadata. So a status that quoted a whole long
request would be lost.
"""

_STATUS_BY_ERROR: tuple[tuple[type[ArenaError], int, str], ...] = (
    (ScopeMissingError, code_pb2.PERMISSION_DENIED, "scope_missing"),
    (InvitationRefusedError, code_pb2.UNAUTHENTICATED, "invitation_refused"),
    (DeniedError, code_pb2.UNAUTHENTICATED, "unauthenticated"),
    (ShuttingDownError, code_pb2.UNAVAILABLE, "shutting_down"),
    (CapacityError, code_pb2.RESOURCE_EXHAUSTED, "limit_reached"),
    (ChallengeRefusedError, code_pb2.FAILED_PRECONDITION, "challenge_refused"),
    (KeyReusedError, code_pb2.INVALID_ARGUMENT, "idempotency_key_reused"),
    (ChosenCardsError, code_pb2.INVALID_ARGUMENT, "seed_needs_unrated"),
    (PackageRefusedError, code_pb2.INVALID_ARGUMENT, "package_refused"),
    (SubmissionsOffError, code_pb2.FAILED_PRECONDITION, "submissions_off"),
    (OptionError, code_pb2.INVALID_ARGUMENT, "invalid_argument"),
    (OptionsError, code_pb2.INVALID_ARGUMENT, "invalid_argument"),
    (UnknownNameError, code_pb2.NOT_FOUND, "invalid_argument"),
    (RequestError, code_pb2.INVALID_ARGUMENT, "invalid_argument"),
    (ProtocolError, code_pb2.INVALID_ARGUMENT, "malformed"),
    (EnvironmentFaultError, code_pb2.UNAVAILABLE, "store_unavailable"),
)
_UNKNOWN_NAME_REASONS = {
    "match": "unknown_match",
    "connected bot": "bot_not_connected",
    "bot": "bot_not_connected",
    "token": "unknown_token",
}


def status_from_error(error: ArenaError) -> grpc.Status:
    """The status names what was refused.

    For an unknown name, the status carries the `name` and its `kind`; for a package, the `rule` that it breaks; for a
    banned owner, `owner` and `banned_because`. A ban has the reason of an invalid token, at which released bots stop.
    """
    code, reason = next(((c, r) for kind, c, r in _STATUS_BY_ERROR if isinstance(error, kind)), (code_pb2.INTERNAL, ""))
    metadata = {}
    if isinstance(error, UnknownNameError):
        reason = _UNKNOWN_NAME_REASONS.get(error.kind, reason)
        metadata = {"kind": error.kind, "name": error.name}
    if isinstance(error, PackageRefusedError):
        metadata = {"rule": error.rule}
    if isinstance(error, BannedError):
        metadata = {"owner": error.owner, "banned_because": error.because}
    text = STORE_AWAY if isinstance(error, StoreAwayError) else str(error)
    return make_status(code, text, reason, refused_options(error), metadata)


def refused_options(error: ArenaError) -> list[OptionError]:
    """Return nothing if the error does not concern options."""
    if isinstance(error, OptionsError):
        return list(error.faults)
    return [error] if isinstance(error, OptionError) else []


def make_status(
    code: int,
    message: str,
    reason: str,
    faults: list[OptionError] | None = None,
    metadata: dict[str, str] | None = None,
) -> grpc.Status:
    """`reason` is a name of `ErrorReason` in lower case, or empty."""
    details = []
    if reason:
        shortened = {key: _shorten(value, _MAX_NAME) for key, value in (metadata or {}).items()}
        info = error_details_pb2.ErrorInfo(reason=reason_name(reason), domain=DOMAIN, metadata=shortened)
        details.append(_pack(info))
    if faults:
        violations = [
            error_details_pb2.BadRequest.FieldViolation(
                field=_shorten(fault.field, _MAX_FIELD), description=_shorten(fault.allowed, _MAX_DESCRIPTION)
            )
            for fault in faults[:_MAX_FAULTS]
        ]
        details.append(_pack(error_details_pb2.BadRequest(field_violations=violations)))
    return rpc_status.to_status(status_pb2.Status(code=code, message=_shorten(message, _MAX_TEXT), details=details))


def _shorten(text: str, most: int) -> str:
    """Return at most `most` bytes. Control characters are replaced, to protect terminals and logs."""
    printable = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text[: most + 1])
    encoded = printable.encode()
    return printable if len(encoded) <= most else encoded[: most - len("…".encode())].decode(errors="ignore") + "…"


def _pack(message: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


class QuietIfCallerIsGone:
    """Turns gRPC's errors about a call that has already ended into a cancellation, which gRPC does not log.

    Any operation on a call may raise such an error, depending on when the caller disconnects.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, grpc.aio.UsageError | grpc.aio.InternalError):
            raise asyncio.CancelledError("the caller has gone") from error


def retrieve_exception(task: "asyncio.Future[Any]") -> None:
    """Otherwise asyncio reports the exception when the call ends."""
    if not task.cancelled():
        task.exception()


async def refuse_call(
    context: "grpc.aio.ServicerContext[Any, Any]",
    error: ArenaError,
    admission: AdmissionControl,
    caller: Caller | None,
) -> NoReturn:
    """If a token is refused, the status may be delayed. Always raises an exception, as gRPC's `abort` does.

    `caller` is None if the caller could not be read, and `error` says why.
    """
    if caller is not None and isinstance(error, DeniedError):
        with admission.delay_refusal(caller.address) as delay_s:
            await asyncio.sleep(delay_s)
    await context.abort_with_status(status_from_error(error))


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
    """Return the status code with which a stream ends for this reason. Raises KeyError for an unknown one."""
    return _STATUS_CODES[reason]
