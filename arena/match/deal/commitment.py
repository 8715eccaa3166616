"""The commitment to a deal, and the key made from its seed and the bots' entropy.

Every hash is SHA-256. `joined` is `join_fields`: each field after its length (u32, big-endian).

    rules hash     = SHA-256(canonical JSON of {"game", "rules_version", "ruleset"})
    commitment C   = SHA-256(joined("deal-v1", deal id, rules hash, S))                S: 32 secret bytes
    bot's promise  = SHA-256(e)                                                        e: 32 bytes that a bot chose
    transcript     = joined(entrant as u32, promise, e, entrant as u32, promise, e …)  in the order of entrants
    key K          = HMAC-SHA-256(key=S, message=deal id)                              if no bot contributed
                   = HMAC-SHA-256(key=S, message=deal id ‖ "|" ‖ transcript)           otherwise
    link n         = SHA-256(joined("chain-v1", link n-1, commitment n))               link 0: 32 zero bytes

If a bot did not reveal its `e`, or if its `e` does not match its promise, `e` is empty in the transcript. No deal id
contains "|".
"""

import hashlib
import hmac
import struct
from collections.abc import Iterable, Mapping
from typing import Any

from arena.match.value_class import value_class
from arena.plain_data import canonical_json

HASH_BYTES = 32
"""Length of every hash, secret and salt."""

GENESIS_LINK = bytes(HASH_BYTES)
"""Predecessor of the first link of a chain."""

_NUMBER = struct.Struct(">I")


@value_class()
class Contribution:
    """The entropy that one bot adds to a deal."""

    entrant: int
    """0-based."""
    promise: bytes
    """SHA-256 of the entropy, 32 bytes."""
    entropy: bytes = b""
    """32 bytes; empty if the bot did not reveal what it had promised."""
    fault: str = ""
    """Why `entropy` is empty: `missing`, or `mismatch` if the bot revealed something else. This text is not hashed."""


def rules_hash(game: str, version: str, ruleset: Mapping[str, Any]) -> bytes:
    """Return the hash of game, rules version and ruleset. `ruleset` has every option as a plain value."""
    return hashlib.sha256(canonical_json({"game": game, "rules_version": version, "ruleset": dict(ruleset)})).digest()


def commitment_hash(deal_id: str, rules: bytes, seed: bytes) -> bytes:
    """Return the hash that is published before the first card. It hides the seed, and no other seed gives this hash."""
    return hashlib.sha256(join_fields(b"deal-v1", deal_id.encode(), rules, seed)).digest()


def promise_hash(entropy: bytes) -> bytes:
    """Return the hash of a bot's entropy. The bot first sends this hash as its promise, and later the entropy."""
    return hashlib.sha256(entropy).digest()


def is_promised_entropy(entropy: bytes, promised: bytes) -> bool:
    return len(entropy) == HASH_BYTES and hmac.compare_digest(promise_hash(entropy), promised)


def transcript(contributions: Iterable[Contribution]) -> bytes:
    """Return all contributions as bytes for hashing, in the order of entrants; empty if there are none."""
    ordered = sorted(contributions, key=lambda each: each.entrant)
    fields = [(_NUMBER.pack(each.entrant), each.promise, each.entropy) for each in ordered]
    return join_fields(*[field for three in fields for field in three])


def deal_key(seed: bytes, deal_id: str, contributed: bytes = b"") -> bytes:
    """Return the key of all random values of a deal. `contributed` is the transcript."""
    return hmac.digest(seed, deal_id.encode() + (b"|" + contributed if contributed else b""), "sha256")


def next_link(previous: bytes, committed: bytes) -> bytes:
    """Return the chain link of a commitment. The link changes if any earlier commitment is dropped or changed."""
    return hashlib.sha256(join_fields(b"chain-v1", previous, committed)).digest()


_LENGTH = struct.Struct(">I")


def join_fields(*fields: bytes) -> bytes:
    """Return the fields, each after its length (four bytes, big-endian). Different lists give different bytes.

    >>> join_fields(b"ab", b"").hex(" ")
    '00 00 00 02 61 62 00 00 00 00'
    """
    return b"".join([_LENGTH.pack(len(field)) + field for field in fields])
