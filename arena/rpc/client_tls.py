"""Opens the channels of the arena's own clients, with the same TLS settings as the SDK."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import grpc

from arena.errors import OptionError
from arena.node.addresses import is_loopback


@dataclass(frozen=True, slots=True)
class ClientTls:
    """How a client connects.

    To this machine it uses plaintext, unless `ca` is set. To other machines it uses TLS, unless `is_insecure` is set.
    """

    ca: Path | None = None
    """The authority of the server's certificate in PEM; None for the public authorities."""
    certificate: Path | None = None
    """The client's own certificate in PEM, for servers that ask for a client certificate."""
    key: Path | None = None
    """The private key of `certificate`."""
    is_insecure: bool = False

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Self:
        """Read CHEATARENA_CA, CHEATARENA_CERT, CHEATARENA_KEY and CHEATARENA_INSECURE."""
        ca, certificate, key = (environ.get(f"CHEATARENA_{name}") for name in ("CA", "CERT", "KEY"))
        return cls(
            ca=Path(ca) if ca else None,
            certificate=Path(certificate) if certificate else None,
            key=Path(key) if key else None,
            is_insecure=environ.get("CHEATARENA_INSECURE", "") == "1",
        )

    def open_channel(self, address: str, options: Sequence[tuple[str, int]] = ()) -> grpc.aio.Channel:
        """Return a channel to HOST:PORT. Raises OptionError if a file cannot be read."""
        host = address.rpartition(":")[0]
        if self.is_insecure or (self.ca is None and is_loopback(host)):
            return grpc.aio.insecure_channel(address, options=options)
        credentials = grpc.ssl_channel_credentials(
            _read("CHEATARENA_CA", self.ca),
            _read("CHEATARENA_KEY", self.key),
            _read("CHEATARENA_CERT", self.certificate),
        )
        return grpc.aio.secure_channel(address, credentials, options=options)


PUBLIC_TLS = ClientTls()
"""TLS with the public authorities, and plaintext to this machine."""


def _read(name: str, path: Path | None) -> bytes | None:
    try:
        return None if path is None else path.read_bytes()
    except OSError as error:
        raise OptionError(name, str(path), f"it cannot be read: {error.strerror}") from error
