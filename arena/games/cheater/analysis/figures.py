"""Computes the figures of a bot's play in CHEATER from its counts. Each share or mean comes with its denominator."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.games.cheater.analysis.analyzer import ATTACKS
from arena.replays.analytics.bot_figures import CommonFigures, Ratio, common_figures, padded_counts, single_count
from arena.replays.analytics.counts import Counts


@dataclass(frozen=True, slots=True)
class CheaterFigures:
    """How a bot attacks and hides in CHEATER."""

    play: CommonFigures
    attacks: Ratio
    """Attacks per turn."""
    attacks_by_kind: Mapping[str, Ratio]
    """Share of each kind among the bot's attacks."""
    hidden_by_kind: Mapping[str, Ratio]
    """For each kind, the share of the bot's attacks that failed because the victim hid its hand."""
    hides: Ratio
    """Share of the attacks on the bot in which the bot hid its hand."""
    cards_an_attack: Ratio
    """Mean number of cards that an attack of the bot took or discarded from the victim's hand."""
    cards_lost: Ratio
    """Mean number of cards that the bot lost in a game to attacks of others."""
    markers: Ratio
    """How many times the bot became the CHEATER, per game."""


def cheater_figures(counts: Counts) -> CheaterFigures:
    """Return the figures of a bot, computed from its summed counts."""
    attacks, hidden = (padded_counts(counts, name, len(ATTACKS)) for name in ("attacks", "attacks_hidden"))
    games = single_count(counts, "games")
    return CheaterFigures(
        play=common_figures(counts),
        attacks=Ratio(sum(attacks), single_count(counts, "turns")),
        attacks_by_kind={kind: Ratio(number, sum(attacks)) for kind, number in zip(ATTACKS, attacks, strict=True)},
        hidden_by_kind=dict(zip(ATTACKS, map(Ratio, hidden, attacks), strict=True)),
        hides=Ratio(single_count(counts, "hides"), single_count(counts, "attacks_suffered")),
        cards_an_attack=Ratio(single_count(counts, "cards_won"), sum(attacks)),
        cards_lost=Ratio(single_count(counts, "cards_lost"), games),
        markers=Ratio(single_count(counts, "markers"), games),
    )
