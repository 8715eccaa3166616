"""The complete report as one JSON document in plain ASCII, for machines.

The keys of the document are published. They stay the same when the league types behind them change.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final

from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.rating import Rating
from arena.competition.league.standings import StandingsRow
from arena.organizer.report.play_view import StrikeView, collusion_values
from arena.organizer.report.standings_text import (
    describe_champion,
    describe_ratings,
    describe_scoring,
    neutral_score,
    score_digits,
    tie_break_names,
)
from arena.organizer.report.view import EntrantView, LeagueGame, LeagueView, RatingMoment, share_matrix
from arena.plain_data import take_fields
from arena.replays.analytics.bot_figures import Ratio
from arena.replays.analytics.collusion_screen import PairEvidence

FORMAT: Final = "cheatarena-league-report-1"


def write_report_json(view: LeagueView, file: Path) -> None:
    """Write the document, with a line for each field of the view and for each item of a list."""
    write_json_object(report_document(view), file)


def report_document(view: LeagueView) -> Mapping[str, Any]:
    """Return the keys of the document with their values.

    If a league has no dates, its document has no field for dates, and fields for absent bots only if there are any; so
    it is with accomplices and doubts. Only a season says its kind, so that a league has the document that it had before
    there were seasons.
    """
    values: dict[str, Any] = {each.name: getattr(view, each.name) for each in fields(view)}
    win_probabilities, judgement = values.pop("win_probabilities"), values.pop("judgement")
    for name in ("dates", "absences", "awaited"):
        if not view.dates and not values[name]:
            del values[name]
    if not view.accomplices:
        del values["accomplices"]
    if view.kind == "league":
        del values["kind"]
    values["standings"] = _standings_values(view)
    values["ratings"] = {
        "rows": view.ratings,
        "above": win_probabilities,
        "method": describe_ratings(judgement) if view.ratings else "",
    }
    return {"document": FORMAT, **values}


def write_json_object(values: Mapping[str, Any], file: Path) -> None:
    """Write values as a JSON object, with a line for each key and for each item of a list under a key."""
    with file.open("w", encoding="ascii", newline="\n") as out:
        out.writelines(json_object_parts(values))


def json_object_parts(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of the text that `write_json_object` writes."""
    separator = "{"
    for key, value in values.items():
        yield f"{separator}{json.dumps(key)}: "
        yield from _json_lines(value)
        separator = ",\n"
    yield "}\n"


def _json_lines(value: Any) -> Iterator[str]:
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        yield "[\n"
        yield from ((",\n" if index else "") + _to_json(item) for index, item in enumerate(value))
        yield "]"
    else:
        yield _to_json(value)


def _to_json(value: Any) -> str:
    return json.dumps(_document_value(value), allow_nan=False)


Converter = Callable[[Any], Mapping[str, Any]]


def _document_value(value: Any) -> Any:
    """Return a value in a form that `json` can write. Objects get the document's keys, or else a key for each field.

    Infinity and NaN, which JSON lacks, become None.
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if (to_values := _DOCUMENT_VALUES.get(type(value))) is not None:
        value = to_values(value)
    elif is_dataclass(value):
        value = {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _document_value(item) for key, item in value.items()}
    return [_document_value(item) for item in value]


# ---- the document's keys


def _standings_values(view: LeagueView) -> Mapping[str, Any]:
    standings = view.standings
    return {
        "rows": standings.rows,
        "decided_by": describe_scoring(standings),
        "tie_breaks": tie_break_names(standings),
        "champion": describe_champion(standings.champion, view.progress.is_over, view.accomplices, view.judgement),
        "certainty": standings.champion and standings.champion.certainty,
        **({"doubts": standings.doubts} if standings.doubts else {}),
        "neutral": neutral_score(standings),
        "digits": score_digits(standings),
    }


def _standings_row_values(row: StandingsRow) -> Mapping[str, Any]:
    return {
        **take_fields(row, "place", "name", "games"),
        "mean": row.score,
        **take_fields(row.interval, "low", "high"),
        "wins": row.first_places,
        **take_fields(row, "mean_place", "forfeits", "strikes", "marked_games", "is_separable"),
        "tie_break": row.tie_break or "",
        "is_disqualified": row.is_disqualified,
    }


def _rating_values(row: Rating) -> Mapping[str, Any]:
    ends = take_fields(row.interval, "low", "high")
    return {**take_fields(row, "name", "rating"), **ends, **take_fields(row, "is_separable", "group")}


def _rating_moment_values(moment: RatingMoment) -> Mapping[str, Any]:
    by_name = {row.name: (row.rating, row.interval.low, row.interval.high) for row in moment.ratings}
    return {"games": moment.games, "by_name": by_name}


def _head_to_head_values(meetings: HeadToHead) -> Mapping[str, Any]:
    return {"names": meetings.names, "mean": share_matrix(meetings), "games": meetings.games.astype(int).tolist()}


def _entrant_values(each: EntrantView) -> Mapping[str, Any]:
    return take_fields(each.entrant, "name", "owner", "version", "content") | take_fields(each, "kind", "remark")


def _strike_values(strike: StrikeView) -> Mapping[str, Any]:
    return {
        **take_fields(strike, "name", "match_id", "turn"),
        "kind": strike.kind.value,
        "sentence": strike.sentence,
        "blame": {**strike.times_ms, "culprit": strike.culprit_name},
    }


def _game_values(game: LeagueGame) -> Mapping[str, Any]:
    result = game.result
    return {
        "match_id": result.match_id,
        "block": game.block.number,
        "round": game.block.round,
        "table": game.table,
        **take_fields(result, "seats", "places", "termination", "turn_count"),
        "forfeits": sorted(result.forfeits),
        "label": game.block.label,
        **({"places_of": result.places_of} if result.places_of else {}),
    }


_DOCUMENT_VALUES: Final[Mapping[type, Converter]] = {
    EntrantView: _entrant_values,
    HeadToHead: _head_to_head_values,
    PairEvidence: collusion_values,
    LeagueGame: _game_values,
    Rating: _rating_values,
    RatingMoment: _rating_moment_values,
    Ratio: lambda ratio: take_fields(ratio, "amount", "of"),
    StandingsRow: _standings_row_values,
    StrikeView: _strike_values,
}
"""For each type, the function that returns an object's published keys and values, in the document's order."""
