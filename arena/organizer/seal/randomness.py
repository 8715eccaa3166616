"""The randomness of a league: a secret, hidden until the league is closed, and the lots and deals derived from it.

    secret     32 bytes from the operating system, in a file of its own, published when the league is closed
    mixed      HMAC-SHA-256(key=secret, "entropy|" public entropy)
    schedule   HMAC-SHA-256(key=mixed, "schedule")
    S          HMAC-SHA-256(key=mixed, "deal|" block "|" attempt)
    r          HMAC-SHA-256(key=mixed, "salt|" block "|" attempt "|" table "|" seat)
    t          HMAC-SHA-256(key=mixed, "terms|" block "|" attempt "|" table)

S is the seed of a block's deal, r is the salt in the receipt of a seat, and t is the salt of a table's terms.

The seal has SHA-256("league-v1" | secret), so that nobody can choose another secret later. Public entropy is a text
that nobody knew when the seal was posted. With public entropy the organizer has no influence on the deals, provided
that the seal says how the text is written. Bots of a league contribute no randomness. The tables of a block share one
deal, which has to be fixed before the first of them begins. At that time, bots of the other tables may still be
missing.
"""

import hashlib
import hmac
import os
from dataclasses import dataclass, field
from typing import Final

from arena.competition.league.model import Block
from arena.ids import new_id
from arena.match.deal.stream import new_seed
from arena.match.referee.deal import SHARED_DEAL_PREFIX, DealSecret

RECEIPT_FORM: Final = "receipt-v2"
"""The form of receipts that a league seals. Leagues sealed by release 0.1.0 name no form and keep `receipt-v1`."""


@dataclass(frozen=True, slots=True)
class LeagueRandomness:
    league_id: str
    secret: bytes = field(repr=False)
    public_entropy: str = ""
    binds_terms: bool = True
    """Whether receipts bind match id and terms; False in a league sealed by release 0.1.0."""

    @property
    def commitment(self) -> str:
        """The hash of the league's secret, in hex. The seal contains this hash."""
        return hashlib.sha256(b"league-v1" + self.secret).hexdigest()

    @property
    def schedule_seed(self) -> bytes:
        return self._derive("schedule")

    def deal_secret(self, block: Block, attempt: int, table: int, rules: bytes) -> DealSecret:
        """Return the deal secret of one table of a block. `rules` is the hash of the terms."""
        label = f"{block.number}|{attempt}"
        salts = tuple(self._derive(f"salt|{label}|{table}|{seat}") for seat in range(len(block.tables[table])))
        deal_id = f"{SHARED_DEAL_PREFIX}{self.league_id}.{block.number}.{attempt}"
        terms_salt = self._derive(f"terms|{label}|{table}") if self.binds_terms else b""
        return DealSecret(deal_id, rules, self._derive(f"deal|{label}"), salts, table, terms_salt)

    def _derive(self, label: str) -> bytes:
        mixed = hmac.digest(self.secret, f"entropy|{self.public_entropy}".encode(), "sha256")
        return hmac.digest(mixed, label.encode(), "sha256")


def new_randomness() -> LeagueRandomness:
    """Return a new league id with a secret from the operating system."""
    return LeagueRandomness(new_id(), new_seed(os.urandom))
