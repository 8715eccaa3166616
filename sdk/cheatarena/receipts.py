"""Receipts: what a seat is given before its first card, to be compared when the match is over.

They prove nothing by themselves. When a match is over and its replay is published, `arena replay verify` and
`verify_deal.py` tell whether the cards of that replay are the ones that this receipt was made for.
"""

import hashlib
import json
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from cheatarena.v1 import deal_pb2

FILE_NAME = "receipts.jsonl"
"""What the file in the settings' folder is called; one line of JSON a receipt."""
ENTROPY_BYTES = 32
MAX_REMEMBERED_PROMISES = 10_000
"""So many promises are remembered: as many as there can be offers."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Ties the server to the cards of one match, and tells nothing of them."""

    digest: bytes
    """SHA-256, 32 bytes."""
    signature: bytes
    """Ed25519 over the digest, 64 bytes."""
    public_key: bytes
    """The server's, 32 bytes."""


def read_receipt(message: deal_pb2.DealReceipt) -> Receipt:
    """Read a receipt of the contract."""
    return Receipt(message.digest, message.signature, message.public_key)


def append_receipt(folder: Path, receipt: Receipt, address: str, match: int, entrant: int) -> None:
    """Append a receipt to the folder's file, and hand it to the operating system. Raises OSError."""
    line = {
        "digest": receipt.digest.hex(),
        "signature": receipt.signature.hex(),
        "public_key": receipt.public_key.hex(),
        "address": address,
        "match": match,
        "entrant": entrant,
        "kept_at": round(time.time(), 3),
    }
    folder.mkdir(parents=True, exist_ok=True)
    raw = json.dumps(line, separators=(",", ":")).encode() + b"\n"
    file = os.open(folder / FILE_NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, raw)  # at once, so that the lines of several processes do not mix
    finally:
        os.close(file)


class EntropyPromises:
    """What this process adds to the luck of its matches: chosen with an offer, told when it is asked for."""

    def __init__(self) -> None:
        self._entropy: dict[int, bytes] = {}

    def promise(self, offer_id: int) -> bytes:
        """Choose entropy for an offer, once however often it comes, and return its hash."""
        entropy = self._entropy.setdefault(offer_id, secrets.token_bytes(ENTROPY_BYTES))
        if len(self._entropy) > MAX_REMEMBERED_PROMISES:
            del self._entropy[next(iter(self._entropy))]
        return hashlib.sha256(entropy).digest()

    def reveal(self, offer_id: int) -> bytes:
        """Return what was promised; empty where nothing was."""
        return self._entropy.get(offer_id, b"")

    def clear(self) -> None:
        """Give up what another run of the server was promised."""
        self._entropy.clear()
