"""The key that receipts are signed with: Ed25519, one file in the data folder, made on the first start.

receipt.key holds the private key alone, 32 bytes, readable by its owner alone.
"""

import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from arena.errors import StoreError
from arena.store.data_folder import write_private_file

KEY_FILE = "receipt.key"
KEY_BYTES = 32


class ReceiptKey:
    """Signs receipts; implements the `Signer` port."""

    def __init__(self, secret: bytes) -> None:
        """Raises ValueError where the secret is not 32 bytes."""
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.secret = secret
        self.public_key = self._key.public_key().public_bytes_raw()

    def sign(self, digest: bytes) -> bytes:
        """Give the signature of a digest, 64 bytes; the same each time."""
        return self._key.sign(digest)


def open_receipt_key(folder: Path) -> ReceiptKey:
    """Read the key of a data folder, or make it. Raises StoreError where it cannot be used."""
    path = folder / KEY_FILE
    try:
        if not path.exists():
            write_private_file(path, os.urandom(KEY_BYTES))
        secret = path.read_bytes()
    except OSError as error:
        raise StoreError(f"the key {path} cannot be used: {error.strerror}") from error
    if len(secret) != KEY_BYTES:
        raise StoreError(f"the key {path} is damaged: it has {len(secret)} bytes, expected {KEY_BYTES}")
    return ReceiptKey(secret)


def is_valid_signature(public_key: bytes, signature: bytes, digest: bytes) -> bool:
    """Tell whether this key has signed this digest."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, digest)
    except (InvalidSignature, ValueError):
        return False
    return True
