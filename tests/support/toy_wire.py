"""Raid on the wire: what a new game brings along, and nothing of the arena changed for it.

The contract has no messages for Raid, so its values travel as fields of numbers that the contract does not use;
messages that are parsed keep such fields. Each holds a value as JSON: its type's name and its fields.
"""

import json
from typing import Any

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from arena.errors import NotationError
from arena.plain_data import to_plain
from arena.wire.game_codec import GameCodec
from arena.wire.protobuf_encoding import encode_delimited, encode_tag
from cheatarena.v1 import decision_pb2, event_pb2, ruleset_pb2, snapshot_pb2
from tests.support import toy_game
from tests.support.toy_game import RAID

_FIELD = 1000
"""Of every message that carries something of Raid."""


def _encode(value: Any) -> bytes:
    return encode_delimited(encode_tag(_FIELD, 2), json.dumps([type(value).__name__, to_plain(value)]).encode())


def decode_raid(message: Message) -> tuple[str, dict[str, Any]] | None:
    """Give the name and the fields of what a message carries of Raid; None: nothing."""
    fields_of: Any = UnknownFieldSet(message)
    for field in fields_of:
        if field.field_number == _FIELD:
            name, fields = json.loads(field.data)
            return name, fields
    return None


def raid_decision(text: str) -> decision_pb2.Decision:
    """Make a decision with an action in its text form: `aim 1`, `take 2`, `block`."""
    return decision_pb2.Decision.FromString(
        encode_delimited(encode_tag(_FIELD, 2), json.dumps(["text", text]).encode())
    )


def _encode_event(part: Any) -> event_pb2.Event:
    return event_pb2.Event.FromString(_encode(part))


def _put(message: Message, value: Any) -> None:
    message.MergeFromString(_encode(value))


def _put_options(message: decision_pb2.Prompt, options: Any) -> None:
    """The SDK knows a question by its field, so that Raid's options need one: they lie in an empty one of CHEATER."""
    _put(message.cheater_act, options)


def _put_ruleset(message: ruleset_pb2.Ruleset, rules: Any) -> None:
    _put(message, rules)


def _put_snapshot(message: snapshot_pb2.SeatSnapshot, seen: Any) -> None:
    _put(message, seen)


def _read_action(decision: decision_pb2.Decision) -> Any | None:
    found = decode_raid(decision)
    try:
        return None if found is None else RAID.read_action(str(found[1]))
    except NotationError:
        return None


_PARTS = (
    toy_game.Aimed,
    toy_game.CupsCovered,
    toy_game.CupsLifted,
    toy_game.DieRolled,
    toy_game.OwnCup,
    toy_game.Reacted,
    toy_game.SeatLeft,
    toy_game.Taken,
)

RAID_WIRE = GameCodec(
    game=RAID,
    facts=dict.fromkeys(_PARTS, _encode_event),
    put_options=_put_options,
    put_ruleset=_put_ruleset,
    put_snapshot=_put_snapshot,
    read_action=_read_action,
)
