"""What a program has to know before it can play: read once, from the environment or from the author's own code."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from cheatarena.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to play, as whom, and how much.

    Raises SettingsError with one sentence for each setting that is missing or out of range.
    """

    address: str
    """host:port of the server."""
    token: str = field(repr=False)
    """Says who the bot is; needs the scope `play`."""
    instance: str = field(default_factory=lambda: secrets.token_hex(8))
    """Tells the processes of one token apart, 1 to 64 characters. A newer process of the same instance takes over."""
    capacity: int = 1000
    """The most seats to hold at once, 1 to 10000."""
    is_insecure: bool = False
    """Speak without TLS to hosts other than this machine too: everyone on the way can read the token."""
    patience_s: float = 30.0
    """How long to go on trying when the server cannot be reached, in seconds."""
    label: str = ""
    """For the server's log, at most 64 characters."""
    adds_entropy: bool = False
    """Add random bytes of its own to the luck of every match; it takes one more exchange before the first card."""
    receipts: Path | None = None
    """Folder to keep receipts of deals in, in one file; None: they are at hand as `table.receipt` alone."""

    def __post_init__(self) -> None:
        if faults := "; ".join(self._find_problems()):
            raise SettingsError(faults)

    @property
    def speaks_tls(self) -> bool:
        """Whether connections to the address use TLS: always, but for this machine itself or if told otherwise."""
        return not (self.is_insecure or is_loopback(self.address))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> "Settings":
        """Read CHEATARENA_ADDRESS, _TOKEN, _INSTANCE, _CAPACITY, _INSECURE, _ENTROPY and _RECEIPTS.

        Raises SettingsError where one of the first two is missing, or one cannot be read.
        """
        capacity = environ.get("CHEATARENA_CAPACITY") or "1000"
        if not capacity.isdecimal():
            raise SettingsError(f"CHEATARENA_CAPACITY is {capacity!r}, expected a number from 1 to 10000")
        return cls(
            address=environ.get("CHEATARENA_ADDRESS", ""),
            token=environ.get("CHEATARENA_TOKEN", ""),
            instance=environ.get("CHEATARENA_INSTANCE") or secrets.token_hex(8),
            capacity=int(capacity),
            is_insecure=environ.get("CHEATARENA_INSECURE", "") == "1",
            adds_entropy=environ.get("CHEATARENA_ENTROPY", "") == "1",
            receipts=Path(folder) if (folder := environ.get("CHEATARENA_RECEIPTS", "")) else None,
        )

    def _find_problems(self) -> list[str]:
        faults = []
        if not self.address:
            faults.append("no server is named: set CHEATARENA_ADDRESS to host:port")
        if not self.token:
            faults.append("there is no token: set CHEATARENA_TOKEN to the one that the organizer gave you")
        if not 1 <= len(self.instance) <= 64:
            faults.append(f"the instance has {len(self.instance)} characters, expected 1 to 64")
        if not 1 <= self.capacity <= 10_000:
            faults.append(f"the capacity is {self.capacity}, expected 1 to 10000")
        return faults


def is_loopback(address: str) -> bool:
    """Tell whether an address is on this machine.

    >>> [is_loopback(each) for each in ("localhost:5000", "127.0.0.2:5000", "[::1]:5000", "unix:/run/arena")]
    [True, True, True, True]
    >>> [is_loopback(each) for each in ("arena.example:443", "127.0.0.1.example:443")]
    [False, False]
    """
    if address.startswith("unix:"):
        return True
    host = (address.rpartition(":")[0] or address).strip("[]")
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
