"""The report's tables as complete CSV files. Text that a spreadsheet would run as a formula is made harmless.

The files are UTF-8 with commas and one header line. Shares run from 0 to 1, durations are in milliseconds, times are
ISO 8601 in UTC, and unknown values are empty.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Final

from arena.match.referee.facts import STRIKE_NAMES
from arena.organizer.report.play_view import collusion_values
from arena.organizer.report.view import LeagueView
from arena.replays.narration.text_format import safe_cell_text

Value = str | int | float | bool | None
Row = Iterable[Value]


def write_tables(view: LeagueView, folder: Path) -> list[str]:
    """Write every table and return the file names."""
    for name, table in TABLES.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            for row in table(view):
                writer.writerow([safe_cell_text(value) if isinstance(value, str) else value for value in row])
    return list(TABLES)


def _iso_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _standings(view: LeagueView) -> Iterator[Row]:
    yield ("place", "entrant", "games", "score", "low_95", "high_95", "first_places", "mean_place", "forfeits",
           *STRIKE_NAMES, "marked_games", "separable_from_next")  # fmt: skip
    for row in view.standings.rows:
        strikes = (row.strikes.get(kind, 0) for kind in STRIKE_NAMES)
        yield (row.place, row.name, row.games, row.score, row.interval.low, row.interval.high, row.first_places,
               row.mean_place, row.forfeits, *strikes, row.marked_games, row.is_separable)  # fmt: skip


def _scoring(view: LeagueView) -> Iterator[Row]:
    """Yield what, beside the games, the scores and their intervals follow from."""
    yield "key", "value"
    yield "decided_by", view.standings.decided_by
    yield "draws_evenly", view.standings.draws_evenly
    yield "weights_seed", view.standings.weights_seed
    yield "halves_last_tie", view.judgement.halves_last_tie
    yield "leaves_out_help", view.judgement.leaves_out_help


def _ratings(view: LeagueView) -> Iterator[Row]:
    yield "entrant", "rating", "low_95", "high_95", "separable_from_next", "group"
    for row in view.ratings:
        yield row.name, row.rating, row.interval.low, row.interval.high, row.is_separable, row.group


def _win_probabilities(view: LeagueView) -> Iterator[Row]:
    names = [row.name for row in view.ratings]
    yield "entrant", "other", "probability_above"
    for name, values in zip(names, view.win_probabilities, strict=False):
        yield from ((name, other, value) for other, value in zip(names, values, strict=True) if value is not None)


def _rating_history(view: LeagueView) -> Iterator[Row]:
    yield "games", "entrant", "rating", "low_95", "high_95"
    for moment in view.course:
        yield from ((moment.games, row.name, row.rating, row.interval.low, row.interval.high) for row in moment.ratings)


def _meetings(view: LeagueView) -> Iterator[Row]:
    yield "entrant", "other", "games", "ahead"
    met = view.meetings
    if met is None:
        return
    for (i, name), (j, other) in permutations(enumerate(met.names), 2):
        if count := int(met.games[i, j]):
            yield name, other, count, met.share_ahead(i, j)


def _play(view: LeagueView) -> Iterator[Row]:
    """Yield a row for each figure of each bot. A figure is an amount out of a total."""
    yield "entrant", "figure", "value", "amount", "of"
    for bot in view.play:
        yield bot.name, "luck", "", bot.luck, None
        yield from ((bot.name, figure, "", each.amount, each.of) for figure, each in bot.figures.items())
        for by, shares in bot.bands.items():
            yield from ((bot.name, by, value, each.amount, each.of) for value, each in shares.items())


def _faults(view: LeagueView) -> Iterator[Row]:
    yield ("entrant", "game", "turn", "kind", "bot_ms", "queue_ms", "wire_ms", "server_ms", "loop_lag_ms",
           "core_wait_ms", "culprit", "what_happened")  # fmt: skip
    for fault in view.faults:
        yield (fault.name, fault.match_id, fault.turn, fault.kind.value, *fault.times_ms.values(),
               fault.culprit_name, fault.sentence)  # fmt: skip


def _incidents(view: LeagueView) -> Iterator[Row]:
    yield "at", "entrant", "what", "detail"
    yield from ((_iso_time(each.at), each.name, each.what, each.detail) for each in view.incidents)


def _amendments(view: LeagueView) -> Iterator[Row]:
    yield "at", "what", "reason"
    yield from ((_iso_time(each.at), each.what, each.reason) for each in view.amendments)


def _voided_blocks(view: LeagueView) -> Iterator[Row]:
    yield "block", "attempt", "games", "why", "played_again"
    for void in view.voided:
        yield void.block, void.attempt + 1, " ".join(void.match_ids), void.why, void.is_replayed


def _collusion(view: LeagueView) -> Iterator[Row]:
    yield "first", "second", "chances", "taken", "expected", "p_corrected", "evidence"
    for flag in view.collusion:
        yield collusion_values(flag).values()


def _accomplices(view: LeagueView) -> Iterator[Row]:
    yield ("entrant", "other", "games", "last_places", "expected", "games_elsewhere", "last_places_elsewhere",
           "p_corrected")  # fmt: skip
    yield from map(astuple, view.accomplices)


def _doubts(view: LeagueView) -> Iterator[Row]:
    yield "entrant", "other", "sign", "games", "count", "expected", "p_corrected", "title_score"
    yield from ((*astuple(each), view.standings.title_scores[each.entrant]) for each in view.standings.doubts)


def _entrants(view: LeagueView) -> Iterator[Row]:
    yield "entrant", "version", "owner", "runs", "sha256", "remark"
    for each in view.entrants:
        entrant = each.entrant
        yield entrant.name, entrant.version, entrant.owner, each.kind, entrant.content, each.remark


def _games(view: LeagueView) -> Iterator[Row]:
    """Yield one row for each seat of each game, so the columns are the same however many seats a table has."""
    yield ("game", "block", "round", "table", "label", "seat", "entrant", "place", "forfeited", "ending",
           "turns", "luck", "places_of")  # fmt: skip
    for game in view.games:
        block, result = game.block, game.result
        for seat, (name, place) in enumerate(zip(result.seats, result.places, strict=True)):
            yield (result.match_id, block.number, block.round, game.table, block.label, seat, name, place,
                   name in result.forfeits, result.termination, result.turn_count,
                   result.luck[seat] if result.luck else None, result.places_of)  # fmt: skip


TABLES: Final[Mapping[str, Callable[[LeagueView], Iterator[Row]]]] = {
    "standings.csv": _standings,
    "scoring.csv": _scoring,
    "ratings.csv": _ratings,
    "above.csv": _win_probabilities,
    "rating_over_time.csv": _rating_history,
    "head_to_head.csv": _meetings,
    "play.csv": _play,
    "faults.csv": _faults,
    "crashes.csv": _incidents,
    "amendments.csv": _amendments,
    "void_games.csv": _voided_blocks,
    "collusion.csv": _collusion,
    "accomplices.csv": _accomplices,
    "doubts.csv": _doubts,
    "entrants.csv": _entrants,
    "games.csv": _games,
}
"""The function that yields the rows of a table, by file name."""
