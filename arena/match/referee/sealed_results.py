"""Keeps the cards of a shared deal out of the store while another table still plays them.

A table's results are stored when it ends. If its deal is shared, its events and the actions of its strikes are sealed
by the deal's seed, which the store gets once the last table has ended. Everything else stays readable.

    tag    = the first 16 bytes of HMAC-SHA-256(key=seed, message="sealed|" place "|" content)
    sealed = "sealed " ‖ tag ‖ (content XOR SHAKE-256(seed ‖ tag))

A place is unique among the results of a deal. No other message under this key begins with "sealed|".
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from arena.match.referee.match_record import MatchRecord
from arena.match.referee.ports import GameRow, MatchRow

_MARK: Final = b"sealed "
"""Begins what is sealed. Neither compressed events nor the text of an action begins so."""
_TAG_BYTES: Final = 16
_ACTIONS: Final = ("action", "automatic")
"""The fields of a stored strike that name cards."""

Faults = Sequence[Mapping[str, Any]]
"""The strikes of a match as its row has them."""


def seal_record(record: MatchRecord, seed: bytes) -> MatchRecord:
    """Return the record of a match whose deal, which has this seed, other tables may still play."""
    match_id = record.match.match_id
    games = tuple(replace(game, events=_seal(game.events, seed, f"{match_id}|{game.game}")) for game in record.games)
    faults = tuple(
        {**fault, **{name: _seal_text(fault[name], seed, f"{match_id}|{number}|{name}") for name in _ACTIONS}}
        for number, fault in enumerate(record.match.faults)
    )
    return MatchRecord(replace(record.match, faults=faults), games)


def open_results(match: MatchRow, games: Iterable[GameRow], seed: bytes) -> tuple[MatchRow, Sequence[GameRow]]:
    """Return a stored match and its games without seals. Raises ValueError for faults sealed by another seed."""
    return replace(match, faults=open_faults(match.faults, seed)), open_games(games, seed)


def open_games(games: Iterable[GameRow], seed: bytes) -> Sequence[GameRow]:
    return [replace(game, events=_open(game.events, seed)) if game.events.startswith(_MARK) else game for game in games]


def open_faults(faults: Faults, seed: bytes | None) -> tuple[Mapping[str, Any], ...]:
    """Return faults without seals; without a seed, sealed actions become empty. Raises ValueError for another seed."""
    return tuple({name: _open_text(value, seed) for name, value in fault.items()} for fault in faults)


def has_sealed_games(games: Iterable[GameRow]) -> bool:
    return any(game.events.startswith(_MARK) for game in games)


def has_sealed_faults(faults: Faults) -> bool:
    return any(_is_sealed_text(fault.get(name)) for fault in faults for name in _ACTIONS)


def _seal_text(text: str, seed: bytes, place: str) -> str:
    """An empty text, which names no card, stays so."""
    return _MARK.decode() + _seal(text.encode(), seed, place).removeprefix(_MARK).hex() if text else text


def _open_text(value: Any, seed: bytes | None) -> Any:
    if not _is_sealed_text(value):
        return value
    return "" if seed is None else _open(_MARK + bytes.fromhex(value[len(_MARK) :]), seed).decode()


def _is_sealed_text(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(_MARK.decode())


def _seal(content: bytes, seed: bytes, place: str) -> bytes:
    tag = hmac.digest(seed, b"sealed|" + place.encode() + b"|" + content, hashlib.sha256)[:_TAG_BYTES]
    return _MARK + tag + _mask(content, seed, tag)


def _open(sealed: bytes, seed: bytes) -> bytes:
    start = len(_MARK) + _TAG_BYTES
    return _mask(sealed[start:], seed, sealed[len(_MARK) : start])


def _mask(content: bytes, seed: bytes, tag: bytes) -> bytes:
    stream = hashlib.shake_256(seed + tag).digest(len(content))
    return (int.from_bytes(content, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(content), "big")
