"""The form of secrets: tokens, codes of invitations, login codes, web sessions. Only their hashes are stored.

    cat_ | rest of the handle (8) | secret part (32) | crc32 of everything before (6)

The numbers are lengths; these three parts consist of letters and digits (base 62). The secret part has 190 bits. The
handle identifies the secret and may be shown and logged. The checksum lets secret scanners tell a real secret from a
look-alike, and lets the arena refuse a mistyped secret without a lookup. Codes of invitations begin with `cai_`, login
codes with `cal_`, and the secrets of web sessions with `cas_`.
"""

import hmac
import re
import secrets
import zlib
from hashlib import sha256
from string import ascii_letters, digits
from typing import Final

SECRET_PATTERN: Final = r"\bca[tils]_[0-9A-Za-z]{46}\b"  # noqa: S105  a pattern, not a secret
"""Finds texts that look like secrets. `has_right_checksum` tells which of them are real."""
TOKEN_PREFIX: Final = "cat_"  # noqa: S105  the beginning of every token
INVITATION_PREFIX: Final = "cai_"
LOGIN_CODE_PREFIX: Final = "cal_"
WEB_SESSION_PREFIX: Final = "cas_"

_ALPHABET: Final = digits + ascii_letters
_HANDLE_LENGTH: Final = len(TOKEN_PREFIX) + 8
_RANDOM_LENGTH: Final = 40
_CHECKSUM_LENGTH: Final = 6
_NO_HASH: Final = bytes(32)


def make_secret(prefix: str) -> str:
    body = prefix + "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_LENGTH))
    return body + _compute_checksum(body)


def handle_of(secret: str) -> str:
    return secret[:_HANDLE_LENGTH]


def hash_secret(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


def is_secret_right(secret: str, stored_hash: bytes | None) -> bool:
    """Return whether a secret has this hash. The check takes the same time if the hash is None (an unknown secret)."""
    return hmac.compare_digest(_NO_HASH if stored_hash is None else stored_hash, hash_secret(secret))


def has_right_checksum(secret: str) -> bool:
    """Return whether a text has the form of a secret and the right checksum."""
    if re.fullmatch(SECRET_PATTERN, secret) is None:
        return False
    return secret[-_CHECKSUM_LENGTH:] == _compute_checksum(secret[:-_CHECKSUM_LENGTH])


def _compute_checksum(body: str) -> str:
    """Return the crc32 of a secret's body as six digits of base 62, most significant first."""
    rest, letters = zlib.crc32(body.encode()), ""
    for _ in range(_CHECKSUM_LENGTH):
        rest, digit = divmod(rest, len(_ALPHABET))
        letters = _ALPHABET[digit] + letters
    return letters
