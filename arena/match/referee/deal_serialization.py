"""Converts deals to plain values for journal and store, and back; bytes become hex.

What reads the values raises ValueError for any that the other direction did not write.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.match.deal.commitment import Contribution
from arena.match.referee.deal import DealSecret
from arena.match.referee.facts import DealRevealed
from arena.match.referee.ports import DealRow, MatchId
from arena.plain_data import from_plain, to_plain

Values = Mapping[str, Any]


def describe_secret(secret: DealSecret) -> Values:
    """A deal of release 0.1.0 keeps its form, without a salt for the terms."""
    values: Values = to_plain(secret, bytes.hex)
    return {name: value for name, value in values.items() if secret.terms_salt or name != "terms_salt"}


def secret_from_plain(values: Values) -> DealSecret:
    return from_plain(values, DealSecret, bytes.fromhex)


def describe_contributions(contributions: Sequence[Contribution]) -> Sequence[Values]:
    values: Sequence[Values] = to_plain(contributions, bytes.hex)
    return values


def contributions_from_plain(values: Sequence[Values]) -> tuple[Contribution, ...]:
    return from_plain(values, tuple[Contribution, ...], bytes.fromhex)


def describe_revealed_deal(fact: DealRevealed) -> Values:
    values: Values = to_plain(fact, bytes.hex)
    return values


def revealed_deal_from_plain(values: Values) -> DealRevealed:
    return from_plain(values, DealRevealed, bytes.fromhex)


def new_deal_row(secret: DealSecret, match_id: MatchId, number: int, journal: str, created_at: float) -> DealRow:
    """Return the row of a new deal; the store assigns its number and link in the chain."""
    return DealRow(
        number=0,
        match_id=match_id,
        deal_id=secret.deal_id,
        journal=journal,
        match_number=number,
        created_at=created_at,
        rules=secret.rules_hash,
        commitment=secret.commitment,
        link=b"",
    )
