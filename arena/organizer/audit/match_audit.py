"""Compares a stored match with what follows from its records."""

import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.errors import JournalError
from arena.match.game import Game
from arena.match.referee.deal import DealSecret
from arena.match.referee.inputs import Begin, Cancel, Deal, Input, read_record
from arena.match.referee.match_record import derive_match_record, new_match_row
from arena.match.referee.ports import GameRow, MatchRow
from arena.match.referee.sealed_results import open_results
from arena.match.referee.strike_record import StrikeRecord
from arena.match.referee.terms import terms_from_plain
from arena.match.referee.think_time import LATE_ANSWERS, LATE_THINK_S
from arena.organizer.audit.findings import differences
from arena.plain_data import from_plain, to_plain
from arena.plurals import format_count
from arena.replays.proof.verification import UNREADABLE_ERRORS

_STATES = ("running", "ended")


def can_play_again(terms: Mapping[str, Any], games: Mapping[str, Game]) -> bool:
    """Return whether this version of the arena still has the rules under which a match was played."""
    game = games.get(terms["game"])
    return game is not None and game.version == terms["rules_version"]


def compare_match(
    row: MatchRow, stored: Sequence[GameRow], records: Sequence[bytes], games: Mapping[str, Game]
) -> Iterator[str]:
    """Yield a sentence for each difference between a stored match and its records."""
    yield from _check_numbers(stored)
    try:
        if (secret := find_secret(records)) is not None:
            row, stored = open_results(row, stored, secret.seed)
        for game in stored:
            yield from _check_digest(game)
        yield from _compare_with_records(row, stored, records, games)
    except UNREADABLE_ERRORS as error:
        yield f"its records cannot be played again: {error}"


def find_begin(records: Sequence[bytes]) -> Begin | None:
    """Return the start of a match; None if the match never began. Raises JournalError for an unreadable record."""
    return next((each for each in map(read_record, records[:2]) if isinstance(each, Begin)), None)


def find_secret(records: Sequence[bytes]) -> DealSecret | None:
    """Return the secret of a match's deal from its records; None if the records do not begin with a deal.

    Raises JournalError.
    """
    first = read_record(records[0]) if records else None
    return first.secret if isinstance(first, Deal) else None


def _compare_with_records(
    row: MatchRow, stored: Sequence[GameRow], records: Sequence[bytes], games: Mapping[str, Game]
) -> Iterator[str]:
    begin = find_begin(records)
    if begin is None:
        yield from _compare_unplayed(row, stored, map(read_record, records))
        return
    if begin.match_id != row.match_id:
        yield f"its journal has the match {begin.match_id} under its number"
        return
    if not can_play_again(begin.terms, games):
        return
    terms = terms_from_plain(begin.terms, games)
    first = replace(new_match_row(row.match_id, row.number, terms, row.journal, row.created_at), terms=begin.terms)
    yield from differences(row, first, "game", "preset", "terms", "entrants", "rated")
    derived = derive_match_record(first, records, games)
    if row.state not in _STATES:
        yield f"its state is {row.state!r} in the store, expected one of {', '.join(_STATES)}"
    elif row.state != "ended":
        yield from _compare_games(stored, [game for game in derived.games if game.game < len(stored)])
    else:
        yield from differences(row, derived.match, "termination", "strikes")
        statistics = without_unknown_figures(row.statistics, derived.match.statistics)
        yield from differences(row, replace(derived.match, statistics=statistics), "statistics")
        yield from differences(_without_conditions(row), _without_conditions(derived.match), "faults")
        yield from _compare_games(stored, derived.games)


def without_unknown_figures(
    stored: Sequence[Mapping[str, float]], derived: Sequence[Mapping[str, float]]
) -> tuple[Mapping[str, float], ...]:
    """Return the derived statistics without those of late answers if the store has none, as in earlier releases."""
    if any(LATE_ANSWERS in figures for figures in stored):
        return tuple(derived)
    late = {LATE_ANSWERS, LATE_THINK_S}
    return tuple({name: value for name, value in figures.items() if name not in late} for figures in derived)


def _compare_unplayed(row: MatchRow, stored: Sequence[GameRow], entries: Iterator[Input]) -> Iterator[str]:
    """Compare a match that ended before its first card."""
    if stored:
        yield f"the store has {format_count(len(stored), 'game')} of it, and by its journal it never began"
    if row.state == "ended":
        cancelled = [entry.termination for entry in entries if isinstance(entry, Cancel)]
        ended = replace(row, termination=(cancelled or ["interrupted"])[0], strikes=(), statistics=(), faults=())
        yield from differences(row, ended, "termination", "strikes", "statistics", "faults")


def _compare_games(stored: Sequence[GameRow], derived: Sequence[GameRow]) -> Iterator[str]:
    by_number = {game.game: game for game in stored}
    for game in derived:
        kept = by_number.pop(game.game, None)
        if kept is None:
            yield f"game {game.game} is missing from the store"
            continue
        names = ("places", "termination", "turn_count", "rules_version", "digest")
        for sentence in differences(kept, game, *names):
            yield f"game {game.game}: {sentence}"
        if _unpack(kept.events) != _unpack(game.events):
            yield f"game {game.game}: its events in the store are not those that follow from its journal"
    for number in by_number:
        yield f"the store has a game {number}, which its journal does not have"


def _check_numbers(stored: Sequence[GameRow]) -> Iterator[str]:
    numbers = [game.game for game in stored]
    if numbers != [*range(len(numbers))]:
        yield f"its stored games have the numbers {numbers}, not 0 to {len(numbers) - 1}"


def _check_digest(game: GameRow) -> Iterator[str]:
    events = _unpack(game.events)
    if events is None:
        yield f"game {game.game}: its events cannot be unpacked"
    elif hashlib.sha256(events).hexdigest() != game.digest:
        yield f"game {game.game}: its digest is not that of its events"


def _unpack(events: bytes) -> bytes | None:
    """Return the events of a game in canonical form; None if they are damaged."""
    try:
        return zlib.decompress(events)
    except zlib.error:
        return None


def _without_conditions(row: MatchRow) -> MatchRow:
    """Return a copy of the row without the node's measurements, which journals do not contain. Raises JournalError."""
    try:
        faults = from_plain(row.faults, tuple[StrikeRecord, ...])
    except ValueError as error:
        raise JournalError(f"its stored faults cannot be read: {error}") from error
    return replace(row, faults=tuple(to_plain(replace(each, conditions=None)) for each in faults))
