"""Raid on the wire: what a new game adds, without any change of the arena.

The contract has no messages for Raid. So each of its values travels in a field whose number the contract does not use;
parsed messages keep such fields. The field holds the value as JSON: the name of its type and its fields.
"""

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from arena.errors import NotationError
from arena.plain_data import from_plain, to_plain
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.protobuf_encoding import encode_delimited, encode_tag
from cheatarena.v1 import decision_pb2, event_pb2, ruleset_pb2, snapshot_pb2
from tests.support import toy_game
from tests.support.toy_game import RAID

_FIELD = 1000
"""Number of the field that carries a value of Raid."""


def _encode(value: Any) -> bytes:
    return encode_delimited(encode_tag(_FIELD, 2), json.dumps([type(value).__name__, to_plain(value)]).encode())


def decode_raid(message: Message) -> tuple[str, dict[str, Any]] | None:
    """Return the type's name and the fields of the value of Raid in a message; None if there is none."""
    fields_of: Any = UnknownFieldSet(message)
    for field in fields_of:
        if field.field_number == _FIELD:
            name, fields = json.loads(field.data)
            return name, fields
    return None


def raid_decision(text: str) -> decision_pb2.Decision:
    """Return a decision with an action given in its text form: `aim 1`, `take 2`, `block`."""
    return decision_pb2.Decision.FromString(
        encode_delimited(encode_tag(_FIELD, 2), json.dumps(["text", text]).encode())
    )


def _encode_event(part: Any) -> event_pb2.Event:
    return event_pb2.Event.FromString(_encode(part))


def _put(message: Message, value: Any) -> None:
    message.MergeFromString(_encode(value))


def _put_options(message: decision_pb2.Prompt, options: Any) -> None:
    """Put options into an otherwise empty CheaterAct, because the SDK tells questions apart by their fields."""
    _put(message.cheater_act, options)


def _read_action(decision: decision_pb2.Decision) -> Any | None:
    found = decode_raid(decision)
    try:
        return None if found is None else RAID.read_action(str(found[1]))
    except NotationError:
        return None


def _read_options(message: ruleset_pb2.Ruleset) -> Mapping[str, object]:
    found = decode_raid(message)
    return {} if found is None else found[1]


def _read_fact(event: event_pb2.Event, _rules: Any) -> Any | None:
    found = decode_raid(event)
    kinds = {kind.__name__: kind for kind in _PARTS}
    return None if found is None else from_plain(found[1], kinds[found[0]])


def _read_snapshot(message: snapshot_pb2.SeatSnapshot, _rules: Any) -> Any | None:
    found = decode_raid(message)
    return None if found is None else from_plain(found[1], toy_game.Snapshot)


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
    put_ruleset=_put,
    put_snapshot=_put,
    read_action=_read_action,
    read_options=_read_options,
    read_fact=_read_fact,
    read_snapshot=_read_snapshot,
)
