"""Receipts that the runner signs, for a node that does not get the private key.

A shared deal takes no entropy from bots, so its receipts are known before its table begins. Those of other matches the
node asks for once it knows the entropy, from a thread, because signing waits for the answer.
"""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

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


class ReceiptSigner(Protocol):
    """Signs the receipts of a node's jobs."""

    async def sign_receipt(self, digest: bytes) -> bytes:
        """Raises EnvironmentFaultError if the receipts of all jobs are signed."""


class JobSigner:
    """The runner's end. Implements `ReceiptSigner`."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer
        self._left = 0

    def expect(self, count: int) -> None:
        """Let the node have this many more receipts signed."""
        self._left += count

    async def sign_receipt(self, digest: bytes) -> bytes:
        if not self._left:
            raise EnvironmentFaultError("this node has asked for more receipts than its jobs have seats")
        self._left -= 1
        return self._signer.sign(digest)


class SignedAhead:
    """The node's end: has the signatures of the receipts that it holds, and asks for others. Implements `Signer`."""

    signs_elsewhere = True

    def __init__(self, public_key: bytes, signer: ReceiptSigner) -> None:
        """The running loop speaks to `signer`."""
        self.public_key = public_key
        self._signer = signer
        self._loop, self._loop_thread = asyncio.get_running_loop(), threading.get_ident()
        self._signatures: dict[bytes, bytes] = {}

    def sign(self, digest: bytes) -> bytes:
        """Raises EnvironmentFaultError for a digest that the runner does not sign, and LineCutError.

        The loop itself gets the signatures that are held and no others, since it would wait for its own answer.
        """
        if (known := self._signatures.get(digest)) is not None:
            return known
        if threading.get_ident() == self._loop_thread:
            raise EnvironmentFaultError("this node does not hold the signature of a receipt")
        return asyncio.run_coroutine_threadsafe(self._signer.sign_receipt(digest), self._loop).result()

    @contextmanager
    def hold(self, receipts: Sequence[DealReceipt]) -> Iterator[None]:
        signatures = {each.digest: each.signature for each in receipts}
        self._signatures |= signatures
        try:
            yield
        finally:
            for digest in signatures:
                self._signatures.pop(digest, None)
