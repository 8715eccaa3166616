"""Replays a match from its inputs and converts the result to the plain values of a replay file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, assert_never

from arena.match.game import Game
from arena.match.referee.deal_serialization import contributions_from_plain
from arena.match.referee.facts import GameEnded
from arena.match.referee.inputs import (
    ENTRANT_INPUTS,
    Answer,
    Begin,
    Cancel,
    Credit,
    Disconnect,
    Drawn,
    Input,
    InputKind,
    Leave,
    NewRoundTrip,
    NoAnswer,
    Ready,
    Reconnect,
    Reject,
    Tick,
    no_answer_from_text,
    read_record,
    write_record,
)
from arena.match.referee.orders import AnnounceFact, DrawChance, TellEvent
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.plain_data import to_plain


class ReplayedMatch(NamedTuple):
    """Everything that follows from a match's inputs."""

    draws: list[dict[str, Any]]
    """Every draw, in order, with its request and its values."""
    events: list[list[Any]]
    """Every event, in order, as its instant, name and fields, with all secrets."""
    results: list[dict[str, Any]]
    """For each game: the places by entrant, and the termination."""
    termination: str
    """The termination of the match; empty if the inputs end before the match does."""


def replay_match(records: Iterable[bytes], games: Mapping[str, Game]) -> ReplayedMatch:
    """Replay the records. Raises JournalError for an unreadable record, and the rules' errors for an invalid input."""
    replay = Replay(records, games)
    replayed = ReplayedMatch([], [], [], "")
    pending: DrawChance | None = None
    for moment in replay.moments():
        if pending is not None:
            replayed.draws.append(_describe_draw(pending, moment.entry))
            pending = None
        for order in moment.orders:
            if isinstance(order, DrawChance):
                pending = order
            elif isinstance(order, TellEvent | AnnounceFact):
                fact = order.event if isinstance(order, TellEvent) else order.fact
                replayed.events.append([moment.entry.at, type(fact).__name__, to_plain(fact)])
                if isinstance(fact, GameEnded):
                    replayed.results.append(_describe_result(fact))
    ended = replay.referee.ended
    return replayed if ended is None else replayed._replace(termination=ended.termination)


def _describe_draw(pending: DrawChance, entry: Input) -> dict[str, Any]:
    if not isinstance(entry, Drawn):
        raise ValueError(f"a draw was pending, and {entry.kind.name} came instead")  # noqa: TRY004  the value comes from a file
    chance = pending.chance
    return {
        "game": pending.game,
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
    """Return a match's inputs as plain values.

    Deal and terms are left out, because they have their own fields in the file. The bots' notes are left out, because
    they are private.
    """
    entries = [entry for entry in map(read_record, records) if entry.kind is not InputKind.DEAL]
    return [_input_to_plain(entry) for entry in entries]


def _input_to_plain(entry: Input) -> dict[str, Any]:
    values: dict[str, Any] = {"kind": entry.kind.name.lower(), "at": entry.at, "now": entry.now}
    if isinstance(entry, Begin):
        round_trips = {"round_trips": list(entry.round_trips)} if entry.round_trips else {}
        return values | {"absent": list(entry.absent)} | round_trips
    return values | {name: value for name, value in _plain_fields(entry).items() if value}


def _plain_fields(entry: Input) -> dict[str, Any]:
    match entry:
        case Answer():
            return _decision_fields(entry) | {"text": entry.text}
        case NoAnswer():
            return _decision_fields(entry) | {"text": entry.text}
        case Reject():
            return _decision_fields(entry) | {"text": entry.reason}
        case Disconnect() | Reconnect() | Leave() | Ready():
            return {"entrant": entry.entrant}
        case Cancel():
            return {"text": entry.termination}
        case Drawn():
            return {"values": list(entry.values)}
        case NewRoundTrip():
            return {"entrant": entry.entrant, "values": [entry.us]}
        case Credit():
            return {"values": [entry.us]}
        case _:
            return {}


def _decision_fields(entry: Answer | NoAnswer | Reject) -> dict[str, int]:
    return {"entrant": entry.entrant, "prompt_id": entry.prompt_id, "action_id": entry.action_id}


def records_from(document: Mapping[str, Any]) -> list[bytes]:
    """Convert the inputs of a replay file to journal records. Raises KeyError or ValueError for an invalid input."""
    first, *rest = document["inputs"]
    if first["kind"] != "begin":
        raise ValueError("the inputs do not begin with the start of the match")
    contributions = contributions_from_plain(document["deal"]["contributions"] or ())
    at, now, absent = Instant(first["at"]), Instant(first["now"]), tuple(first["absent"])
    round_trips = tuple(first.get("round_trips", ()))
    begin = Begin(at, now, document["match_id"], document["terms"], absent, contributions, round_trips)
    return [write_record(0, begin), *(write_record(0, _input_from(values)) for values in rest)]


def _input_from(values: Mapping[str, Any]) -> Input:
    """Return an input from its plain values, which may lack fields that are 0 or empty.

    Raises ValueError for a second start of the match.
    """
    at, now, kind = Instant(values["at"]), Instant(values["now"]), InputKind[values["kind"].upper()]
    entrant, text = EntrantIndex(values.get("entrant", 0)), values.get("text", "")
    prompt_id, action_id = PromptId(values.get("prompt_id", 0)), values.get("action_id", 0)
    numbers: Sequence[int] = values.get("values", ())
    match kind:
        case InputKind.ANSWER:
            return Answer(at, now, entrant, prompt_id, action_id, text)
        case InputKind.REJECT:
            return Reject(at, now, entrant, prompt_id, action_id, text)
        case InputKind.NO_ANSWER:
            return NoAnswer(at, now, entrant, prompt_id, action_id, no_answer_from_text(text))
        case InputKind.TICK:
            return Tick(at, now)
        case InputKind.DRAWN:
            return Drawn(at, now, tuple(numbers))
        case InputKind.LOST | InputKind.BACK | InputKind.LEAVE | InputKind.READY:
            return ENTRANT_INPUTS[kind](at, now, entrant)
        case InputKind.ROUND_TRIP:
            return NewRoundTrip(at, now, entrant, numbers[0])
        case InputKind.CREDIT:
            return Credit(at, now, numbers[0])
        case InputKind.CANCEL:
            return Cancel(at, now, text)
        case InputKind.BEGIN | InputKind.DEAL:
            raise ValueError("a second start of the same match")
        case _:
            assert_never(kind)
