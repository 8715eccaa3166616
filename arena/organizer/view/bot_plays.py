"""How a league's bots play: figures for the report, from the analytics that each block keeps."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from arena.games.catalogue import pack_of
from arena.organizer.report.play_view import BotPlay
from arena.replays.analytics.bot_figures import Ratio, figure_rows
from arena.replays.analytics.counts import AnalyticsTotals

COLLUSION_METHOD: Final = (
    "For each pair, calls (in CHEATER attacks) made on each other beside those that were to be expected from both bots'"
    " rates in like moments of the same games; one-sided, Holm over all pairs at 1 %, fewer than three quarters. A flag"
    " means that chance and the deals do not explain it; it is no verdict."
)


def add_block_analytics(
    total: AnalyticsTotals, block: Mapping[str, Any], roles: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Add a block's analytics to the total. Entrants with the same role are counted together."""
    for table in block["tables"]:
        total.add_plain([roles.get(name, name) for name in table["seats"]], table["insight"])


def build_bot_plays(totals: AnalyticsTotals, game: str, names: Iterable[str]) -> list[BotPlay]:
    """Return how each of these bots plays the game with this name, in order. Bots without analytics are left out."""
    figures = pack_of(game).load_analytics().build_figures
    plays = []
    for name in (each for each in names if each in totals.counts):
        known = figures(totals.counts[name])
        singles: dict[str, Ratio] = {}
        bands: dict[str, dict[str, Ratio]] = {}
        for what, band, ratio in figure_rows(known):
            if band:
                bands.setdefault(what, {})[band] = ratio
            else:
                singles[what] = ratio
        plays.append(BotPlay(name, singles, bands, known.play.luck.mean, known.play.luck.error))
    return plays
