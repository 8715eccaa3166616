"""Settings of a bot program, from the environment or from the author's code."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cheatarena.addresses import UNIX_PREFIX, find_address_fault
from cheatarena.credentials import BotCredentials, choose_credentials, find_authority
from cheatarena.errors import SettingsError
from cheatarena.pools import CHALLENGE_POLICIES, MAX_NAME_LENGTH, find_pool_fault, parse_pools
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import find_token_fault, strip_copied, strip_variables


@dataclass(frozen=True, slots=True)
class Settings:
    """The server to play on, the bot's token, and options such as the number of seats.

    The constructor raises a SettingsError that names every missing or invalid setting.
    """

    address: str
    """host:port of the server."""
    token: str = field(repr=False)
    """The bot's token; it needs the scope `play`."""
    instance: str = ""
    """Name of this process among the programs of its bot, at most 64 characters.

    If a newer process has the same token and the same instance, it takes over from this one. By default (empty), the
    name derives from this machine: a program that starts again finds its seats, and several play side by side.
    """
    capacity: int = 1000
    """The largest number of seats at the same time, 1 to 10000."""
    is_insecure: bool = False
    """Whether to connect to every host without TLS, not only to this machine. Anyone on the network path can then read
    the token."""
    patience_s: float = 30.0
    """Seconds for which the program tries to reconnect before it gives up."""
    label: str = ""
    """Label for the server's log, at most 64 characters."""
    adds_entropy: bool = False
    """Whether to add random bytes of this bot to every deal. This takes one more round trip before the first card."""
    receipts: Path | None = None
    """Folder for the file of receipts. If this is None, receipts are not stored, and only `table.receipt` has them."""
    ca: Path | None = None
    """PEM file with the certificate authority that signed the server's certificate; None for a public authority."""
    certificate: Path | None = None
    """PEM file with the bot's own certificate, for servers that ask for one."""
    key: Path | None = None
    """PEM file with the private key of `certificate`."""
    pools: Mapping[str, int] = field(default_factory=dict)
    """The pools in which the server keeps the bot seated, each with the number of seats that it wants, 1 to 1000.
    At most 32 pools."""
    version: str = ""
    """The version of the program, at most 32 characters. Ratings tell the versions of a bot apart."""
    challenges: str = "own"
    """Whose challenges the bot accepts: `own` (those of its owner's bots), `nobody` or `everybody`."""
    credentials: BotCredentials | None = None
    """The entry of the credentials file from which `token` was read; None if the token came from elsewhere.

    Each new connection reads the token from this entry again.
    """

    def __post_init__(self) -> None:
        for name in ("address", "token", "instance"):
            object.__setattr__(self, name, strip_copied(getattr(self, name)))
        faults = []
        if not self.address:
            faults.append("no server is named: set CHEATARENA_ADDRESS to host:port")
        elif fault := _find_address_fault(self.address):
            faults.append(fault)
        if not self.token:
            faults.append("there is no token: join with `python -m cheatarena join`, or set CHEATARENA_TOKEN")
        elif fault := find_token_fault(self.token):
            faults.append(fault)
        if len(self.instance) > 64 or not self.instance.isprintable():
            faults.append(f"the instance is {self.instance[:64]!r}, expected at most 64 printable characters")
        if not 1 <= self.capacity <= 10_000:
            faults.append(f"the capacity is {self.capacity}, expected 1 to 10000")
        if fault := find_pool_fault(self.pools):
            faults.append(fault)
        if len(self.version) > MAX_NAME_LENGTH or not (self.version.isprintable() or not self.version):
            faults.append(f"the version is {self.version!r}, expected at most {MAX_NAME_LENGTH} printable characters")
        if self.challenges not in CHALLENGE_POLICIES:
            faults.append(f"challenges is {self.challenges!r}, expected one of {', '.join(CHALLENGE_POLICIES)}")
        faults += self.tls.find_faults()
        if faults:
            raise SettingsError("; ".join(faults))

    @property
    def tls(self) -> TlsSettings:
        """How connections are secured."""
        return TlsSettings(self.ca, self.certificate, self.key, self.is_insecure)

    @property
    def speaks_tls(self) -> bool:
        """Whether the connection to `address` uses TLS."""
        return self.tls.is_used_with(self.address)

    def read_token(self) -> str:
        """Return the token for a new connection."""
        return self.token if self.credentials is None else self.credentials.read_token()

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ, *, only_reads: bool = False) -> "Settings":
        """Read the settings from the environment.

        The variables are CHEATARENA_ADDRESS, _TOKEN, _INSTANCE, _CAPACITY, _INSECURE, _PATIENCE (seconds), _ENTROPY,
        _RECEIPTS, _POOLS, _VERSION, _CHALLENGES, _CA, _CERT and _KEY. If CHEATARENA_TOKEN is not set, the address, the
        token and the authority come from the credentials file that `python -m cheatarena join` wrote (see
        `cheatarena.credentials`). If this file has several servers or bots, CHEATARENA_ADDRESS and CHEATARENA_BOT
        select one. If CHEATARENA_TOKEN is set and CHEATARENA_CA is not, only the authority comes from this file, if it
        has one for the address.

        With `only_reads`, as for `AuthorClient`, the owner's token stands in for that of a bot that the file lacks.

        Raises SettingsError if the address or the token is missing, or if any setting is invalid.
        """
        environ = strip_variables(environ)
        capacity = environ.get("CHEATARENA_CAPACITY") or "1000"
        if not capacity.isdecimal():
            raise SettingsError(f"CHEATARENA_CAPACITY is {capacity!r}, expected a number from 1 to 10000")
        patience = environ.get("CHEATARENA_PATIENCE") or "30"
        if not patience.isdecimal():
            raise SettingsError(f"CHEATARENA_PATIENCE is {patience!r}, expected a number of seconds")
        address, token = environ.get("CHEATARENA_ADDRESS", ""), environ.get("CHEATARENA_TOKEN", "")
        if fault := _find_address_fault(address):
            raise SettingsError(fault)
        tls = TlsSettings.from_environment(environ)
        ca = tls.ca
        chosen = None if token else choose_credentials(environ, only_reads=only_reads)
        if chosen is not None:
            address, token, ca = chosen.address, chosen.token, ca or chosen.ca
        elif ca is None and not tls.is_insecure:
            ca = _find_known_authority(address, environ)
        return cls(
            address=address,
            token=token,
            instance=environ.get("CHEATARENA_INSTANCE", ""),
            capacity=int(capacity),
            is_insecure=tls.is_insecure,
            patience_s=float(patience),
            adds_entropy=environ.get("CHEATARENA_ENTROPY", "") == "1",
            receipts=Path(folder) if (folder := environ.get("CHEATARENA_RECEIPTS")) else None,
            ca=ca,
            certificate=tls.certificate,
            key=tls.key,
            pools=parse_pools(environ.get("CHEATARENA_POOLS", "")),
            version=environ.get("CHEATARENA_VERSION", ""),
            challenges=environ.get("CHEATARENA_CHALLENGES") or "own",
            credentials=chosen,
        )


def _find_address_fault(address: str) -> str:
    """Return a sentence that says what is wrong with an address; empty for a good one, or if no address is set."""
    if not address or address.startswith(UNIX_PREFIX):
        return ""
    fault = find_address_fault(address)
    return fault and f"the address of the server is {address!r}: {fault}"


def _find_known_authority(address: str, environ: Mapping[str, str]) -> Path | None:
    """Return the authority that the credentials file has for a server. A file that cannot be used counts as missing."""
    try:
        return find_authority(address, environ)
    except SettingsError:
        return None
