"""Every random value of a deal, from one key of 32 bytes, so that another program can redo each of them.

The construction, complete; text is UTF-8, numbers in labels are decimal without leading zeros:

    key     = as `arena.deal.commitment` says; the deal id is "given" where somebody gave the seed
    label   = purpose "|" game "|" turn "|" index          for example  deck|0|0|0
    stream  = SHAKE-256(key ‖ label), as many bytes as needed
    salts   = the stream of the label  salt  , 32 bytes for each card of a deck

A stream is read as unsigned big-endian words of two bytes, of four where the largest bound of the draw is above 65 536.
An *unbiased value below b* is the next word w modulo b, where a word is skipped if w >= W - W mod b, W being the number
of different words (65 536 or 2^32).

    values       `count` unbiased values below `faces`, in order; the largest bound is `faces`
    permutation  start from 0, 1, … count-1; for i = count-1 down to 1: j = unbiased value below i+1, swap i and j
                 (Fisher-Yates from the top); the largest bound is `count`

A draw depends on its own label alone: not on what was drawn before, how often, or in which order.

A bot's own seed stands apart from every deck: HMAC-SHA-256(key=seed, message="entrant|" deal id "|" entrant). No deal
id has a "|" and no transcript begins with text, so no deck's key can equal it, and nobody who has it learns anything of
the seed.
"""

import hashlib
import hmac
import struct
from collections.abc import Callable, Iterator

from arena.deal.commitment import HASH_BYTES, deal_key
from arena.rules.game import ChanceRequest

SEED_BYTES = 32
"""Length of a seed."""

_SHORT_WORDS = 1 << 16
_LONG_WORDS = 1 << 32


def new_seed(os_random: Callable[[int], bytes]) -> bytes:
    """Take a seed from a source such as `os.urandom`. Raises ValueError when it gives another length."""
    return _check_seed(os_random(SEED_BYTES))


def entrant_seed(seed: bytes, match_id: str, entrant: int) -> bytes:
    """Give the 32 bytes from which an entrant (0-based) draws for itself, apart from every deck."""
    if entrant < 0:
        raise ValueError(f"entrant {entrant} must not be negative")
    label = f"entrant|{_check_id(match_id)}|{entrant}"
    return hmac.digest(_check_seed(seed), label.encode(), "sha256")


class SeededChance:
    """Draws what the games of one match ask for; a `ChanceSource`.

    >>> chance = SeededChance(bytes(32), "match")
    >>> sorted(chance.draw(0, ChanceRequest("deck", turn=0, index=0, count=4)))
    [0, 1, 2, 3]
    """

    __slots__ = ("_key",)

    def __init__(self, seed: bytes, match_id: str, contributed: bytes = b"") -> None:
        """`contributed`: the transcript of what bots added."""
        self._key = deal_key(_check_seed(seed), _check_id(match_id), contributed)

    def draw(self, game: int, chance: ChanceRequest) -> tuple[int, ...]:
        """Give the values for a chance of the 0-based game: a permutation where it has no faces.

        Raises ValueError for a negative count or number of faces, or a purpose with "|" in it.
        """
        count, faces = chance.count, chance.faces
        if count < 0 or faces < 0 or "|" in chance.purpose:
            raise ValueError(f"cannot draw {chance!r}: expected counts that are not negative and no '|' in the purpose")
        stream = hashlib.shake_256(self._key)
        stream.update(f"{chance.purpose}|{game}|{chance.turn}|{chance.index}".encode())
        return _draw_values(stream.digest, count, faces) if faces else _draw_permutation(stream.digest, count)

    def salts(self, count: int) -> list[bytes]:
        """Give 32 bytes for each card of a deck, which hide it in its hash tree."""
        stream = hashlib.shake_256(self._key + b"salt").digest(count * HASH_BYTES)
        return [stream[start : start + HASH_BYTES] for start in range(0, len(stream), HASH_BYTES)]


_ReadStream = Callable[[int], bytes]
"""The first n bytes of a stream; a longer reading begins with the shorter one."""


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
    """Draw independent values below `faces`."""
    words, size = _read_words(read, count, faces)
    limit = size - size % faces
    accepted = (word % faces for word in words if word < limit)
    return tuple(next(accepted) for _ in range(count))


def _read_words(read: _ReadStream, count: int, bound: int) -> tuple[Iterator[int], int]:
    """Give the endless words of a stream and how many different ones there are. `count` is how many may be wanted."""
    if bound <= _SHORT_WORDS:
        return _unpack_words(read, "H", 2, count), _SHORT_WORDS
    if bound <= _LONG_WORDS:
        return _unpack_words(read, "I", 4, count), _LONG_WORDS
    raise ValueError(f"cannot draw among {bound} values: expected at most {_LONG_WORDS}")


def _unpack_words(read: _ReadStream, code: str, width: int, count: int) -> Iterator[int]:
    """Read words, first as many as are likely to be enough, then twice as many each time."""
    start, stop = 0, count + count // 4 + 8
    while True:
        yield from struct.unpack(f">{stop - start}{code}", read(stop * width)[start * width :])
        start, stop = stop, stop * 2


def _check_seed(seed: bytes) -> bytes:
    """Return the seed. Raises ValueError where it is not 32 bytes."""
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed of {len(seed)} bytes is refused: expected {SEED_BYTES}")
    return bytes(seed)


def _check_id(match_id: str) -> str:
    """Return the match id. Raises ValueError where it is empty or holds the mark between the parts of a label."""
    if not match_id or "|" in match_id:
        raise ValueError(f"match id {match_id!r} is refused: expected some text without '|'")
    return match_id
