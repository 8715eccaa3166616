"""Tells in words what the server sends to a seat, as far as this package can read it without the rules of the games."""

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from cheatarena.clock import ServerClock
from cheatarena.commands.output import Line
from cheatarena.facts import Fact
from cheatarena.faults import describe_strike
from cheatarena.game import Game
from cheatarena.match_facts import read_strike
from cheatarena.v1 import decision_pb2, event_pb2, play_pb2


class SeatTeller:
    """Tells the messages of one seat, in their order."""

    def __init__(self, game: Game, entrant: int) -> None:
        self._game = game
        self._table = game.table(game, 0, entrant, ServerClock())

    def tell(self, message: play_pb2.SeatMessage) -> Iterator[Line]:
        """Yield what a message tells: of a snapshot all that the seat knows, then events, then questions."""
        if message.HasField("snapshot"):
            self._table.restore(message.snapshot)
            yield from (Line(line, "ask") for line in self._table.describe().split("\n"))
        for event in message.events:
            self._table.add([event.SerializeToString()])
            yield from self._tell_event(event)
        for prompt in (*message.snapshot.prompts, *message.prompts):
            yield self._tell_question(prompt)

    def _tell_event(self, event: event_pb2.Event) -> Iterator[Line]:
        _, fact = self._game.read_event(event.SerializeToString())
        if isinstance(fact, Fact):
            yield Line(f"  {describe_fact(fact, self._game.name)}")
            return
        table = self._table
        match event.WhichOneof("fact"):
            case "game_started":
                seats = ", ".join(f"seat {seat} {name}".rstrip() for seat, name in enumerate(table.names))
                yield Line(f"game {table.game}: {seats}; your seat is {table.seat}", "game")
            case "game_ended":
                places = ", ".join(f"seat {seat} place {place}" for seat, place in enumerate(table.places))
                yield Line(f"game {table.game} is over, {event.game_ended.termination}: {places}", "end")
            case "match_ended":
                yield Line(f"the match is over, {event.match_ended.termination}", "match")
            case "fault":
                yield Line(describe_strike(read_strike(event.fault, table.game)), "fault")
            case _:  # what follows from the terms, or is for programs
                return

    def _tell_question(self, prompt: decision_pb2.Prompt) -> Line:
        name = prompt.WhichOneof("options") or ""
        kind = self._game.kinds.get(name)
        if kind is None or kind.explain is None:
            return Line(f"asked: {name}", "decision")
        legal = kind.explain(self._table, kind.read(getattr(prompt, name)), None)
        return Line(f"asked: {kind.method}, {legal}", "decision")


def describe_fact(fact: Fact, game: str) -> str:
    """Return a fact as its name with its fields. What the seat does not see is left out.

    >>> from cheatarena.cheat.facts import CheatPacketChosen
    >>> describe_fact(CheatPacketChosen(seat=1, packet=2), "cheat")
    'packet chosen: seat 1, packet 2'
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(fact).__name__).lower().removeprefix(f"{game} ")
    told = ((field.name.replace("_", " "), getattr(fact, field.name)) for field in fields(type(fact)))
    details = [_field_text(name, value) for name, value in told if fact.HasField(name.replace(" ", "_"))]
    return f"{words}: {', '.join(details)}" if any(details) else words


def _field_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return name.removeprefix("is ") if value else f"not {name.removeprefix('is ')}"
    return f"{name} {_value_text(value)}"


def _value_text(value: Any) -> str:
    return " ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
