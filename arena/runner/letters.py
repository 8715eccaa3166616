"""Values as they travel between a runner and its nodes: JSON, in which a value that JSON lacks is tagged with its kind.

    {"$": "bytes", "of": "YWI="}        {"$": "PlayedGame", "of": {"game": 0, "places": [1, 2], …}}

The kinds are listed here; what is of no such kind is refused on both ends. Both ends are one version of the arena.
"""

import base64
import json
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path, PosixPath, WindowsPath
from typing import Any, Final

from arena import errors
from arena.errors import ArenaError, ProtocolError
from arena.games.catalogue import games
from arena.launch.programs import BotProgram, RemoteBot
from arena.match.deal import DealSecret
from arena.match.pace import Pace
from arena.match.ports import DealRow, GameRow, MatchRow
from arena.match.terms import Seating, Terms, describe_terms, terms_from_plain
from arena.node.shared_table import SharedTable
from arena.rpc.client import MatchOrder, MatchReport, PlayedGame
from arena.rules.game import Style
from arena.runner.bot_entrant import BotEntrant
from arena.runner.job import MatchJob, MatchJobResult, NodeSetup, ResourceUsage
from arena.runner.match_bots import BotExit
from arena.store.token_identity import Revocations, TokenIdentity

_TAG: Final = "$"
_RECORDS: Final[Mapping[str, type[Any]]] = {
    kind.__name__: kind
    for kind in (
        BotProgram,
        DealRow,
        DealSecret,
        GameRow,
        TokenIdentity,
        MatchJob,
        BotExit,
        MatchOrder,
        MatchReport,
        MatchRow,
        Pace,
        MatchJobResult,
        PlayedGame,
        BotEntrant,
        RemoteBot,
        Revocations,
        NodeSetup,
        SharedTable,
        ResourceUsage,
    )
}
"""Made of their fields, in which a list is a tuple."""
_OTHERS: Final[Mapping[type, tuple[str, Callable[[Any], Any]]]] = {
    bytes: ("bytes", lambda value: base64.b64encode(value).decode()),
    frozenset: ("frozenset", sorted),
    Terms: ("Terms", lambda terms: dict(describe_terms(terms))),
    PosixPath: ("Path", str),
    WindowsPath: ("Path", str),
}
_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "bytes": base64.b64decode,
    "frozenset": frozenset,
    "Path": Path,
    "Seating": Seating,
    "Style": Style,
    "Terms": lambda of: terms_from_plain(of, games()),
    "error": lambda of: _error(*of),
}


def packed(value: Any) -> bytes:
    """Write a value. Raises TypeError for a kind that does not travel."""
    return json.dumps(value, default=_tagged, separators=(",", ":")).encode()


def unpacked(data: bytes) -> Any:
    """Read a value. Raises ProtocolError where it is none."""
    try:
        return json.loads(data, object_hook=_read)
    except (ValueError, TypeError, KeyError) as error:
        raise ProtocolError(f"a letter cannot be read: {error}") from error


def _tagged(value: Any) -> dict[str, Any]:
    kind = type(value)
    if kind.__name__ in _RECORDS:
        return {_TAG: kind.__name__, "of": {name: getattr(value, name) for name in kind.__dataclass_fields__}}
    if kind in _OTHERS:
        name, plain = _OTHERS[kind]
        return {_TAG: name, "of": plain(value)}
    if isinstance(value, Enum):
        return {_TAG: kind.__name__, "of": value.value}
    if isinstance(value, Exception):
        return {_TAG: "error", "of": [_kind_of(value), str(value), getattr(value, "__notes__", [])]}
    raise TypeError(f"a {kind.__name__} does not travel")


def _read(values: dict[str, Any]) -> Any:
    """Read what stands in braces: a tagged value, or a mapping."""
    if _TAG not in values:
        return values
    kind, of = values[_TAG], values["of"]
    if kind in _RECORDS:
        return _RECORDS[kind](**{name: tuple(each) if isinstance(each, list) else each for name, each in of.items()})
    return _READERS[kind](of)


def _kind_of(error: Exception) -> str:
    """The nearest of our errors that is made of its text alone."""
    return next((kind.__name__ for kind in type(error).__mro__ if _is_plain(kind)), ArenaError.__name__)


def _is_plain(kind: type) -> bool:
    return (
        issubclass(kind, ArenaError) and getattr(errors, kind.__name__, None) is kind and "__init__" not in vars(kind)
    )


def _error(kind: str, text: str, notes: list[str]) -> ArenaError:
    error: ArenaError = getattr(errors, kind)(text)
    for note in notes:
        error.add_note(note)
    return error
