"""Says in one sentence why a secure connection cannot be made.

gRPC only reports that a handshake failed. This module connects once more with the standard library, whose errors name
the cause: a wrong authority, a wrong name, a wrong date, or a server that speaks plaintext.
"""

import socket
import ssl
from datetime import UTC, datetime

from cheatarena.addresses import is_loopback_host
from cheatarena.proxies import find_proxy
from cheatarena.tls_settings import TlsSettings

DIAL_TIMEOUT_S = 3.0

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
"""What an HTTP/2 client sends first: the preface and an empty SETTINGS frame (RFC 9113, section 3.4)."""
_EXPIRED, _NOT_YET_VALID = 10, 9
_WRONG_NAME = (62, 64)
"""Verification results of OpenSSL: host name mismatch, IP address mismatch."""


def explain_refused_handshake(tls: TlsSettings, address: str) -> str:
    """Return one sentence that says why this bot and the server cannot talk to each other.

    The text is empty if no cause is found, or if the server cannot be reached at all. Blocks for at most a few seconds.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        return _try_tls(tls, host, int(port)) if tls.is_used_with(address) else _try_plaintext(host, int(port))
    except (OSError, ValueError):
        return ""


def _try_tls(tls: TlsSettings, host: str, port: int) -> str:
    try:
        context = ssl.create_default_context(cafile=tls.ca)
        if tls.certificate is not None and tls.key is not None:
            context.load_cert_chain(tls.certificate, tls.key)
        context.set_alpn_protocols(["h2"])
        with (
            _connect(host, port) as raw,
            context.wrap_socket(raw, server_hostname=host) as secured,
        ):
            secured.sendall(_PREFACE)
            # In TLS 1.3, a server judges the client's certificate only now. A gRPC server refuses it without an alert.
            if not secured.recv(1):
                return _client_certificate_sentence(tls)
    except ssl.SSLCertVerificationError as error:
        return _verification_sentence(error, host, tls)
    except ssl.SSLError as error:
        return _handshake_sentence(error.reason or "", host, tls)
    return ""


def _connect(host: str, port: int) -> socket.socket:
    """Return a connection to a server, through the same proxy as gRPC's. Raises OSError."""
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if (proxy := find_proxy(address)) is not None:
        return proxy.connect(address, DIAL_TIMEOUT_S)
    return socket.create_connection((host, port), DIAL_TIMEOUT_S)


def _verification_sentence(error: ssl.SSLCertVerificationError, host: str, tls: TlsSettings) -> str:
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    if error.verify_code == _EXPIRED:
        return f"the server's certificate has expired, or the clock of this machine, which says {today}, is wrong"
    if error.verify_code == _NOT_YET_VALID:
        return f"the server's certificate is not valid yet, or the clock of this machine, which says {today}, is wrong"
    if error.verify_code in _WRONG_NAME:
        return f"the server's certificate is not for {host}: use the name that it was made for"
    if tls.ca is None:
        return "the authority of the server's certificate is unknown: set CHEATARENA_CA to the file of a local one"
    return f"the server's certificate is not from the authority in {tls.ca}"


def _handshake_sentence(reason: str, host: str, tls: TlsSettings) -> str:
    if reason in {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"}:
        steps = ["unset CHEATARENA_CA"] if tls.ca is not None else []  # INSECURE and CA exclude each other
        steps += [] if is_loopback_host(host) else ["set CHEATARENA_INSECURE=1 if the network is trusted"]
        return f"the server speaks plaintext, and this bot TLS: {', and '.join(steps)}"
    return f"the TLS handshake failed: {reason.replace('_', ' ').lower()}" if reason else ""


def _client_certificate_sentence(tls: TlsSettings) -> str:
    if tls.certificate is None:
        return "the server asks for a client certificate: set CHEATARENA_CERT and CHEATARENA_KEY"
    return f"the server does not accept the client certificate in {tls.certificate}"


def _try_plaintext(host: str, port: int) -> str:
    """Try a TLS handshake without checking the certificate. It succeeds only if the server speaks TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])  # otherwise the server logs that the client does not offer HTTP/2
    try:
        with _connect(host, port) as raw, context.wrap_socket(raw):
            return "the server speaks TLS, and this bot plaintext: unset CHEATARENA_INSECURE, or set CHEATARENA_CA"
    except ssl.SSLError:
        return ""
