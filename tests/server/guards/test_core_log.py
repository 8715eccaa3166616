"""What gRPC's core writes to stderr becomes events with a plain reason, and a flood of it a few lines."""

import pytest

from arena.server.guards import core_log
from arena.server.guards.core_log import CoreLog, begins_entry, explain_handshake
from arena.server.guards.repeated_events import INTERVAL_S, RepeatedEvents

SSL = (
    "UNKNOWN: Ssl handshake failed (TSI_PROTOCOL_FAILURE): SSL_ERROR_SSL: error:10000000:SSL routines:OPENSSL_internal:"
)
PREFIX = "I1123 09:47:05.231807   10130 "
ARGS = "args={endpoint=0x7f, args={grpc.internal.endpoint_peer_address={}, grpc.resource_quota=0x55}, exit_early=0}"


def failure(error: str, peer: str = "ipv4:192.0.2.7:40902") -> str:
    """Return the line of a handshake with this end."""
    args = ARGS.replace("{},", f"{peer},")
    return f"{PREFIX}handshaker.cc:150] CallNextHandshakerLocked: error={error} shutdown=false index=2, {args}"


class Writing:
    """A clock that stands still, and the lines that were written."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.lines: list[tuple[str, int, str]] = []
        self.events = RepeatedEvents(lambda *line: self.lines.append(line), lambda: self.now_s)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SSL + "WRONG_VERSION_NUMBER: Invalid certificate verification context: OK", core_log.PLAINTEXT_CLIENT),
        (SSL + "PEER_DID_NOT_RETURN_A_CERTIFICATE: Invalid: OK", core_log.NO_CLIENT_CERTIFICATE),
        (SSL + "CERTIFICATE_VERIFY_FAILED: unable to get local issuer", core_log.FOREIGN_CLIENT_CERTIFICATE),
        (SSL + "CERTIFICATE_VERIFY_FAILED: certificate has expired: OK", core_log.EXPIRED_CLIENT_CERTIFICATE),
        (SSL + "TLSV1_ALERT_UNKNOWN_CA: OK", core_log.REFUSED_CERTIFICATE),
        (SSL + "SSLV3_ALERT_CERTIFICATE_EXPIRED: OK", core_log.REFUSED_CERTIFICATE),
        (SSL + "UNSUPPORTED_PROTOCOL: Invalid certificate verification context: OK", core_log.OLD_TLS),
        (SSL + "EXCESSIVE_MESSAGE_SIZE: OK", core_log.NO_TLS),
        ("UNKNOWN: Cannot check peer: missing selected ALPN property.", core_log.NO_HTTP2),
        ("UNAVAILABLE: Handshake read failed (Socket closed)", core_log.CLOSED),
        ("DEADLINE_EXCEEDED: Handshake timed out", core_log.SLOW),
    ],
)
def test_failed_handshake_is_explained(error, reason):
    assert explain_handshake(error) == reason


@pytest.mark.parametrize(
    ("peer", "client"), [("ipv4:192.0.2.7:40902", "192.0.2.7"), ("ipv6:%5B2001:db8::1%5D:4711", "2001:db8::1")]
)
def test_client_is_named_by_its_address(peer, client):
    writing = Writing()

    CoreLog(writing.events).take(failure("UNAVAILABLE: Handshake read failed (Socket closed)", peer))

    assert writing.lines == [(core_log.CLOSED, 1, client)]


def test_name_that_the_certificate_is_not_for_is_told_without_control_characters():
    writing = Writing()

    CoreLog(writing.events).take(PREFIX + "ssl_transport_security.cc:2799] No match found for server name: a\x1b\nb")

    assert writing.lines == [(core_log.OTHER_NAME, 1, "ab")]


@pytest.mark.parametrize(
    "line",
    [
        failure("OK"),
        PREFIX + "handshaker.cc:80] handshake_manager 0x7f18e00019d0: adding handshaker security [0x7f] at index 1",
        PREFIX + "channel_trace.h:396] handshake manager 0x7f:  calling handshaker security at index 1",
        PREFIX + "ssl_transport_security.cc:2158] Handshake failed with error " + SSL + "HTTP_REQUEST",
        PREFIX + "trace.cc:91] gRPC Tracers: handshaker",
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
    ],
)
def test_other_lines_about_handshakes_are_dropped(line):
    """What they say is in the line of the failure, if there is one."""
    writing = Writing()

    assert begins_entry(line)
    CoreLog(writing.events).take(line)
    assert writing.lines == []


@pytest.mark.parametrize("line", ["Fatal Python error: Segmentation fault", " " + failure("OK"), ""])
def test_other_texts_are_no_entries(line):
    assert not begins_entry(line)


@pytest.mark.parametrize(
    ("level", "text"), [("E", "File descriptor limit reached. Retrying."), ("F", "Check failed:\n\x1b[1mtrue")]
)
def test_other_entries_become_events_with_their_text_escaped(level, text):
    writing = Writing()

    CoreLog(writing.events).take(f"{level}{PREFIX[1:]}a_b.cc:400] {text}")

    escaped = text.replace("\n", "\\n").replace("\x1b", "\\x1b")
    assert writing.lines == [(f"{level} a_b.cc:400", 1, escaped)]


def test_forged_handshake_in_a_server_name_is_a_part_of_the_name():
    writing = Writing()
    forged = "a\n" + failure("UNAVAILABLE: Handshake read failed (Socket closed)", "ipv4:203.0.113.9:1")

    CoreLog(writing.events).take(f"{PREFIX}ssl_transport_security.cc:2799] No match found for server name: {forged}")

    assert [(reason, count) for reason, count, _ in writing.lines] == [(core_log.OTHER_NAME, 1)]


def test_flood_is_summed_up_and_none_is_left_out():
    """One line at once, one every ten seconds with the latest example, and the rest at the end."""
    writing = Writing()

    for number in range(1000):
        writing.events.add("a", example=str(number))
    assert writing.lines == [("a", 1, "0")]
    assert writing.events.wait_s == INTERVAL_S

    writing.now_s += INTERVAL_S
    writing.events.write_due()
    assert writing.lines == [("a", 1, "0"), ("a", 999, "999")]

    writing.events.add("a", 5)
    writing.events.write_all()
    assert writing.lines[-1] == ("a", 5, "")


def test_kinds_do_not_hold_each_other_up():
    writing = Writing()

    for kind in "aba":
        writing.events.add(kind)

    assert writing.lines == [("a", 1, ""), ("b", 1, "")]


def test_nothing_is_waited_for_if_all_is_written():
    assert Writing().events.wait_s is None
