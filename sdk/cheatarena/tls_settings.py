"""How a client secures its connections: when it speaks TLS, and with which files."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cheatarena.addresses import is_loopback


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """How a client dials: plaintext to this machine unless `ca` is set, TLS to all others unless `is_insecure`."""

    ca: Path | None = None
    """File with the authority of the server's certificate in PEM; None: the public ones."""
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
        """Return a sentence for each thing that contradicts another."""
        faults = []
        if (self.certificate is None) is not (self.key is None):
            faults.append("a certificate and its key come together: set CHEATARENA_CERT and CHEATARENA_KEY")
        if self.is_insecure and (self.ca or self.certificate):
            faults.append("CHEATARENA_INSECURE turns TLS off, so CHEATARENA_CA and CHEATARENA_CERT would do nothing")
        return faults

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read CHEATARENA_CA, CHEATARENA_CERT, CHEATARENA_KEY and CHEATARENA_INSECURE."""
        ca, certificate, key = (
            Path(value) if (value := environ.get(f"CHEATARENA_{name}")) else None for name in ("CA", "CERT", "KEY")
        )
        return cls(ca, certificate, key, is_insecure=environ.get("CHEATARENA_INSECURE", "") == "1")
