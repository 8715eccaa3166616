"""Reads what spectators are told of CHEATER: the public facts and the snapshots of cheater.proto.

The inverse of the encoders in `messages.py`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from arena.games.cheater.rules import events, views
from arena.games.cheater.rules.ruleset import Ruleset
from arena.games.cheater.rules.state import PendingAttack, Phase
from arena.games.cheater.wire.messages import ATTACK_NUMBERS, TITLE_NUMBERS
from arena.match.game import Seat
from cheatarena.v1 import cheater_pb2, event_pb2, ruleset_pb2, snapshot_pb2

_ATTACKS = {number: attack for attack, number in ATTACK_NUMBERS.items()}
_TITLES = {number: title for title, number in TITLE_NUMBERS.items()}
_PHASES = {cheater_pb2.CheaterPhase.Value(f"CHEATER_PHASE_{phase.name}"): phase for phase in Phase}


def read_options(message: ruleset_pb2.Ruleset) -> dict[str, object]:
    """Return the options in a message as plain values, which `build_ruleset` reads."""
    options = message.cheater
    return {field.name: getattr(options, field.name) for field in options.DESCRIPTOR.fields}


def read_fact(event: event_pb2.Event, _rules: Ruleset) -> Any | None:
    """Return the public part of an event that a fact of CHEATER tells; None for any other fact."""
    name = event.WhichOneof("fact")
    reader = None if name is None else _FACT_READERS.get(name)
    return None if reader is None else reader(getattr(event, str(name)))


def _read_start_rolled(message: cheater_pb2.CheaterStartRolled) -> events.StartRolled:
    rolls = tuple(events.StartRoll(Seat(roll.seat), _read_dice(roll.dice)) for roll in message.rolls)
    return events.StartRolled(rolls, _seat_if_set(message, "first"))


def _read_rolled(message: cheater_pb2.CheaterRolled) -> events.Rolled:
    return events.Rolled(
        Seat(message.seat), _read_dice(message.dice), _seat_if_set(message, "cheater"), message.is_lost
    )


def _read_attacked(message: cheater_pb2.CheaterAttacked) -> events.Attacked:
    return events.Attacked(
        Seat(message.seat), Seat(message.target), _ATTACKS[message.attack], _number_if_set(message, "card")
    )


def _read_left(message: cheater_pb2.CheaterLeft) -> views.SeatLeftView:
    return views.SeatLeftView(Seat(message.seat), message.card_count, message.place, _seat_if_set(message, "cheater"))


def _read_won(message: cheater_pb2.CheaterWon) -> events.Won:
    titles = tuple(_TITLES[title] for title in message.titles)
    return events.Won(Seat(message.seat), _number_if_set(message, "color"), titles)


def _read_dice(dice: bytes) -> tuple[int, int]:
    return dice[0], dice[1]


def _number_if_set(message: Any, field: str) -> int | None:
    return int(getattr(message, field)) if message.HasField(field) else None


def _seat_if_set(message: Any, field: str) -> Seat | None:
    return Seat(getattr(message, field)) if message.HasField(field) else None


_FACT_READERS: Mapping[str, Callable[[Any], Any]] = {
    "cheater_dealt": lambda message: views.DealtView(message.seat_count, message.top, message.draw_count),
    "cheater_start_rolled": _read_start_rolled,
    "cheater_rolled": _read_rolled,
    "cheater_drew": lambda message: views.DrewView(Seat(message.seat), message.count),
    "cheater_took_top": lambda message: events.TookTop(Seat(message.seat), message.card),
    "cheater_discarded": lambda message: events.Discarded(Seat(message.seat), message.cards),
    "cheater_attacked": _read_attacked,
    "cheater_hidden": lambda message: events.Hidden(Seat(message.seat), message.card),
    "cheater_hand_shown": lambda message: events.HandShown(Seat(message.seat), message.cards),
    "cheater_die_rolled": lambda message: events.DieRolled(message.value),
    "cheater_taken": lambda message: events.Taken(Seat(message.seat), Seat(message.target), message.card),
    "cheater_busted": lambda message: events.Busted(Seat(message.seat), Seat(message.target), message.cards),
    "cheater_reshuffled": lambda message: events.Reshuffled(message.draw_count),
    "cheater_left": _read_left,
    "cheater_won": _read_won,
    "cheater_stopped": lambda _: events.Stopped(),
}
"""The reader of each public fact, by the name of its field."""


def read_snapshot(message: snapshot_pb2.SeatSnapshot, _rules: Ruleset) -> views.CheaterSnapshot | None:
    """Return what a spectator may know of the running game; None between games."""
    if not message.HasField("cheater"):
        return None
    snapshot = message.cheater
    attacking = None
    if snapshot.HasField("attacking"):
        pending = snapshot.attacking
        attacking = PendingAttack(_ATTACKS[pending.attack], Seat(pending.target), _number_if_set(pending, "card"))
    return views.CheaterSnapshot(
        hand=None,
        hand_sizes=tuple(snapshot.hand_sizes),
        known=tuple(snapshot.known),
        draw_count=snapshot.draw_count,
        discards=snapshot.discards,
        to_move=_seat_if_set(snapshot, "to_move"),
        cheater=_seat_if_set(snapshot, "cheater"),
        phase=_PHASES[snapshot.phase],
        dice=tuple(snapshot.dice),
        attacking=attacking,
        die=snapshot.die,
        places=tuple(snapshot.places),
        turns=snapshot.turn_count,
    )
