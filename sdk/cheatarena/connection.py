"""gRPC channels and calls, with all their options."""

import secrets
from collections.abc import Sequence
from pathlib import Path

import grpc
import grpc.aio

from cheatarena.addresses import is_loopback
from cheatarena.errors import SettingsError
from cheatarena.proxies import WITHOUT_PROXY
from cheatarena.settings import Settings
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import authorization

PLAY_METHOD = "/cheatarena.v1.PlayService/Play"
MAX_FRAME_BYTES = 1 << 20

CHANNEL_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MAX_FRAME_BYTES),
    ("grpc.max_send_message_length", MAX_FRAME_BYTES),
    # These options detect a frozen peer within 30 s. Without the ping timeout, it would take a minute.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
)

StreamCall = grpc.aio.StreamStreamCall[bytes, bytes]


def open_channel(settings: Settings, address: str) -> grpc.aio.Channel:
    """Return a bot's channel, with its own connection. Raises SettingsError if a file cannot be read."""
    # gRPC lets channels with equal options share a connection, so each channel gets an option with a random value.
    return dial(settings.tls, address, [*CHANNEL_OPTIONS, ("cheatarena.channel", secrets.token_hex(8))])


def dial(tls: TlsSettings, address: str, options: Sequence[tuple[str, int | str]] = ()) -> grpc.aio.Channel:
    """Return a channel to HOST:PORT, with TLS if `tls` says so for this address.

    Every client of this package and of the arena dials here. A proxy that the environment names is used for addresses
    on other machines alone.

    Raises SettingsError if the settings in `tls` contradict each other or if a file cannot be read.
    """
    if faults := tls.find_faults():
        raise SettingsError("; ".join(faults))
    if is_loopback(address):
        options = [*options, WITHOUT_PROXY]
    if not tls.is_used_with(address):
        return grpc.aio.insecure_channel(address, options=options)
    return grpc.aio.secure_channel(address, _load_credentials(tls), options=options)


def _load_credentials(tls: TlsSettings) -> grpc.ChannelCredentials:
    """Return the credentials for TLS. Raises SettingsError if a file cannot be read."""
    return grpc.ssl_channel_credentials(
        _read_pem("CHEATARENA_CA", tls.ca),
        _read_pem("CHEATARENA_KEY", tls.key),
        _read_pem("CHEATARENA_CERT", tls.certificate),
    )


def _read_pem(name: str, path: Path | None) -> bytes | None:
    """Return the content of a PEM file. Raises SettingsError if the file cannot be read or is not a PEM file."""
    if path is None:
        return None
    try:
        pem = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{name} names {path}, which cannot be read: {error.strerror}") from error
    if b"-----BEGIN " not in pem:
        raise SettingsError(f"{name} names {path}, which is not a PEM file")
    return pem


def open_stream(channel: grpc.aio.Channel, token: str, ticket: str) -> StreamCall:
    """Start the gRPC call Play. The call carries frames as bytes. Raises SettingsError if `token` cannot be one."""
    metadata = [*authorization(token)]
    if ticket:
        metadata.append(("arena-ticket", ticket))
    play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(PLAY_METHOD)
    return play(metadata=metadata)
