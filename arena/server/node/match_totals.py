"""Sums of the referees' counters, over matches that run and matches that have ended."""

from collections import Counter
from collections.abc import Iterable
from typing import Self

from arena.match.referee.entrant_record import EntrantRecord
from arena.match.referee.facts import StrikeKind
from arena.server.node.hosted_match import HostedMatch


class MatchTotals:
    def __init__(self) -> None:
        self.decisions = 0
        self.think_us = 0
        self.strikes: Counter[StrikeKind] = Counter()
        self.think_octaves: Counter[int] = Counter()
        """Decisions by duration, as in `EntrantRecord.think_octaves`."""

    def add(self, records: Iterable[EntrantRecord]) -> Self:
        """Return these totals."""
        for record in records:
            self.decisions += record.decision_count
            self.think_us += record.think_us
            self.strikes.update(dict(record.strikes))
            self.think_octaves.update(dict(record.think_octaves))
        return self

    def merge(self, other: "MatchTotals") -> "MatchTotals":
        result = MatchTotals()
        for sums in (self, other):
            result.decisions += sums.decisions
            result.think_us += sums.think_us
            result.strikes.update(sums.strikes)
            result.think_octaves.update(sums.think_octaves)
        return result

    def think_quantile_us(self, share: float) -> int:
        """Return the time in microseconds within which this share of the decisions was made; 0 without decisions.

        It is estimated from counts by powers of two, as if the durations in each count were spread evenly.
        """
        wanted = share * sum(self.think_octaves.values())
        below = 0
        for octave, count in sorted(self.think_octaves.items()):
            if below + count >= wanted:
                least, width = (1 << octave - 1, 1 << octave - 1) if octave else (0, 1)
                return round(least + width * (wanted - below) / count)
            below += count
        return 0


class EndedMatches:
    """Counts the matches that have ended, and sums their counters. Implements `MatchObserver`."""

    def __init__(self) -> None:
        self.totals = MatchTotals()
        self.count = 0

    def on_match_started(self, hosted: HostedMatch) -> None:
        """Do nothing: a running match is read directly."""

    def on_match_ended(self, hosted: HostedMatch) -> None:
        self.count += 1
        self.totals.add(hosted.table.referee.entrant_records)
