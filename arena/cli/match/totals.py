"""Sums over games and matches, by bot: places, faults and what people want counted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from arena.match.match_order import MatchReport

STRIKE_KINDS = ("late", "illegal", "missing", "gone")
_TIME_FIGURES = {"think_s", "slowest_share"}


@dataclass(slots=True)
class EntrantTotals:
    """One bot's sums."""

    name: str
    places: list[int] = field(default_factory=list)
    """In the order of the games."""
    counts: Counter[str] = field(default_factory=Counter)
    """Decisions, lies, calls and so on."""
    strikes: Counter[str] = field(default_factory=Counter)
    think_sum_s: float = 0.0
    slowest_share: float = 0.0
    """The largest part of its time that a decision took."""

    @property
    def place_sum(self) -> int:
        """Sum of places; the smaller, the better."""
        return sum(self.places)

    @property
    def mean_place(self) -> float:
        """Mean place, 1 is best; 0 before the first game."""
        return self.place_sum / len(self.places) if self.places else 0.0

    @property
    def mean_think_s(self) -> float:
        """Mean seconds a decision."""
        decisions = self.counts["decisions"]
        return self.think_sum_s / decisions if decisions else 0.0

    @property
    def strike_count(self) -> int:
        """Faults of all kinds."""
        return sum(self.strikes.values())


def rank_entrants(names: Sequence[str], reports: Iterable[MatchReport]) -> list[EntrantTotals]:
    """Add up matches of the same entrants, best mean place first; ties in the order of the names."""
    standings = [EntrantTotals(name) for name in names]
    for report in reports:
        for entrant, standing in enumerate(standings):
            standing.places += [game.places[entrant] for game in report.games]
            if report.strikes:
                standing.strikes.update({kind: report.strikes[entrant][kind] for kind in STRIKE_KINDS})
            if report.figures:
                _add_figures(standing, report, entrant)
    return sorted(standings, key=lambda standing: standing.mean_place)


def _add_figures(standing: EntrantTotals, report: MatchReport, entrant: int) -> None:
    figures = report.figures[entrant]
    standing.think_sum_s += figures.get("think_s", 0.0) * figures.get("decisions", 0.0)
    standing.slowest_share = max(standing.slowest_share, figures.get("slowest_share", 0.0))
    standing.counts.update({name: int(value) for name, value in figures.items() if name not in _TIME_FIGURES})
