"""Turns what gRPC's core writes to stderr into log events, and failed handshakes into events with plain reasons.

gRPC does not tell the arena's code about a failed handshake. Its C core only logs the failure, in the words of the TLS
library and without the client's address (issue 32893 of grpc/grpc). The trace `handshaker` adds the address, with some
lines for each new connection. The patterns below fit the lines of grpcio 1.81; tests with real sockets fail if the
lines change.

A server often cannot know why a client refuses its certificate: clients that use the core close the connection without
an alert (RFC 8446, section 6.2), and those that use OpenSSL 3 send one that the core cannot read (`BAD_PACKET_LENGTH`).

A client can put line ends and terminal escapes into the core's words, for example with the server name of its TLS
hello. An *entry* is the text that the core writes in one piece, so all its lines belong to it, even if some look like
entries or events. Only its beginning, which the core itself writes, is trusted. Every entry becomes an event with the
text as a field, and control characters are escaped. A flood becomes a few events.
"""

import re
from collections.abc import Mapping
from logging import ERROR, INFO, WARNING
from typing import Final

from arena.log_lines import get_logger
from arena.server.guards.repeated_events import RepeatedEvents
from arena.server.node.addresses import peer_address

log = get_logger(__name__)

PLAINTEXT_CLIENT: Final = "the client speaks plaintext, and this port TLS"
NO_CLIENT_CERTIFICATE: Final = "the client has no certificate, and this server asks for one"
FOREIGN_CLIENT_CERTIFICATE: Final = "the client's certificate is not from the authority in tls_client_ca"
EXPIRED_CLIENT_CERTIFICATE: Final = "the client's certificate has expired, or is not valid yet"
REFUSED_CERTIFICATE: Final = (
    "the client refuses the server's certificate: the authority, the name or, by its clock, the dates do not fit"
)
CLOSED: Final = "the client closed the connection, as many do that refuse the server's certificate"
SLOW: Final = "the client did not finish the handshake in time"
OLD_TLS: Final = "the client speaks no TLS that this server allows: 1.2 or later"
NO_HTTP2: Final = "the client does not offer HTTP/2 (ALPN h2)"
NO_TLS: Final = "the client speaks something other than TLS"
OTHER_NAME: Final = "the client dials a name that the server's certificate is not for"
"""This is not a failure by itself, but nearly all clients then close the connection."""

_ENTRY: Final = re.compile(r"(?P<level>[IWEF])\d{4} [\d:.]+ +\d+ (?P<place>[\w.]+:\d+)\] (?P<text>.*)", re.DOTALL)
_FAILURE: Final = re.compile(
    r"CallNextHandshakerLocked: error=(?!OK )(?P<error>.+?) shutdown=.*?endpoint_peer_address=(?P<peer>[^,}]+)"
)
_HANDSHAKE: Final = re.compile(
    r"handshaker\.cc:|channel_trace\.h:\d+ handshake manager |ssl_transport_security\.cc:\d+ Handshake failed "
    r"|trace\.cc:\d+ gRPC Tracers: "
)
"""Matches the place and text of an entry about a handshake. Such an entry is logged only if the handshake failed."""
_OTHER_NAME_TEXT: Final = "No match found for server name: "
_MAX_TEXT: Final = 4096
"""The most characters of an entry in an event."""
_BANNER: Final = "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR"
_TLS_LIBRARY: Final = re.compile(r"OPENSSL_internal:(?P<reason>\w+)(?P<more>.*)")

_REASONS: Final[Mapping[str, str]] = {
    "WRONG_VERSION_NUMBER": PLAINTEXT_CLIENT,
    "HTTP_REQUEST": PLAINTEXT_CLIENT,
    "HTTPS_PROXY_REQUEST": PLAINTEXT_CLIENT,
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": NO_CLIENT_CERTIFICATE,
    "BAD_PACKET_LENGTH": REFUSED_CERTIFICATE,
    "TLSV1_ALERT_UNKNOWN_CA": REFUSED_CERTIFICATE,
    "SSLV3_ALERT_BAD_CERTIFICATE": REFUSED_CERTIFICATE,
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": REFUSED_CERTIFICATE,
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": REFUSED_CERTIFICATE,
    "UNSUPPORTED_PROTOCOL": OLD_TLS,
    "NO_SHARED_CIPHER": OLD_TLS,
    "TLSV1_ALERT_PROTOCOL_VERSION": OLD_TLS,
}
"""The reason for each error word of the TLS library (BoringSSL)."""

_LOG_LEVELS: Final[Mapping[str, int]] = {"I": INFO, "W": WARNING, "E": ERROR, "F": ERROR}
"""The log level for each letter with which an entry begins. The process ends after an entry with F."""


class CoreLog:
    """Logs an event for each failed handshake and each other entry. In a flood, one event stands for many entries."""

    def __init__(self, events: RepeatedEvents | None = None) -> None:
        self.events = events or RepeatedEvents(_write_event)

    def take(self, entry: str) -> None:
        """Log what an entry reports, if anything. `entry` was written in one piece; its last line end is left out."""
        found = _ENTRY.fullmatch(entry)
        if found is None:  # the banner
            return
        place, text = found["place"], found["text"]
        if text.startswith(_OTHER_NAME_TEXT):
            name = text.removeprefix(_OTHER_NAME_TEXT)
            self.events.add(OTHER_NAME, example="".join(filter(str.isprintable, name)))
        elif not _HANDSHAKE.match(f"{place} {text}"):
            self.events.add(f"{found['level']} {place}", example=escape_control_characters(text[:_MAX_TEXT]))
        elif failure := _FAILURE.match(text):
            self.events.add(explain_handshake(failure["error"]), example=peer_address(failure["peer"]))


def begins_entry(text: str) -> bool:
    """Return whether a text that was written in one piece is an entry of the core, or its banner."""
    return _ENTRY.match(text) is not None or text.startswith(_BANNER)


def escape_control_characters(text: str) -> str:
    r"""Return a text with an escape such as `\\x1b` for each character that a terminal does not print."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def explain_handshake(error: str) -> str:
    """Return the plain reason for an error text of the core."""
    if found := _TLS_LIBRARY.search(error):
        if found["reason"] == "CERTIFICATE_VERIFY_FAILED":
            is_date = "expired" in found["more"] or "not yet valid" in found["more"]
            return EXPIRED_CLIENT_CERTIFICATE if is_date else FOREIGN_CLIENT_CERTIFICATE
        return _REASONS.get(found["reason"], NO_TLS)
    if "ALPN" in error:
        return NO_HTTP2
    return SLOW if "timed out" in error else CLOSED


def _write_event(kind: str, count: int, example: str) -> None:
    """`example` is a client's address, the name that a client used, or the text of an entry."""
    level, _, place = kind.partition(" ")
    if level in _LOG_LEVELS:
        log.log(_LOG_LEVELS[level], "gRPC", place=place, text=example, count=count)
    else:
        log.warning("TLS handshake failed", reason=kind, count=count, **{_about(kind): example})


def _about(reason: str) -> str:
    return "name" if reason == OTHER_NAME else "client"
