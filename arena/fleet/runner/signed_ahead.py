"""Receipts of shared tables that the runner signs, for a node that does not get the private key.

A shared deal takes no entropy from bots, so its receipts are known before its table begins.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from arena.errors import EnvironmentFaultError
from arena.match.referee.deal import ReceiptIssuer, prepare_deal
from arena.match.referee.facts import DealReceipt
from arena.match.referee.inputs import Begin, read_record
from arena.match.referee.ports import Signer
from arena.match.referee.terms import describe_terms
from arena.server.node.deals import SharedTable


def sign_receipts(table: SharedTable, signer: Signer) -> tuple[DealReceipt, ...]:
    """Return the receipts of a table by entrant. Those of a resumed table bind the terms with which it began."""
    began = next((entry for entry in map(read_record, table.records) if isinstance(entry, Begin)), None)
    terms = describe_terms(table.terms) if began is None else began.terms
    return prepare_deal(table.secret, (), table.terms, ReceiptIssuer(signer, table.match_id, terms)).receipts


class SignedAhead:
    """Has the signatures of the receipts that it holds. Implements `Signer`."""

    def __init__(self, public_key: bytes) -> None:
        self.public_key = public_key
        self._signatures: dict[bytes, bytes] = {}

    def sign(self, digest: bytes) -> bytes:
        """Raises EnvironmentFaultError for a digest that the runner has not signed."""
        try:
            return self._signatures[digest]
        except KeyError:
            raise EnvironmentFaultError("this node signs only the receipts of its runner's tables") from None

    @contextmanager
    def hold(self, receipts: Sequence[DealReceipt]) -> Iterator[None]:
        signatures = {each.digest: each.signature for each in receipts}
        self._signatures |= signatures
        try:
            yield
        finally:
            for digest in signatures:
                self._signatures.pop(digest, None)
