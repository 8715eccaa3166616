"""How the bots of a league play, and who spares whom: sums of what was kept with each block, for the report."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from arena.analytics.bot_figures import figure_rows
from arena.analytics.collusion_screen import PairEvidence, screen_for_collusion
from arena.analytics.counts import AnalyticsTotals
from arena.games.catalogue import pack_of
from arena.hosting.play.open_league import OpenLeague
from arena.report.play_view import BotPlay, Collusion, Share

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
    """How each of these bots plays, in their order."""
    figures = pack_of(league.file.terms.game.name).load_analytics().build_figures
    found = []
    counts = seen.counts
    for name in (each for each in names if each in counts):
        known = figures(counts[name])
        singles: dict[str, Share] = {}
        bands: dict[str, dict[str, Share]] = {}
        for what, band, ratio in figure_rows(known):
            share = Share(ratio.amount, ratio.of)
            if band:
                bands.setdefault(what, {})[band] = share
            else:
                singles[what] = share
        found.append(BotPlay(name, singles, bands, known.play.luck.mean, known.play.luck.error))
    return found


def find_collusion(seen: AnalyticsTotals) -> Sequence[Collusion]:
    """The pairs that stand out."""
    return [_collusion_from_evidence(each) for each in screen_for_collusion(seen.pairs).flagged_pairs]


def _collusion_from_evidence(evidence: PairEvidence) -> Collusion:
    one, other = evidence.directions
    chances, taken, expected = (getattr(one, what) + getattr(other, what) for what in ("chances", "taken", "expected"))
    sentence = (
        f"{one.caller} on {one.accused}: {one.taken:g} of {one.expected:.1f} expected;"
        f" {other.caller} on {other.accused}: {other.taken:g} of {other.expected:.1f}; together"
        f" {evidence.ratio:.2f} of what was to be expected, z = {evidence.z:.1f}"
    )
    return Collusion(one.caller, one.accused, chances, taken, expected, evidence.p_of_all, sentence)
