"""The key that signs receipts: Ed25519, one file in the data folder, created on the first start.

receipt.key contains only the private key, 32 bytes. Only the user who runs the server can read it.
"""

import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from arena.errors import StoreError
from arena.server.store.data_folder import write_private_file

KEY_FILE = "receipt.key"
KEY_BYTES = 32


class ReceiptKey:
    """Signs receipts; implements the `Signer` port."""

    signs_elsewhere = False

    def __init__(self, secret: bytes) -> None:
        """Load the key. Raises ValueError unless the secret has 32 bytes."""
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.secret = secret
        self.public_key = self._key.public_key().public_bytes_raw()

    def sign(self, digest: bytes) -> bytes:
        """Return the 64-byte signature of a digest, always the same for the same digest."""
        return self._key.sign(digest)


def open_receipt_key(folder: Path, has_deals: bool = False) -> ReceiptKey:
    """Return the key of a data folder; create it if it is missing. Raises StoreError if it cannot be used.

    With `has_deals` a missing key is an error too: another key would sign the receipts of old deals differently.
    """
    path = folder / KEY_FILE
    try:
        if not path.exists():
            if has_deals:
                raise StoreError(
                    f"the key {path} is missing, and this data folder has deals whose receipts it signed: put the key"
                    f" back, or if it is lost, write a new one with: head -c {KEY_BYTES} /dev/urandom > {path}"
                )
            write_private_file(path, os.urandom(KEY_BYTES))
        secret = path.read_bytes()
    except OSError as error:
        raise StoreError(f"cannot use the key {path}: {error.strerror}") from error
    if len(secret) != KEY_BYTES:
        raise StoreError(f"the key {path} is damaged: it has {len(secret)} bytes, expected {KEY_BYTES}")
    return ReceiptKey(secret)


def is_valid_signature(public_key: bytes, signature: bytes, digest: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, digest)
    except (InvalidSignature, ValueError):
        return False
    return True
