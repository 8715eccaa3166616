"""How the bots of a league play, and who spares whom: sums of what was kept with each block, for the report."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from arena.analytics.bot_figures import CheaterFigures, CheatFigures, Ratio, cheat_figures, cheater_figures, figure_rows
from arena.analytics.counts import AnalyticsTotals, Counts
from arena.hosting.play.open_league import OpenLeague
from arena.report.play_view import BotPlay

FIGURE_FUNCTIONS: Final[Mapping[str, Callable[[Counts], CheatFigures | CheaterFigures]]] = {
    "cheat": cheat_figures,
    "cheater": cheater_figures,
}
_LUCK_NOTE: Final = (
    "Luck is a measure of the dealt hand, fixed before any result, less the mean of the hands of its deal:"
)
PLAY_NOTES: Final[Mapping[str, Sequence[str]]] = {
    "cheat": (
        "Lies are counted among face-down moves that claim a card; pile bands are the cards on the pile before it.",
        "A wrong call costs the cards that its caller takes, since declining costs none.",
        f"{_LUCK_NOTE} how many true moves fewer it needs to be empty, with every rank laid at once.",
    ),
    "cheater": (f"{_LUCK_NOTE} how many letters of CHEATER it has more in its best colour.",),
}
"""By game: how the figures are defined."""
COLLUSION_METHOD: Final = (
    "For each pair, calls (in CHEATER attacks) made on each other beside those that were to be expected from both bots'"
    " rates in like moments of the same games; one-sided, Holm over all pairs at 1 %, fewer than three quarters. A flag"
    " means that chance and the deals do not explain it; it is no verdict."
)


def add_block_analytics(
    total: AnalyticsTotals, block: Mapping[str, Any], roles: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Add what was kept with a block; entrants of one role count together."""
    for table in block["tables"]:
        total.add_plain([roles.get(name, name) for name in table["seats"]], table["insight"])


def build_bot_plays(seen: AnalyticsTotals, league: OpenLeague, names: Iterable[str]) -> list[BotPlay]:
    """How each of these bots plays, in their order; none for a game of which no figures are known."""
    figures = FIGURE_FUNCTIONS.get(league.file.terms.game.name)
    if figures is None:
        return []
    found = []
    counts = seen.counts
    for name in (each for each in names if each in counts):
        known = figures(counts[name])
        singles: dict[str, Ratio] = {}
        bands: dict[str, dict[str, Ratio]] = {}
        for what, band, ratio in figure_rows(known):
            if band:
                bands.setdefault(what, {})[band] = ratio
            else:
                singles[what] = ratio
        found.append(BotPlay(name, singles, bands, known.play.luck.mean, known.play.luck.error))
    return found
