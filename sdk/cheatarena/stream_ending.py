"""Why a stream ended, and whether reconnecting can help."""

from collections.abc import Mapping

import grpc.aio
from google.rpc import error_details_pb2, status_pb2

from cheatarena.dialling import LOST, describe_failure, find_foreign_server
from cheatarena.errors import (
    CheatArenaError,
    RefusedError,
    SessionReplacedError,
    TokenRefusedError,
    VersionRefusedError,
)
from cheatarena.faults import reason_name
from cheatarena.proxies import add_proxy
from cheatarena.v1 import session_pb2

DOMAIN = "cheatarena"
DETAILS_KEY = "grpc-status-details-bin"

GOODBYE = "GOODBYE"

LOST_STATUS_DETAIL = "Internal error from Core"
"""The text of grpc.aio for a failed write, which takes the place of the server's status."""

FINAL_REASONS: Mapping[str, type[RefusedError]] = {
    "UNAUTHENTICATED": TokenRefusedError,
    "TOKEN_REVOKED": TokenRefusedError,
    "TOKEN_EXPIRED": TokenRefusedError,
    "SCOPE_MISSING": TokenRefusedError,
    "UNSUPPORTED_VERSION": VersionRefusedError,
    "SESSION_REPLACED": SessionReplacedError,
    "HELLO_EXPECTED": RefusedError,
    "INVALID_ARGUMENT": RefusedError,
    "TOO_MANY_INVALID": RefusedError,
}
"""Reasons after which a new connection would end in the same way, each with the error to raise."""

FINAL_CODES: Mapping[grpc.StatusCode, tuple[type[RefusedError], str]] = {
    grpc.StatusCode.UNAUTHENTICATED: (TokenRefusedError, "the server refused the token"),
    grpc.StatusCode.PERMISSION_DENIED: (TokenRefusedError, "the token may not play"),
    grpc.StatusCode.UNIMPLEMENTED: (VersionRefusedError, "the address speaks gRPC, but not this protocol"),
    grpc.StatusCode.INVALID_ARGUMENT: (RefusedError, "the server refused what was sent"),
}

HANDSHAKE_WORDS = ("handshake", "Verification", "Socket closed", "Failed parsing HTTP/2", "ALPN")
"""Words in gRPC's texts after which `tls_check` looks whether one side speaks TLS and the other does not."""

REASON_SENTENCES: Mapping[str, str] = {
    "UNAUTHENTICATED": "the server refused the token",
    "TOKEN_REVOKED": "the token was revoked",
    "TOKEN_EXPIRED": "the token has expired",
    "SCOPE_MISSING": "the token lacks the scope `play`",
    "UNSUPPORTED_VERSION": "the server speaks another version of the protocol",
    "SESSION_REPLACED": "another process with the same token and the same instance took over: to play with both, give"
    " each its own CHEATARENA_INSTANCE",
}


class StreamEnding:
    """Why one stream ended."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.reason = ""
        """Name of the `ErrorReason`, without the prefix; empty if the server gave no reason."""
        self.detail = LOST
        """Why the stream ended, in words for people."""
        self.raw_detail = ""
        """What gRPC said; empty if it said nothing."""
        self.unknown_kind = ""
        """What kind of thing the server does not know, such as `upload`; empty unless it has said that."""
        self.code: grpc.StatusCode | None = None

    def read_farewell(self, farewell: session_pb2.Farewell) -> None:
        """Record the server's farewell."""
        self.reason = reason_name(farewell.reason)
        self.detail = farewell.detail or self.reason

    def read_error(self, error: grpc.aio.AioRpcError) -> None:
        """Record the status of the gRPC call. If the server sent a farewell, keep the reason from the farewell."""
        self.code = error.code()
        if self.reason:
            return
        info = _find_error_info(error)
        self.reason = str(info.reason).removeprefix("ERROR_REASON_")
        self.unknown_kind = info.metadata.get("kind", "")
        self.raw_detail = error.details() or self.code.name
        self.detail = self.raw_detail if self.reason else self._describe_failure()

    def _describe_failure(self) -> str:
        """Return in plain words why the call failed, with the proxy through which it went, if it got no answer."""
        why = describe_failure(self.raw_detail)
        return add_proxy(why, self.address) if self.code is grpc.StatusCode.UNAVAILABLE else why

    @property
    def has_lost_status(self) -> bool:
        """Whether the server's status is unknown: grpc.aio drops it if the server ends a call during a write."""
        return self.code is grpc.StatusCode.INTERNAL and self.raw_detail == LOST_STATUS_DETAIL

    @property
    def may_be_tls(self) -> bool:
        """Whether the connection may have failed in the TLS handshake. If so, `tls_check` looks for the cause."""
        is_unavailable = self.code is grpc.StatusCode.UNAVAILABLE and not self.reason
        return is_unavailable and any(word in self.raw_detail for word in HANDSHAKE_WORDS)

    def find_foreign_server(self) -> str:
        """Return a clause if another program than an arena answered; empty if it may have been an arena."""
        return "" if self.reason else find_foreign_server(self.raw_detail)

    def fatal_error(self, *, is_known: bool) -> CheatArenaError | None:
        """Return the error that ends the session; None if reconnecting may help.

        `is_known` is whether an arena has answered at this address before. Then a status without a reason comes from
        something on the way to it, and may pass.
        """
        if self.find_foreign_server():  # the status of its answer means something else than a status of the arena
            return None
        kind = FINAL_REASONS.get(self.reason)
        sentence = REASON_SENTENCES.get(self.reason, "the server refused what was sent")
        if not is_known and not self.reason and self.code is not None and self.code in FINAL_CODES:
            kind, sentence = FINAL_CODES[self.code]
        if kind is RefusedError and self.reason == "INVALID_ARGUMENT":  # the server's own sentence says what it refuses
            return kind(f"{self.detail} ({self.address})", self.reason)
        return None if kind is None else kind(f"{sentence} ({self.address}: {self.detail})", self.reason)

    def __str__(self) -> str:
        return f"{self.detail} ({self.reason})" if self.reason else self.detail


def _find_error_info(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo:
    """Return what the details of a gRPC status say about its reason; an empty message if they say nothing."""
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info) and info.domain == DOMAIN:
                    return info
    return error_details_pb2.ErrorInfo()
