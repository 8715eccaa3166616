"""Sums up games and matches: totals and standings of bots, the lengths of games, the limit of faults."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from arena.errors import OptionError
from arena.games.catalogue import pack_of
from arena.games.pack import FigureColumn
from arena.match.referee.facts import STRIKE_NAMES
from arena.match.referee.game_lengths import GameLengths, measure_games
from arena.match.referee.match_order import MatchReport
from arena.match.referee.think_time import LATE_ANSWERS, LATE_THINK_S, read_think_time
from arena.organizer.report.number_format import format_percent
from arena.plain_data import take_fields
from arena.plurals import format_count

MAX_FAULT_SHARE: Final = 0.01
"""The largest share of faults among a bot's decisions that is accepted by default."""
_MAX_PLACES: Final = 10
"""Maximum number of places that are listed one by one."""
_PLACE_MEANING: Final = "place 1 is best, so a low mean is good"
_THINK_MEANING: Final = "think: mean milliseconds per answer"
_TIME_FIGURES: Final = {"think_s", "slowest_share", LATE_ANSWERS, LATE_THINK_S}


@dataclass(slots=True)
class EntrantTotals:
    name: str
    places: list[int] = field(default_factory=list)
    """In the order of the games."""
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
        """Lower is better."""
        return sum(self.places)

    @property
    def mean_place(self) -> float:
        """1 is best; 0 means that there are no games."""
        return self.place_sum / len(self.places) if self.places else 0.0

    @property
    def mean_think_s(self) -> float:
        """Return the mean time of an answer in seconds, accepted or late."""
        return self.think_sum_s / self.answer_count if self.answer_count else 0.0

    @property
    def strike_count(self) -> int:
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


def columns_of(game: str) -> Sequence[FigureColumn]:
    """Raises UnknownNameError."""
    return pack_of(game).columns


def count_names(game: str) -> list[str]:
    return [name for column in columns_of(game) for name in column.counts]


def lengths_of(reports: Iterable[MatchReport], turn_limit: int | None) -> GameLengths:
    return measure_games(((game.termination, game.turn_count) for each in reports for game in each.games), turn_limit)


def length_text(lengths: GameLengths) -> str:
    """Return how long the games were, in one line; empty if nothing is known."""
    median = lengths.median_turns
    turns = "" if median is None else f"{median:.0f}" if lengths.game_count == 1 else f"{median:.0f} a game (median)"
    return "; ".join(filter(None, [turns, stopped_text(lengths)]))


def stopped_text(lengths: GameLengths) -> str:
    """Return how many games ended at the turn limit; empty if none did."""
    if not lengths.stopped_count:
        return ""
    at = "the turn limit" if lengths.turn_limit is None else f"the limit of {format_count(lengths.turn_limit, 'turn')}"
    if lengths.game_count == 1:
        return f"the game ended at {at}"
    return f"{lengths.stopped_count} of {format_count(lengths.game_count, 'game')} ended at {at}"


def lengths_as_dict(lengths: GameLengths) -> dict[str, Any]:
    return {
        "turn_limit": lengths.turn_limit,
        "games_at_turn_limit": lengths.stopped_count,
        "median_turns": lengths.median_turns,
    }


def standings_table(standings: Sequence[EntrantTotals], game: str, title: str = "") -> Table:
    """Return a table of all bots, best first, with the figures of the game. The table fits into 80 columns.

    The figures are left out while a match runs, because they are known only at its end.
    """
    columns = columns_of(game) if any(standing.counts for standing in standings) else ()
    meanings = [f"{column.heading}: {column.meaning}" for column in columns if column.meaning]
    table = Table(
        title=title or None,
        title_justify="left",
        caption="; ".join([_PLACE_MEANING, *meanings, _THINK_MEANING]),
        caption_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
    )
    table.add_column("bot", no_wrap=True)
    table.add_column("places", min_width=len("places"))
    for heading in ("sum", "mean", *(column.heading for column in columns), "think"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("faults", min_width=len("faults"))
    for standing in standings:
        table.add_row(
            standing.name,
            places_text(standing.places),
            str(standing.place_sum),
            f"{standing.mean_place:.2f}",
            *(column.format_cell(standing.counts) for column in columns),
            f"{standing.mean_think_s * 1000:.1f}",
            faults_text(standing),
        )
    return table


def places_text(places: Sequence[int]) -> str:
    """Return the places one by one. If there are many, return how often each place occurs.

    >>> places_text([1, 3, 2]), places_text([1] * 20 + [2] * 4)
    ('1 3 2', '20x1 4x2')
    """
    if len(places) <= _MAX_PLACES:
        return " ".join(map(str, places))
    return " ".join(f"{places.count(place)}x{place}" for place in sorted(set(places)))


def faults_text(standing: EntrantTotals) -> str:
    """Return the number of strikes by kind, or "none" if there are no strikes."""
    return ", ".join(f"{standing.strikes[kind]} {kind}" for kind in STRIKE_NAMES if standing.strikes[kind]) or "none"


def totals_as_dict(standing: EntrantTotals, game: str) -> dict[str, Any]:
    return {
        **take_fields(standing, "name", "places", "place_sum", "mean_place"),
        "strikes": {kind: standing.strikes[kind] for kind in STRIKE_NAMES},
        "counts": dict.fromkeys(count_names(game), 0) | standing.counts,
        "think_s": standing.mean_think_s,
        "slowest_share": standing.slowest_share,
    }


@dataclass(frozen=True, slots=True)
class FaultLimit:
    """How many faults a bot may have before the command fails."""

    max_strikes: int | None = None
    """The largest accepted number of faults; None accepts a share of `MAX_FAULT_SHARE`."""
    is_forgiving: bool = False
    """Whether any number of faults is accepted."""

    def check(self) -> "FaultLimit":
        """Return this limit. Raises OptionError if it forgives all faults and limits their number too."""
        if self.is_forgiving and self.max_strikes is not None:
            raise OptionError("max-strikes", self.max_strikes, "--forgiving accepts any number: give only one of them")
        return self

    def is_exceeded(self, standing: EntrantTotals) -> bool:
        if self.is_forgiving:
            return False
        if self.max_strikes is not None:
            return standing.strike_count > self.max_strikes
        return standing.fault_share > MAX_FAULT_SHARE

    def verdict(self, standing: EntrantTotals) -> str:
        faults, decisions = format_count(standing.strike_count, "fault"), format_count(standing.asked_count, "decision")
        text = f"{standing.name} has {faults} in {decisions} ({format_percent(standing.fault_share, 1)})"
        if self.is_exceeded(standing):
            most = self.max_strikes
            limit = format_percent(MAX_FAULT_SHARE) if most is None else f"{most} (--max-strikes)"
            return f"{text}: more than {limit}, so the exit code is 3"
        return f"{text}, which --forgiving accepts" if self.is_forgiving else text
