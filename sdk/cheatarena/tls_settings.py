"""The TLS settings of a client: when it uses TLS, and with which files."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cheatarena.addresses import is_loopback
from cheatarena.tokens import strip_variables


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """The TLS settings of a client.

    By default, connections to this machine use plaintext, and all others use TLS. With `ca`, all of them use TLS. With
    `is_insecure`, none of them uses TLS.
    """

    ca: Path | None = None
    """File with the authority of the server's certificate in PEM. None means all public authorities."""
    certificate: Path | None = None
    """File with the client's own certificate in PEM, for servers that ask for one."""
    key: Path | None = None
    """File with the private key of `certificate`."""
    is_insecure: bool = False
    """Whether to dial without TLS even to other hosts. Anyone on the network path can then read the token."""

    def is_used_with(self, address: str) -> bool:
        """Return whether a connection to this address uses TLS."""
        return not self.is_insecure and (self.ca is not None or not is_loopback(address))

    def find_faults(self) -> list[str]:
        """Return a sentence for each contradiction between the settings."""
        faults = []
        if (self.certificate is None) is not (self.key is None):
            faults.append("a certificate and its key come together: set CHEATARENA_CERT and CHEATARENA_KEY")
        if self.is_insecure and (self.ca or self.certificate):
            faults.append("CHEATARENA_INSECURE turns TLS off, so CHEATARENA_CA and CHEATARENA_CERT would do nothing")
        return faults

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read CHEATARENA_CA, CHEATARENA_CERT, CHEATARENA_KEY and CHEATARENA_INSECURE."""
        environ = strip_variables(environ)
        ca, certificate, key = (
            Path(value) if (value := environ.get(f"CHEATARENA_{name}")) else None for name in ("CA", "CERT", "KEY")
        )
        return cls(ca, certificate, key, is_insecure=environ.get("CHEATARENA_INSECURE", "") == "1")

    def to_environment(self) -> dict[str, str]:
        """Return these settings as environment variables. All paths are absolute, so they fit every working folder."""
        files = {"CHEATARENA_CA": self.ca, "CHEATARENA_CERT": self.certificate, "CHEATARENA_KEY": self.key}
        named = {name: str(path.absolute()) for name, path in files.items() if path is not None}
        return named | ({"CHEATARENA_INSECURE": "1"} if self.is_insecure else {})
