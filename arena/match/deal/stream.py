"""Derives all random values of a deal from one 32-byte key, so that other programs can recompute them.

This is the complete construction. Text is UTF-8, and numbers in labels are decimal without leading zeros:

    key     = as in `arena.match.deal.commitment`; the deal id is "given" if the user gave the seed
    label   = purpose "|" game "|" turn "|" index          for example  deck|0|0|0
    stream  = SHAKE-256(key ‖ label), as many bytes as needed
    salts   = the stream with the label  salt  : 32 bytes for each card of a deck

A stream is read as unsigned big-endian words of two bytes, or of four if the largest bound of a draw is above 65 536.
An *unbiased value below b* is the next word w modulo b. Words with w >= W - W mod b are skipped, where W is the number
of different words (65 536 or 2^32).

    values       `count` unbiased values below `faces`, in order; the largest bound is `faces`
    permutation  start from 0, 1, … count-1; for i = count-1 down to 1: j = unbiased value below i+1, swap i and j
                 (Fisher-Yates from the top); the largest bound is `count`

A draw depends only on the key and its own label. It does not depend on other draws or on their order.

A bot's own seed is independent of the deal's key:

    bot's seed = HMAC-SHA-256(key=the deal's seed, message="entrant|" deal id "|" entrant)

If several tables share a deal, "." and the table's number follow the deal id in this message.

No deal id contains "|", and no transcript begins with text. So this message never equals the message from which the
deal's key is made. A bot's seed reveals nothing about the deal's seed.
"""

import hashlib
import hmac
import struct
from collections.abc import Callable, Iterator

from arena.match.deal.commitment import HASH_BYTES, deal_key
from arena.match.game import ChanceRequest

SEED_BYTES = 32

_SHORT_WORDS = 1 << 16
_LONG_WORDS = 1 << 32


def new_seed(os_random: Callable[[int], bytes]) -> bytes:
    """Return a seed read from a source such as `os.urandom`. Raises ValueError if it has the wrong length."""
    return _check_seed(os_random(SEED_BYTES))


def entrant_seed(seed: bytes, match_id: str, entrant: int) -> bytes:
    """Return an entrant's own 32-byte seed, which is independent of the deal's key. `entrant` is 0-based."""
    if entrant < 0:
        raise ValueError(f"entrant {entrant} must not be negative")
    label = f"entrant|{_check_id(match_id)}|{entrant}"
    return hmac.digest(_check_seed(seed), label.encode(), "sha256")


class SeededChance:
    """The chance draws of one match; implements `ChanceSource`.

    >>> chance = SeededChance(bytes(32), "match")
    >>> sorted(chance.draw(0, ChanceRequest("deck", turn=0, index=0, count=4)))
    [0, 1, 2, 3]
    """

    __slots__ = ("_key",)

    def __init__(self, seed: bytes, match_id: str, contributed: bytes = b"") -> None:
        """`contributed` is the transcript of the bots' entropy."""
        self._key = deal_key(_check_seed(seed), _check_id(match_id), contributed)

    def draw(self, game: int, chance: ChanceRequest) -> tuple[int, ...]:
        """Return the values of a draw; `game` is the 0-based number of the game. If `faces` is 0, draw a permutation.

        Raises ValueError if `count` or `faces` is negative, or if `purpose` contains "|".
        """
        count, faces = chance.count, chance.faces
        if count < 0 or faces < 0 or "|" in chance.purpose:
            raise ValueError(f"cannot draw {chance!r}: expected non-negative counts and a purpose without '|'")
        stream = hashlib.shake_256(self._key)
        stream.update(f"{chance.purpose}|{game}|{chance.turn}|{chance.index}".encode())
        return _draw_values(stream.digest, count, faces) if faces else _draw_permutation(stream.digest, count)

    def salts(self, count: int) -> list[bytes]:
        """Return one 32-byte salt for each card of a deck's hash tree."""
        stream = hashlib.shake_256(self._key + b"salt").digest(count * HASH_BYTES)
        return [stream[start : start + HASH_BYTES] for start in range(0, len(stream), HASH_BYTES)]


_ReadStream = Callable[[int], bytes]
"""Returns the first n bytes of a stream; a longer read starts with the bytes of a shorter one."""


def _draw_permutation(read: _ReadStream, count: int) -> tuple[int, ...]:
    """Shuffle 0..count-1, Fisher-Yates from the top."""
    words, size = _read_words(read, count, count)
    order = list(range(count))
    for top in range(count - 1, 0, -1):
        bound = top + 1
        limit = size - size % bound
        word = next(words)
        while word >= limit:
            word = next(words)
        chosen = word % bound
        order[top], order[chosen] = order[chosen], order[top]
    return tuple(order)


def _draw_values(read: _ReadStream, count: int, faces: int) -> tuple[int, ...]:
    words, size = _read_words(read, count, faces)
    limit = size - size % faces
    accepted: list[int] = []
    while len(accepted) < count:
        word = next(words)
        if word < limit:
            accepted.append(word % faces)
    return tuple(accepted)


def _read_words(read: _ReadStream, count: int, bound: int) -> tuple[Iterator[int], int]:
    """Return an endless iterator over the words of a stream, and how many different words exist.

    `count` says about how many words will be needed.
    """
    if bound <= _SHORT_WORDS:
        return _unpack_words(read, "H", 2, count), _SHORT_WORDS
    if bound <= _LONG_WORDS:
        return _unpack_words(read, "I", 4, count), _LONG_WORDS
    raise ValueError(f"cannot draw among {bound} values: expected at most {_LONG_WORDS}")


def _unpack_words(read: _ReadStream, code: str, width: int, count: int) -> Iterator[int]:
    """Yield the words of a stream. The first read gets about `count` words; each further read doubles their number."""
    start, stop = 0, count + count // 4 + 8  # a quarter more than needed covers most rejected words
    while True:
        yield from struct.unpack(f">{stop - start}{code}", read(stop * width)[start * width :])
        start, stop = stop, stop * 2


def _check_seed(seed: bytes) -> bytes:
    if len(seed) != SEED_BYTES:
        raise ValueError(f"invalid seed of {len(seed)} bytes: expected {SEED_BYTES}")
    return bytes(seed)


def _check_id(match_id: str) -> str:
    if not match_id or "|" in match_id:
        raise ValueError(f"invalid match id {match_id!r}: expected non-empty text without '|'")
    return match_id
