"""What is promised before a deal is used, and how the promise and the bots' own entropy become its key.

Every hash is SHA-256. `joined` is `arena.deal.encoding.joined`: each field behind its length, four bytes, big-endian.

    rules hash     = SHA-256(canonical JSON of {"game", "rules_version", "ruleset"})
    commitment C   = SHA-256(joined("deal-v1", deal id, rules hash, S))                S: 32 secret bytes
    bot's promise  = SHA-256(e)                                                        e: 32 bytes that a bot chose
    transcript     = joined(entrant as u32, promise, e, entrant as u32, promise, e …)  in the order of entrants
    key K          = HMAC-SHA-256(key=S, message=deal id)                              where nobody contributed
                   = HMAC-SHA-256(key=S, message=deal id ‖ "|" ‖ transcript)           else
    link n         = SHA-256(joined("chain-v1", link n-1, commitment n))               link 0: 32 zero bytes

An `e` that its bot did not give, or that does not fit the promise, is empty in the transcript. No deal id has a "|".
"""

import hashlib
import hmac
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.deal.encoding import join_fields
from arena.plain_data import canonical_json

HASH_BYTES = 32
"""Length of every hash, secret and salt."""

GENESIS_LINK = bytes(HASH_BYTES)
"""What the first link of a chain follows."""

_NUMBER = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one bot adds to a deal's luck."""

    entrant: int
    """0-based."""
    promise: bytes
    """SHA-256 of the entropy, 32 bytes."""
    entropy: bytes = b""
    """32 bytes; empty where the bot did not give what it had promised."""
    fault: str = ""
    """Why it is empty: `missing`, or `mismatch` for something else than was promised. Hashed nowhere."""


def rules_hash(game: str, version: str, ruleset: Mapping[str, Any]) -> bytes:
    """Hash of what is played; `ruleset` holds every option as a plain value."""
    return hashlib.sha256(canonical_json({"game": game, "rules_version": version, "ruleset": dict(ruleset)})).digest()


def commitment_hash(deal_id: str, rules: bytes, seed: bytes) -> bytes:
    """What is published before the first card: it tells nothing of the seed, and fits no other one."""
    return hashlib.sha256(join_fields(b"deal-v1", deal_id.encode(), rules, seed)).digest()


def promise_hash(entropy: bytes) -> bytes:
    """What a bot says of its entropy before it tells it."""
    return hashlib.sha256(entropy).digest()


def is_promised_entropy(entropy: bytes, promised: bytes) -> bool:
    """Tell whether this is the entropy that was promised."""
    return len(entropy) == HASH_BYTES and hmac.compare_digest(promise_hash(entropy), promised)


def transcript(contributions: Iterable[Contribution]) -> bytes:
    """All contributions as the bytes that are hashed; empty where there are none."""
    ordered = sorted(contributions, key=lambda each: each.entrant)
    fields = [(_NUMBER.pack(each.entrant), each.promise, each.entropy) for each in ordered]
    return join_fields(*[field for three in fields for field in three])


def deal_key(seed: bytes, deal_id: str, contributed: bytes = b"") -> bytes:
    """The key of everything random in a deal; `contributed` is a transcript."""
    return hmac.digest(seed, deal_id.encode() + (b"|" + contributed if contributed else b""), "sha256")


def next_link(previous: bytes, committed: bytes) -> bytes:
    """The link of a chain for this commitment, so that none before it can be dropped or changed unseen."""
    return hashlib.sha256(join_fields(b"chain-v1", previous, committed)).digest()
