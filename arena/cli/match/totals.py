"""Sums places, strikes and other figures over games and matches, for each bot."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from arena.match.referee.facts import STRIKE_NAMES
from arena.match.referee.match_order import MatchReport
from arena.match.referee.think_time import LATE_ANSWERS, LATE_THINK_S, read_think_time

_TIME_FIGURES = {"think_s", "slowest_share", LATE_ANSWERS, LATE_THINK_S}


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
    """Seconds for all answers, accepted or late."""
    answer_count: float = 0.0
    """The number of these answers."""
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
        """Return the mean time of an answer in seconds, accepted or late."""
        return self.think_sum_s / self.answer_count if self.answer_count else 0.0

    @property
    def strike_count(self) -> int:
        """Return the number of strikes of all kinds."""
        return sum(self.strikes.values())

    @property
    def asked_count(self) -> int:
        """Return how many decisions the bot was asked for, including those in which it had a fault."""
        return self.counts["decisions"] + self.strike_count

    @property
    def fault_share(self) -> float:
        """Return the share of faults among the decisions asked for, 0 to 1."""
        return self.strike_count / max(1, self.asked_count)


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
                think_time = read_think_time(figures)
                standing.think_sum_s += think_time.sum_s
                standing.answer_count += think_time.answer_count
                standing.slowest_share = max(standing.slowest_share, figures.get("slowest_share", 0.0))
                standing.counts.update({name: int(each) for name, each in figures.items() if name not in _TIME_FIGURES})
    return sorted(standings, key=lambda standing: standing.mean_place)
