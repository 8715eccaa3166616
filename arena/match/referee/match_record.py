"""Builds the stored record of a match: results, events in canonical form and statistics.

The record is built while the match is played, or afterwards from its journal.
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from arena.match.game import Game
from arena.match.referee.facts import GameEnded, StrikeIssued, StrikeKind
from arena.match.referee.inputs import match_number_of
from arena.match.referee.match_offer import is_offer
from arena.match.referee.orders import AnnounceFact, Order, TellEvent, TellStrike
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.match.referee.referee import Referee
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.strike_record import MAX_STRIKE_RECORDS, Conditions, StrikeRecord, strike_to_plain
from arena.match.referee.terms import Terms, describe_terms
from arena.match.referee.think_time import late_figures
from arena.match.value_class import value_class
from arena.plain_data import canonical_json


@value_class()
class MatchRecord:
    """A match as it is stored permanently."""

    match: MatchRow
    games: tuple[GameRow, ...]


def new_match_row(match_id: MatchId, number: int, terms: Terms, journal: str, created_at: float) -> MatchRow:
    """Return the row of a match that has just begun."""
    return MatchRow(
        match_id=match_id,
        number=number,
        journal=journal,
        created_at=created_at,
        game=terms.game.name,
        preset=terms.preset,
        terms=describe_terms(terms),
        entrants=terms.entrants,
        rated=terms.rated,
    )


def derive_match_record(row: MatchRow, records: Iterable[bytes], games: Mapping[str, Game]) -> MatchRecord:
    """Replay the records and return the record to store; `row` is the row stored when the match began."""
    replay = Replay(records, games)
    recorder = MatchRecorder(row.match_id, replay.terms)
    for moment in replay.moments():
        recorder.record_orders(moment.entry.at, moment.entry.now, moment.orders)
    return recorder.build_record(row, replay.referee)


_NEWER_KINDS = (StrikeKind.CRASHED, StrikeKind.NO_ANSWER)


def strike_counts_of(referee: Referee) -> tuple[dict[str, int], ...]:
    """Return the number of strikes by entrant and kind. Kinds that release 0.1 did not know are left out if zero."""
    return tuple(
        {kind.value: record.strikes[kind] for kind in StrikeKind if record.strikes[kind] or kind not in _NEWER_KINDS}
        for record in referee.entrant_records
    )


def event_line(at: Instant, event: Any) -> bytes:
    """Return one event in canonical form: its instant, its name and its fields."""
    return canonical_json([at, type(event).__name__, event])


ObserveEntrant = Callable[[EntrantIndex, Instant, Instant], Conditions]
"""Returns an entrant's conditions between two instants."""


class MatchRecorder:
    """Records a match while it is played, so that it need not be replayed for the store."""

    def __init__(self, match_id: MatchId, terms: Terms) -> None:
        self._match_id = match_id
        self._terms = terms
        self._lines: list[bytes] = []
        """Events of the running game."""
        self._seats: tuple[int, ...] = ()
        self._counts: list[Counter[str]] = [Counter() for _ in terms.entrants]
        self._games: list[GameRow] = []
        self._strike_records: list[list[StrikeRecord]] = [[] for _ in terms.entrants]
        self._struck_at: list[list[Instant]] = [[] for _ in terms.entrants]
        """When each strike was issued."""
        self._error: Exception | None = None

    def record_orders(
        self, at: Instant, now: Instant, orders: Iterable[Order], observe: ObserveEntrant | None = None
    ) -> None:
        """Record the orders of an input that happened at `at` and was handled at `now`.

        `observe` returns the conditions of a strike; None if they are unknown. An internal error is kept until
        `build_record` raises it, so that it does not end the match.
        """
        try:
            self._record_orders(at, now, orders, observe)
        except Exception as error:  # noqa: BLE001  see above
            self._error = self._error or error

    def note_silence(self, entrant: EntrantIndex, since: Instant) -> None:
        """Mark the strikes of an entrant after `since`, when the last frame came from its stream that has ended."""
        strikes = self._strike_records[entrant]
        for index, at in enumerate(self._struck_at[entrant]):
            if at > since and (seen := strikes[index].conditions) is not None:
                strikes[index] = replace(strikes[index], conditions=replace(seen, is_silent=True))

    def build_record(self, row: MatchRow, referee: Referee) -> MatchRecord:
        """Return the record to store for a match that has ended or was interrupted.

        `row` is the row stored when the match began. Raises the first error that occurred while recording.
        """
        if self._error is not None:
            raise self._error
        final = replace(
            row,
            state="ended",
            termination="interrupted" if referee.ended is None else referee.ended.termination,
            strikes=strike_counts_of(referee),
            statistics=self._statistics(referee),
            faults=tuple(strike_to_plain(fault) for faults in self._strike_records for fault in faults),
        )
        return MatchRecord(final, tuple(self._games))

    def _record_orders(
        self, at: Instant, now: Instant, orders: Iterable[Order], observe: ObserveEntrant | None
    ) -> None:
        for order in orders:
            if type(order) is TellEvent:
                self._lines.append(event_line(at, order.event))
                for seat, word in self._terms.game.event_statistics(order.event):
                    self._counts[self._seats[seat]][word] += 1
            elif type(order) is AnnounceFact:
                fact = order.fact
                self._seats = getattr(fact, "entrants", self._seats)
                self._lines.append(event_line(at, fact))
                if isinstance(fact, GameEnded):
                    self._end_game(fact)
            elif type(order) is TellStrike:
                self._add_strike_record(at, now, order.struck, observe)

    def _add_strike_record(
        self, at: Instant, now: Instant, struck: StrikeIssued, observe: ObserveEntrant | None
    ) -> None:
        strikes = self._strike_records[struck.entrant]
        if len(strikes) == MAX_STRIKE_RECORDS:
            return
        asked, given = struck.asked, struck.no_answer
        came = given is not None or struck.kind in (StrikeKind.LATE, StrikeKind.ILLEGAL)
        since = at if asked is None else asked.at
        self._struck_at[struck.entrant].append(at)
        strikes.append(
            StrikeRecord(
                entrant=struck.entrant,
                game=len(self._games),
                turn=self._turn_count(),
                kind=struck.kind,
                prompt_id=struck.prompt_id,
                prompt="" if asked is None else asked.kind,
                allowed_us=None if asked is None or asked.deadline is None else asked.deadline - asked.at,
                came_us=max(0, at - since) if came and asked is not None else None,
                handled_us=now - at if came else 0,
                reason=struck.reason,
                action=self._action_text(struck.action),
                automatic=self._action_text(struck.automatic),
                no_answer="" if given is None else given.cause.value,
                words="" if given is None else given.words,
                conditions=None if observe is None else observe(struck.entrant, since, at if came else now),
            )
        )

    def _action_text(self, action: Any) -> str:
        return "" if action is None else self._terms.game.write_action(action)

    def _turn_count(self) -> int:
        turns = sum(counts["turns"] for counts in self._counts)
        return turns - sum(game.turn_count for game in self._games)

    def _end_game(self, fact: GameEnded) -> None:
        raw = b"\n".join(self._lines)
        self._lines = []
        self._games.append(
            GameRow(
                match_id=self._match_id,
                game=fact.game,
                places=fact.places_by_entrant,
                termination=fact.termination,
                turn_count=self._turn_count(),
                rules_version=self._terms.game.version,
                digest=hashlib.sha256(raw).hexdigest(),
                events=zlib.compress(raw),
            )
        )

    def _statistics(self, referee: Referee) -> tuple[dict[str, float], ...]:
        """Return by entrant: the game's counts, `decisions`, `think_s` (the mean, in seconds) and `slowest_share`.

        If answers were late, their figures follow (see `think_time`).
        """
        figures: list[dict[str, float]] = []
        for record, counts in zip(referee.entrant_records, self._counts, strict=True):
            decisions = record.decision_count
            think_s = record.think_us / 1e6 / decisions if decisions else 0.0
            times = {"think_s": think_s, "slowest_share": record.slowest_share}
            figures.append(
                {**counts, "decisions": decisions, **times, **late_figures(record.late_count, record.late_us)}
            )
        return tuple(figures)


def group_by_match(records: Iterable[bytes]) -> dict[int, list[bytes]]:
    """Return the records of a journal's inputs by match number. Offers are left out, since they are not inputs."""
    matches: dict[int, list[bytes]] = {}
    for record in records:
        if not is_offer(record):
            matches.setdefault(match_number_of(record), []).append(record)
    return matches
