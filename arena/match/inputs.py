"""The inputs of a match and their records: 20 to 40 bytes each, from which the match can be played again exactly.

A record is a header (kind, match number, instant, lag) and what the kind needs. Instants are microseconds on the node's
clock; lag is how much later the input was dealt with. Little-endian throughout.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from arena.errors import JournalError
from arena.plain_data import canonical_json


class InputKind(IntEnum):
    """What a record is about. Numbers are never reused."""

    BEGIN = 1
    ANSWER = 2
    TICK = 3
    DRAWN = 4
    LOST = 5
    BACK = 6
    LEAVE = 7
    READY = 8
    CREDIT = 9
    CANCEL = 10
    REJECT = 11
    DEAL = 12


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that happened to a match."""

    kind: InputKind
    match: int
    """The match's number on its node."""
    at: int
    now: int
    entrant: int = 0
    prompt_id: int = 0
    action_id: int = 0
    text: str = ""
    """ANSWER: the action in the game's text form. REJECT: the reason. CANCEL: the termination."""
    note: str = ""
    values: tuple[int, ...] = ()
    """DRAWN: the values. CREDIT: the microseconds."""
    begin: Mapping[str, Any] | None = field(default=None, repr=False)
    """BEGIN: match id, terms, absent entrants, contributions. DEAL: the match's deal with all its secrets."""


_HEAD = struct.Struct("<BIQI")
_ANSWER = struct.Struct("<BIQIBIIIH")
_ENTRANT = struct.Struct("<BIQIB")
_U32 = struct.Struct("<I")
_MAX_LAG = 0xFFFF_FFFF
_ANSWER_KIND, _DRAWN_KIND = int(InputKind.ANSWER), int(InputKind.DRAWN)
_WIDTHS = ("B", "H", "Q")
"""How wide drawn values are written, as `struct` calls it."""


def write_answer(
    match: int, at: int, now: int, entrant: int, prompt_id: int, action_id: int, text: str, note: str
) -> bytes:
    """Record of a decision; the one that is written for every prompt."""
    raw, remark = text.encode(), note.encode() if note else b""
    lag = min(now - at, _MAX_LAG) if now > at else 0
    return (
        _ANSWER.pack(_ANSWER_KIND, match, at, lag, entrant, prompt_id, action_id, len(raw), len(remark)) + raw + remark
    )


def write_draw(match: int, at: int, now: int, values: Sequence[int]) -> bytes:
    """Record of drawn values; with dice there is one for every turn."""
    return _HEAD.pack(_DRAWN_KIND, match, at, _lag(at, now)) + _pack_values(values)


def write_record(entry: Input) -> bytes:
    """Record of any input; `read_record` gives it back."""
    lag = _lag(entry.at, entry.now)
    match entry.kind:
        case InputKind.ANSWER | InputKind.REJECT:
            raw, remark = entry.text.encode(), entry.note.encode()
            numbers = (entry.entrant, entry.prompt_id, entry.action_id, len(raw), len(remark))
            return _ANSWER.pack(entry.kind, entry.match, entry.at, lag, *numbers) + raw + remark
        case InputKind.LOST | InputKind.BACK | InputKind.LEAVE | InputKind.READY:
            return _ENTRANT.pack(entry.kind, entry.match, entry.at, lag, entry.entrant)
        case InputKind.BEGIN | InputKind.DEAL:
            return _HEAD.pack(entry.kind, entry.match, entry.at, lag) + canonical_json(entry.begin)
        case InputKind.DRAWN | InputKind.CREDIT:
            return _HEAD.pack(entry.kind, entry.match, entry.at, lag) + _pack_values(entry.values)
        case InputKind.TICK | InputKind.CANCEL:
            return _HEAD.pack(entry.kind, entry.match, entry.at, lag) + entry.text.encode()


def read_record(record: bytes) -> Input:
    """Read a record. Raises JournalError when it is not one of this version."""
    try:
        kind = InputKind(record[0])
        _, match, at, lag = _HEAD.unpack_from(record)
        rest = record[_HEAD.size :]
        return _read_rest(kind, match, at, at + lag, rest, record)
    except (ValueError, IndexError, struct.error, UnicodeDecodeError) as error:
        raise JournalError(f"a journal record cannot be read ({error}): it is of another version or damaged") from error


def match_number_of(record: bytes) -> int:
    """The match number of a record, without reading the rest."""
    return int(_U32.unpack_from(record, 1)[0])


def record_times(record: bytes) -> tuple[int, int]:
    """When the input of a record happened, and when it was dealt with."""
    _, _, at, lag = _HEAD.unpack_from(record)
    return at, at + lag


def rebase_record(record: bytes, match: int, us: int) -> bytes:
    """The same record for another match number, so many microseconds later."""
    kind, _, at, lag = _HEAD.unpack_from(record)
    return _HEAD.pack(kind, match, at + us, lag) + record[_HEAD.size :]


def _read_rest(kind: InputKind, match: int, at: int, now: int, rest: bytes, record: bytes) -> Input:
    match kind:
        case InputKind.ANSWER | InputKind.REJECT:
            *_, entrant, prompt_id, action_id, length, note_length = _ANSWER.unpack_from(record)
            raw = record[_ANSWER.size :]
            text, note = raw[:length].decode(), raw[length : length + note_length].decode()
            return Input(kind, match, at, now, entrant, prompt_id, action_id, text, note)
        case InputKind.LOST | InputKind.BACK | InputKind.LEAVE | InputKind.READY:
            return Input(kind, match, at, now, entrant=rest[0])
        case InputKind.BEGIN | InputKind.DEAL:
            return Input(kind, match, at, now, begin=json.loads(rest))
        case InputKind.DRAWN | InputKind.CREDIT:
            return Input(kind, match, at, now, values=_unpack_values(rest))
        case InputKind.TICK | InputKind.CANCEL:
            return Input(kind, match, at, now, text=rest.decode())


def _lag(at: int, now: int) -> int:
    return min(now - at, _MAX_LAG) if now > at else 0


def _pack_values(values: Sequence[int]) -> bytes:
    """One byte each where they fit, else two or eight; the width goes first."""
    largest = max(values, default=0)
    if largest < 1 << 8:
        return b"B" + bytes(values)
    code = "H" if largest < 1 << 16 else "Q"
    return code.encode() + struct.pack(f"<{len(values)}{code}", *values)


def _unpack_values(raw: bytes) -> tuple[int, ...]:
    code = raw[:1].decode()
    if code not in _WIDTHS:
        raise ValueError(f"values of width {code!r}")
    width = struct.calcsize(f"<{code}")
    return struct.unpack(f"<{(len(raw) - 1) // width}{code}", raw[1:])
