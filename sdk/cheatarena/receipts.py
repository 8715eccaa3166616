"""Stores receipts. A bot gets a receipt before its first card, and can check the receipt when the match is over.

A receipt alone proves nothing. Once the replay of the match is published, `arena replay verify` and `verify_deal.py`
check that the replay has the cards for which the receipt was issued.
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
"""Name of the file of receipts, in the folder `Settings.receipts`. The file has one line of JSON per receipt."""
ENTROPY_BYTES = 32
MAX_REMEMBERED_PROMISES = 10_000
"""Maximum number of remembered promises. There are never more open offers than this."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The server's commitment to the cards of one match. It does not reveal the cards."""

    digest: bytes
    """SHA-256, 32 bytes."""
    signature: bytes
    """Ed25519 signature of the digest, 64 bytes."""
    public_key: bytes
    """The server's public key, 32 bytes."""


def read_receipt(message: deal_pb2.DealReceipt) -> Receipt:
    return Receipt(message.digest, message.signature, message.public_key)


def append_receipt(folder: Path, receipt: Receipt, address: str, match: int, entrant: int) -> None:
    """Append a receipt to the file of receipts in a folder. Raises OSError if the file cannot be written."""
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
        os.write(file, raw)  # one write, so that lines of several processes do not mix
    finally:
        os.close(file)


class EntropyPromises:
    """The entropy (random bytes) that this process adds to deals.

    When the process accepts an offer, it promises the entropy: it sends the hash of the entropy. When the server asks
    for the entropy, the process reveals it.
    """

    def __init__(self) -> None:
        self._entropy: dict[int, bytes] = {}

    def promise(self, offer_id: int) -> bytes:
        """Return the hash of the entropy for an offer. The entropy is drawn at the first request for this offer."""
        entropy = self._entropy.setdefault(offer_id, secrets.token_bytes(ENTROPY_BYTES))
        if len(self._entropy) > MAX_REMEMBERED_PROMISES:
            del self._entropy[next(iter(self._entropy))]
        return hashlib.sha256(entropy).digest()

    def reveal(self, offer_id: int) -> bytes:
        """Return the promised entropy, or empty bytes if none was promised."""
        return self._entropy.get(offer_id, b"")

    def clear(self) -> None:
        """Forget all promises. They were made to an earlier run of the server."""
        self._entropy.clear()
