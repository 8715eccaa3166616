"""Settings of a bot program, from the environment or from the author's code."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cheatarena.credentials import BotCredentials, choose_credentials
from cheatarena.errors import SettingsError
from cheatarena.tls_settings import TlsSettings


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to play, as whom, and how many seats.

    Raises a SettingsError that names every missing or invalid setting.
    """

    address: str
    """host:port of the server."""
    token: str = field(repr=False)
    """Access token of the bot; needs the scope `play`."""
    instance: str = field(default_factory=lambda: secrets.token_hex(8))
    """Names one process among those with the same token; 1 to 64 characters.

    A newer process with the same token and instance takes over.
    """
    capacity: int = 1000
    """Most seats at once, 1 to 10000."""
    is_insecure: bool = False
    """Whether to connect without TLS even to other hosts. Anyone on the network path can then read the token."""
    patience_s: float = 30.0
    """Seconds for which the program tries to reconnect before it gives up."""
    label: str = ""
    """Label for the server's log, at most 64 characters."""
    adds_entropy: bool = False
    """Whether to add this bot's own entropy to every deal. This takes one more round trip before the first card."""
    receipts: Path | None = None
    """Folder for the file of receipts. If this is None, receipts are not stored, and only `table.receipt` has them."""
    ca: Path | None = None
    """File with the authority of the server's certificate in PEM, if it is not a public one."""
    certificate: Path | None = None
    """File with the bot's own certificate in PEM, for servers that ask for one."""
    key: Path | None = None
    """File with the private key of `certificate`."""
    credentials: BotCredentials | None = None
    """The entry of the credentials file that `token` comes from. Each connection takes its token anew from there."""

    def __post_init__(self) -> None:
        faults = []
        if not self.address:
            faults.append("no server is named: set CHEATARENA_ADDRESS to host:port")
        if not self.token:
            faults.append("there is no token: run `arena join` with your invitation, or set CHEATARENA_TOKEN")
        if not 1 <= len(self.instance) <= 64:
            faults.append(f"the instance has {len(self.instance)} characters, expected 1 to 64")
        if not 1 <= self.capacity <= 10_000:
            faults.append(f"the capacity is {self.capacity}, expected 1 to 10000")
        faults += self.tls.find_faults()
        if faults:
            raise SettingsError("; ".join(faults))

    @property
    def tls(self) -> TlsSettings:
        """How connections are secured."""
        return TlsSettings(self.ca, self.certificate, self.key, self.is_insecure)

    @property
    def speaks_tls(self) -> bool:
        """Whether connections use TLS: except to this machine without `ca`, and with `is_insecure`."""
        return self.tls.is_used_with(self.address)

    def uses_tls_with(self, address: str) -> bool:
        """Return whether a connection to this address uses TLS."""
        return self.tls.is_used_with(address)

    def read_token(self) -> str:
        """Return the token for a new connection."""
        return self.token if self.credentials is None else self.credentials.read_token()

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> "Settings":
        """Read CHEATARENA_ADDRESS, _TOKEN, _INSTANCE, _CAPACITY, _INSECURE, _ENTROPY, _RECEIPTS, _CA, _CERT and _KEY.

        Without CHEATARENA_TOKEN, address, token and authority come from the credentials file that `arena join` wrote
        (see `cheatarena.credentials`). If it leaves a choice, CHEATARENA_ADDRESS and CHEATARENA_BOT make it.

        Raises SettingsError if the address or the token is missing, or if any setting is invalid.
        """
        capacity = environ.get("CHEATARENA_CAPACITY") or "1000"
        if not capacity.isdecimal():
            raise SettingsError(f"CHEATARENA_CAPACITY is {capacity!r}, expected a number from 1 to 10000")
        address, token = environ.get("CHEATARENA_ADDRESS", ""), environ.get("CHEATARENA_TOKEN", "")
        tls = TlsSettings.from_environment(environ)
        ca = tls.ca
        chosen = None if token else choose_credentials(environ)
        if chosen is not None:
            address, token, ca = chosen.address, chosen.token, ca or chosen.ca
        return cls(
            address=address,
            token=token,
            instance=environ.get("CHEATARENA_INSTANCE") or secrets.token_hex(8),
            capacity=int(capacity),
            is_insecure=tls.is_insecure,
            adds_entropy=environ.get("CHEATARENA_ENTROPY", "") == "1",
            receipts=Path(folder) if (folder := environ.get("CHEATARENA_RECEIPTS")) else None,
            ca=ca,
            certificate=tls.certificate,
            key=tls.key,
            credentials=chosen,
        )
