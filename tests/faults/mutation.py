"""Changes bytes as a fuzzer does: few enough that most of a message survives, so that they reach deep."""

from collections.abc import Callable, Sequence
from random import Random

EXTREMES = (
    b"",
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80" * 9 + b"\x01",
    b"\xff" * 10,
    b"\x0a\xff\xff\xff\xff\x0f",
    b"\xed\xa0\x80",
)
"""Bytes at the limits of what protobuf reads: varints of 10 bytes, a length of 4 GiB, a surrogate in UTF-8."""


def flip_bit(raw: bytes, random: Random) -> bytes:
    """Change one bit."""
    at = random.randrange(len(raw))
    return raw[:at] + bytes((raw[at] ^ 1 << random.randrange(8),)) + raw[at + 1 :]


def cut_short(raw: bytes, random: Random) -> bytes:
    """Keep only the beginning."""
    return raw[: random.randrange(len(raw))]


def insert_extreme(raw: bytes, random: Random) -> bytes:
    """Put bytes at the limits somewhere, or in the place of a byte."""
    at = random.randrange(len(raw))
    return raw[:at] + random.choice(EXTREMES) + raw[at + random.randrange(2) :]


def repeat_part(raw: bytes, random: Random) -> bytes:
    """Say a part again, up to 50 times."""
    first, last = sorted(random.choices(range(len(raw) + 1), k=2))
    return raw[:last] + raw[first:last] * random.randrange(1, 50) + raw[last:]


def remove_part(raw: bytes, random: Random) -> bytes:
    """Leave a part out."""
    first, last = sorted(random.choices(range(len(raw) + 1), k=2))
    return raw[:first] + raw[last:]


def add_noise(raw: bytes, random: Random) -> bytes:
    """Append random bytes."""
    return raw + random.randbytes(random.randrange(1, 40))


_MUTATIONS: Sequence[Callable[[bytes, Random], bytes]] = (
    flip_bit, flip_bit, cut_short, insert_extreme, repeat_part, remove_part, add_noise
)  # fmt: skip


def mutate(raw: bytes, random: Random) -> bytes:
    """Return changed bytes; now and then the bytes as they are, since a sequence may be what is wrong."""
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        if raw:
            raw = random.choice(_MUTATIONS)(raw, random)
    return raw
