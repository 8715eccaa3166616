"""A bot's matches, strikes and figures as plain values, for the author of the bot."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from cheatarena.faults import reason_name
from cheatarena.v1 import author_pb2, event_pb2, match_pb2, ruleset_pb2

_STATES = {match_pb2.MATCH_STATE_RUNNING: "running", match_pb2.MATCH_STATE_ENDED: "ended"}


@dataclass(frozen=True, slots=True)
class OwnResult:
    """The bot's results at one of its seats."""

    entrant: int
    """Index among the entrants, from 0."""
    places: tuple[int, ...]
    """Place in each finished game; 1 is best."""
    points: float
    """Sum over these games. Each game adds the share of opponents that the bot beat; a tie counts half."""
    strikes: Mapping[str, int]
    """Number of strikes of each kind: late, illegal, missing, gone."""


@dataclass(frozen=True, slots=True)
class OwnMatch:
    """A match of the bot."""

    match_id: str
    """The match's id, with which replays are asked for."""
    created_at: datetime
    """When the match was created, in UTC."""
    is_over: bool
    """Whether the match has ended."""
    termination: str
    """Why the match ended; empty while the match is running."""
    game: str
    """`cheat` or `cheater`; empty if the server no longer knows the rules of this match."""
    preset: str
    """Name of the ruleset; empty if the server no longer knows the rules of this match."""
    rules_version: str
    """Version of the game's rules under which the match was played."""
    pace: str
    """`sealed` or `live`; empty if the server no longer knows the rules of this match."""
    turn_ms: int
    """Time for a turn, in milliseconds."""
    call_ms: int
    """Time for a call window or another reaction, in milliseconds."""
    has_deadlines: bool
    """Whether answers have to come in time."""
    entrants: tuple[str, ...]
    """The name of each entrant; every name is empty in an anonymous match."""
    game_count: int
    """How many games the match has."""
    is_rated: bool
    """Whether the match counts for ratings."""
    results: tuple[OwnResult, ...]
    """One result for each of the bot's seats. A bot can have several seats only in an unrated match."""

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the other entrants; every name is empty in an anonymous match."""
        own = {result.entrant for result in self.results}
        return tuple(name for index, name in enumerate(self.entrants) if index not in own)

    @property
    def games_finished(self) -> int:
        """How many games are finished."""
        return max((len(result.places) for result in self.results), default=0)


@dataclass(frozen=True, slots=True)
class ReplayLine:
    """Something that the seat learned, was asked or did."""

    kind: str
    """`match`, `game`, `decision`, `answer`, `event`, `fault`, `info` or `end`; more words may be added."""
    game: int | None
    """Number of the game, from 0; None if the line belongs to the match."""
    turn: int | None
    """Number of turns in the game before this line; None if the line belongs to the match."""
    at_us: int
    """Microseconds since the start of the game. If the line belongs to the match: since the start of the match."""
    text: str
    """The line in words."""
    rows: tuple[tuple[str, str], ...]
    """Details as pairs of label and text."""
    data: Mapping[str, Any]
    """The line's data for programs."""


@dataclass(frozen=True, slots=True)
class OwnFault:
    """A strike of the bot. Durations are in microseconds, and None if they are unknown or do not exist."""

    match_id: str
    """The match of the strike."""
    entrant: int
    """The bot's index among the entrants."""
    game: int
    """Number of the game, from 0."""
    turn: int
    """Number of moves and passes in the game before the strike."""
    kind: str
    """`late`, `illegal`, `missing`, `crashed`, `no_answer` or `gone`."""
    reason: str
    """Name of the reason in the protocol, without the prefix; empty if there is no reason."""
    prompt: str
    """Kind of the question."""
    allowed_us: int | None
    """How long the answer was allowed to take."""
    came_us: int | None
    """How long after the question the answer came."""
    action: str
    """The bot's answer, in the game's text form."""
    automatic: str
    """The automatic action that the server took for the bot, in the game's text form."""
    cause: str
    """What caused the strike: `bot`, `host`, `wire` or `connection`; empty if the cause is unknown."""
    times_us: Mapping[str, int]
    """How long each part took: bot, queue, wire, server, loop_lag and core_wait. Unknown times are left out."""
    explanation: str
    """What happened and what caused it, in words."""


@dataclass(frozen=True, slots=True)
class OwnFigures:
    """Figures about the bot's play in one match or in several matches."""

    match_id: str
    """Empty if the figures are from several matches."""
    game: str
    """`cheat` or `cheater`."""
    preset: str
    """Empty if the figures are from several presets."""
    game_count: int
    """Number of finished games."""
    points: float
    """Sum of the points of these games."""
    values: Mapping[str, float] = field(default_factory=dict)
    """The figures by name. The protocol describes each name under `Figures`."""


def sum_figures(figures: Iterable[OwnFigures]) -> dict[str, OwnFigures]:
    """Return the figures of several matches together, one sum for each game.

    All values are added, with two exceptions: `think_s` is the mean over all decisions, and `slowest_share` is the
    largest share.
    """
    totals: dict[str, OwnFigures] = {}
    for each in figures:
        total = totals.get(each.game)
        totals[each.game] = each if total is None else _add_figures(total, each)
    return totals


def _add_figures(one: OwnFigures, other: OwnFigures) -> OwnFigures:
    values = {name: one.values.get(name, 0.0) + other.values.get(name, 0.0) for name in {**one.values, **other.values}}
    decisions = values.get("decisions", 0.0)
    if decisions:
        spent_s = sum(each.values.get("think_s", 0.0) * each.values.get("decisions", 0.0) for each in (one, other))
        values["think_s"] = spent_s / decisions
    if "slowest_share" in values:
        values["slowest_share"] = max(each.values.get("slowest_share", 0.0) for each in (one, other))
    preset = one.preset if one.preset == other.preset else ""
    return OwnFigures("", one.game, preset, one.game_count + other.game_count, one.points + other.points, values)


# ---- from messages


def read_match(message: author_pb2.OwnMatch) -> OwnMatch:
    """Return the `OwnMatch` in a message."""
    terms, pace = message.terms, message.terms.pace
    style = ruleset_pb2.PaceStyle.Name(pace.style).removeprefix("PACE_STYLE_").lower()
    return OwnMatch(
        match_id=message.match_id,
        created_at=datetime.fromtimestamp(message.created_at_ms / 1000, UTC),
        is_over=_STATES.get(message.state) == "ended",
        termination=message.termination,
        game=terms.ruleset.WhichOneof("game") or "",
        preset=terms.ruleset.preset,
        rules_version=terms.ruleset.version,
        pace="" if style == "unspecified" else style,
        turn_ms=pace.turn_ms,
        call_ms=pace.call_ms,
        has_deadlines=not pace.no_deadlines,
        entrants=tuple(terms.entrants),
        game_count=terms.game_count,
        is_rated=terms.rated,
        results=tuple(_read_result(each) for each in message.results),
    )


def _read_result(message: author_pb2.OwnResult) -> OwnResult:
    counts = {field.name: getattr(message.strikes, field.name) for field in message.strikes.DESCRIPTOR.fields}
    return OwnResult(message.entrant, tuple(message.places), message.points, counts)


def read_line(message: author_pb2.ReplayLine) -> ReplayLine:
    """Return the `ReplayLine` in a message. Raises ValueError if the line's data is not JSON."""
    return ReplayLine(
        kind=message.kind,
        game=message.game if message.HasField("game") else None,
        turn=message.turn if message.HasField("turn") else None,
        at_us=message.at_us,
        text=message.text,
        rows=tuple((row.label, row.text) for row in message.rows),
        data=json.loads(message.data or "{}"),
    )


def read_fault(message: author_pb2.OwnFault) -> OwnFault:
    """Return the `OwnFault` in a message."""
    times = {descriptor.name.removesuffix("_us"): value for descriptor, value in message.times.ListFields()}
    cause = author_pb2.FaultCause.Name(message.cause).removeprefix("FAULT_CAUSE_").lower()
    return OwnFault(
        match_id=message.match_id,
        entrant=message.entrant,
        game=message.game,
        turn=message.turn,
        kind=event_pb2.FaultKind.Name(message.kind).removeprefix("FAULT_KIND_").lower(),
        reason=reason_name(message.reason) if message.reason else "",
        prompt=message.prompt,
        allowed_us=message.allowed_us if message.HasField("allowed_us") else None,
        came_us=message.came_us if message.HasField("came_us") else None,
        action=message.action,
        automatic=message.automatic,
        cause="" if cause == "unspecified" else cause,
        times_us=times,
        explanation=message.explanation,
    )


def read_figures(message: author_pb2.OwnFigures) -> OwnFigures:
    """Return the `OwnFigures` in a message."""
    return OwnFigures(
        match_id=message.match_id,
        game=message.game,
        preset=message.preset,
        game_count=message.game_count,
        points=message.points,
        values=dict(message.figures.values),
    )
