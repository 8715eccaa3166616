"""Deals as plain values, for journal and store, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.deal.commitment import Contribution
from arena.match.deal import DealSecret
from arena.match.facts import DealReceipt, DealRevealed
from arena.match.ports import DealRow, MatchId


def describe_secret(secret: DealSecret) -> dict[str, Any]:
    """Give a deal as plain values for the journal; `secret_from_plain` reads them back."""
    return {
        "deal_id": secret.deal_id,
        "rules_hash": secret.rules.hex(),
        "seed": secret.seed.hex(),
        "salts": [salt.hex() for salt in secret.salts],
        "table": secret.table,
    }


def secret_from_plain(values: Mapping[str, Any]) -> DealSecret:
    """Read `describe_secret`'s values."""
    salts = tuple(bytes.fromhex(salt) for salt in values["salts"])
    rules, seed = bytes.fromhex(values["rules_hash"]), bytes.fromhex(values["seed"])
    return DealSecret(values["deal_id"], rules, seed, salts, values.get("table", 0))


def new_deal_row(secret: DealSecret, match_id: MatchId, number: int, journal: str, created_at: float) -> DealRow:
    """The row of a deal that has just been made; its place in the chain is the store's to say."""
    return DealRow(
        number=0,
        match_id=match_id,
        deal_id=secret.deal_id,
        journal=journal,
        match_number=number,
        created_at=created_at,
        rules=secret.rules,
        commitment=secret.commitment,
        link=b"",
    )


def describe_contributions(contributions: Sequence[Contribution]) -> list[dict[str, Any]]:
    """Give contributions as plain values; `contributions_from_plain` reads them back."""
    return [
        {"entrant": c.entrant, "promise": c.promise.hex(), "entropy": c.entropy.hex(), "fault": c.fault}
        for c in contributions
    ]


def contributions_from_plain(values: Sequence[Mapping[str, Any]]) -> tuple[Contribution, ...]:
    """Read `describe_contributions`' values."""
    return tuple(
        Contribution(c["entrant"], bytes.fromhex(c["promise"]), bytes.fromhex(c["entropy"]), c["fault"]) for c in values
    )


def describe_revealed_deal(fact: DealRevealed) -> dict[str, Any]:
    """Give an opened deal as plain values for the store; `revealed_deal_from_plain` reads them back."""
    return {
        "deal_id": fact.deal_id,
        "rules_hash": fact.rules.hex(),
        "seed": fact.seed.hex(),
        "commitment": fact.commitment.hex(),
        "root": fact.root.hex(),
        "contributions": describe_contributions(fact.contributions),
        "salts": [salt.hex() for salt in fact.salts],
        "receipts": [
            {"digest": r.digest.hex(), "signature": r.signature.hex(), "public_key": r.public_key.hex()}
            for r in fact.receipts
        ],
    }


def revealed_deal_from_plain(values: Mapping[str, Any]) -> DealRevealed:
    """Read `describe_revealed_deal`'s values."""
    return DealRevealed(
        deal_id=values["deal_id"],
        rules=bytes.fromhex(values["rules_hash"]),
        seed=bytes.fromhex(values["seed"]),
        commitment=bytes.fromhex(values["commitment"]),
        root=bytes.fromhex(values["root"]),
        contributions=contributions_from_plain(values["contributions"]),
        salts=tuple(map(bytes.fromhex, values["salts"])),
        receipts=tuple(DealReceipt(*map(bytes.fromhex, _receipt_fields(each))) for each in values["receipts"]),
    )


def _receipt_fields(values: Mapping[str, str]) -> tuple[str, str, str]:
    return values["digest"], values["signature"], values["public_key"]
