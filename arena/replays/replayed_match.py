"""A match replayed from its inputs, as the plain values of a replay file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from arena.match.deal_serialization import contributions_from_plain, describe_contributions
from arena.match.facts import GameEnded
from arena.match.inputs import Input, InputKind, read_record, write_record
from arena.match.match_record import to_plain
from arena.match.orders import AnnounceFact, DrawChance, TellEvent
from arena.match.replay import Replay
from arena.rules.game import Game

_PLAIN_FIELDS = ("entrant", "prompt_id", "action_id", "text")


class ReplayedMatch(NamedTuple):
    """Everything that follows from a match's inputs."""

    draws: list[dict[str, Any]]
    """Every draw in order: its label and its values."""
    events: list[list[Any]]
    """Instant, name, fields, in full truth."""
    results: list[dict[str, Any]]
    """Places by entrant and termination, by game."""
    termination: str
    """Empty if the inputs stop before the match is over."""


def replay_match(records: Iterable[bytes], games: Mapping[str, Game]) -> ReplayedMatch:
    """Replay the records. Raises JournalError, and the errors of the rules for invalid inputs."""
    replay = Replay(records, games)
    told = ReplayedMatch([], [], [], "")
    wanted: DrawChance | None = None
    for moment in replay.moments():
        if wanted is not None:
            told.draws.append(_describe_draw(wanted, moment.entry))
            wanted = None
        for order in moment.orders:
            if isinstance(order, DrawChance):
                wanted = order
            elif isinstance(order, TellEvent | AnnounceFact):
                fact = order.event if isinstance(order, TellEvent) else order.fact
                told.events.append([moment.entry.at, type(fact).__name__, to_plain(fact)])
                if isinstance(fact, GameEnded):
                    told.results.append(_describe_result(fact))
    ended = replay.referee.ended
    return told if ended is None else told._replace(termination=ended.termination)


def _describe_draw(wanted: DrawChance, entry: Input) -> dict[str, Any]:
    if entry.kind is not InputKind.DRAWN:
        raise ValueError(f"a draw was wanted, and {entry.kind.name} came instead")
    chance = wanted.chance
    return {
        "game": wanted.game,
        "purpose": chance.purpose,
        "turn": chance.turn,
        "index": chance.index,
        "count": chance.count,
        "faces": chance.faces,
        "values": list(entry.values),
    }


def _describe_result(fact: GameEnded) -> dict[str, Any]:
    by_entrant = dict(zip(fact.entrants, fact.places, strict=True))
    places = [by_entrant[entrant] for entrant in sorted(by_entrant)]
    return {"game": fact.game, "places": places, "termination": fact.termination}


def inputs_to_plain(records: Iterable[bytes]) -> list[dict[str, Any]]:
    """Return a match's inputs as plain values, without deal and terms, and without notes, which are private to bots."""
    entries = [entry for entry in map(read_record, records) if entry.kind is not InputKind.DEAL]
    return [_input_to_plain(entry) for entry in entries]


def _input_to_plain(entry: Input) -> dict[str, Any]:
    values: dict[str, Any] = {"kind": entry.kind.name.lower(), "at": entry.at, "now": entry.now}
    values |= {name: value for name in _PLAIN_FIELDS if (value := getattr(entry, name))}
    if entry.values:
        values["values"] = list(entry.values)
    if entry.begin is not None:
        values["absent"] = entry.begin["absent"]
    return values


def records_from(document: Mapping[str, Any]) -> list[bytes]:
    """Return the records of a replay file's inputs. Raises KeyError or ValueError for an invalid input."""
    first, *rest = document["inputs"]
    if first["kind"] != "begin":
        raise ValueError("the inputs do not begin with the start of the match")
    begin: dict[str, Any] = {
        "match_id": document["match_id"],
        "terms": document["terms"],
        "absent": first["absent"],
    }
    if contributions := document["deal"]["contributions"]:
        begin["contributions"] = describe_contributions(contributions_from_plain(contributions))
    head = write_record(Input(InputKind.BEGIN, 0, first["at"], first["now"], begin=begin))
    return [head, *(write_record(_input_from(values)) for values in rest)]


def _input_from(values: Mapping[str, Any]) -> Input:
    fields = {name: values[name] for name in _PLAIN_FIELDS if name in values}
    drawn: Sequence[int] = values.get("values", ())
    return Input(InputKind[values["kind"].upper()], 0, values["at"], values["now"], values=tuple(drawn), **fields)
