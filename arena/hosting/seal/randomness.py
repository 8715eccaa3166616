"""What a league keeps to itself until it is closed, and what follows from it: the schedule's lots and every deal.

    secret     32 bytes from the operating system, in a file of its own, told when the league is closed
    mixed      HMAC-SHA-256(key=secret, "entropy|" public entropy)
    schedule   HMAC-SHA-256(key=mixed, "schedule")
    S          HMAC-SHA-256(key=mixed, "deal|" block "|" attempt)
    r          HMAC-SHA-256(key=mixed, "salt|" block "|" attempt "|" table "|" seat)

The seal has SHA-256("league-v1" | secret), so that nobody can choose another secret later; public entropy, which nobody
knew when the seal was posted, takes from the organizer any choice that was left before, if the seal says how it is
written. Bots of a league add none of their own: those of a block sit at different tables.
"""

import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path

from arena.deal.stream import SEED_BYTES
from arena.errors import StoreError
from arena.league.model import Block
from arena.match.deal import SHARED_DEAL_PREFIX, DealSecret
from arena.store.data_folder import write_private_file


@dataclass(frozen=True, slots=True)
class LeagueRandomness:
    """All luck of one league."""

    league_id: str
    secret: bytes = field(repr=False)
    public_entropy: str = ""

    @property
    def commitment(self) -> str:
        """What the seal says of the secret, hex."""
        return hashlib.sha256(b"league-v1" + self.secret).hexdigest()

    @property
    def schedule_seed(self) -> bytes:
        """From which lots are drawn."""
        return self._derive("schedule")

    def deal_secret(self, block: Block, attempt: int, table: int, rules: bytes) -> DealSecret:
        """The deal of a block, as one of its tables has it. `rules`: the hash of what is played."""
        label = f"{block.number}|{attempt}"
        salts = tuple(self._derive(f"salt|{label}|{table}|{seat}") for seat in range(len(block.tables[table])))
        deal_id = f"{SHARED_DEAL_PREFIX}{self.league_id}.{block.number}.{attempt}"
        return DealSecret(deal_id, rules, self._derive(f"deal|{label}"), salts, table)

    def _derive(self, label: str) -> bytes:
        mixed = hmac.digest(self.secret, f"entropy|{self.public_entropy}".encode(), "sha256")
        return hmac.digest(mixed, label.encode(), "sha256")


def write_secret(path: Path, secret: bytes) -> None:
    """Write a league's secret, for this user alone. Raises StoreError."""
    try:
        write_private_file(path, secret)
    except OSError as error:
        raise StoreError(f"the league's secret {path} cannot be written: {error.strerror}") from error


def read_secret(path: Path) -> bytes:
    """Read a league's secret. Raises StoreError."""
    try:
        secret = path.read_bytes()
    except OSError as error:
        raise StoreError(f"the league's secret {path} cannot be read: {error.strerror}") from error
    if len(secret) != SEED_BYTES:
        raise StoreError(f"the league's secret {path} is damaged: it has {len(secret)} bytes, not {SEED_BYTES}")
    return secret
