"""Sums places, strikes and other figures over games and matches, for each bot."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from arena.match.facts import STRIKE_NAMES
from arena.match.match_order import MatchReport

_TIME_FIGURES = {"think_s", "slowest_share"}


@dataclass(slots=True)
class EntrantTotals:
    """The totals of one bot."""

    name: str
    places: list[int] = field(default_factory=list)
    """Places, in the order of the games."""
    counts: Counter[str] = field(default_factory=Counter)
    """Counts of decisions, lies, calls and so on."""
    strikes: Counter[str] = field(default_factory=Counter)
    think_sum_s: float = 0.0
    slowest_share: float = 0.0
    """The largest share of a decision's time limit that the bot used."""

    @property
    def place_sum(self) -> int:
        """Return the sum of places; lower is better."""
        return sum(self.places)

    @property
    def mean_place(self) -> float:
        """Return the mean place: 1 is best; 0 means that there are no games."""
        return self.place_sum / len(self.places) if self.places else 0.0

    @property
    def mean_think_s(self) -> float:
        """Return the mean time per decision in seconds."""
        decisions = self.counts["decisions"]
        return self.think_sum_s / decisions if decisions else 0.0

    @property
    def strike_count(self) -> int:
        """Return the number of strikes of all kinds."""
        return sum(self.strikes.values())


def rank_entrants(names: Sequence[str], reports: Iterable[MatchReport]) -> list[EntrantTotals]:
    """Return the totals over matches of the same entrants, best mean place first. Ties keep the order of `names`."""
    standings = [EntrantTotals(name) for name in names]
    for report in reports:
        for entrant, standing in enumerate(standings):
            standing.places += [game.places[entrant] for game in report.games]
            if report.strikes:
                standing.strikes.update({kind: report.strikes[entrant].get(kind, 0) for kind in STRIKE_NAMES})
            if report.figures:
                figures = report.figures[entrant]
                standing.think_sum_s += figures.get("think_s", 0.0) * figures.get("decisions", 0.0)
                standing.slowest_share = max(standing.slowest_share, figures.get("slowest_share", 0.0))
                standing.counts.update({name: int(each) for name, each in figures.items() if name not in _TIME_FIGURES})
    return sorted(standings, key=lambda standing: standing.mean_place)
