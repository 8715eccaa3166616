"""Builds the messages about a deal for bots and organizers: its receipts, its revealed values and its state."""

from arena.match.referee.deal_serialization import revealed_deal_from_plain
from arena.match.referee.facts import DealReceipt, DealRevealed
from arena.match.referee.ports import DealRow
from cheatarena.v1 import deal_pb2


def deal_receipt_message(receipt: DealReceipt) -> deal_pb2.DealReceipt:
    return deal_pb2.DealReceipt(digest=receipt.digest, signature=receipt.signature, public_key=receipt.public_key)


def deal_revealed_message(fact: DealRevealed) -> deal_pb2.DealRevealed:
    """The salt of the terms is left out, because bots must not get it."""
    return deal_pb2.DealRevealed(
        deal_id=fact.deal_id,
        rules_hash=fact.rules_hash,
        seed=fact.seed,
        commitment=fact.commitment,
        root=fact.root,
        contributions=[
            deal_pb2.DealContribution(entrant=each.entrant, promise=each.promise, entropy=each.entropy)
            for each in fact.contributions
        ],
        receipt_salts=fact.salts,
        terms_hash=fact.terms_hash,
    )


def deal_state_message(row: DealRow | None) -> deal_pb2.DealState | None:
    """Return None if the match was stored without a deal."""
    if row is None:
        return None
    revealed = None if row.revealed is None else deal_revealed_message(revealed_deal_from_plain(row.revealed))
    return deal_pb2.DealState(
        commitment=row.commitment, chain_number=row.number, chain_link=row.link, revealed=revealed
    )
