"""Figures for people, computed from the counts: shares and means with their denominators."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from arena.analytics.cheat_analyzer import (
    COUNT_BANDS,
    LIE,
    LIE_CALLED,
    PILE_BANDS,
    RANK_BANDS,
    RIGHT,
    TRUE,
    TRUE_CALLED,
    WRONG,
)
from arena.analytics.cheater_analyzer import ATTACKS
from arena.analytics.counts import Counts


class Ratio(NamedTuple):
    """A share or a mean: an amount and its denominator."""

    amount: float
    of: float

    @property
    def value(self) -> float | None:
        """The ratio; None if the denominator is 0."""
        return self.amount / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class DealLuck:
    """Luck of the deal, in the unit of the game's measure (`deal_luck`); 0 is the mean of each deal."""

    mean: float
    error: float | None
    """Standard error of the mean; None for a single game."""


@dataclass(frozen=True, slots=True)
class CommonFigures:
    """Figures of a bot that exist in every game."""

    games: int
    luck: DealLuck
    think_s: Ratio
    """Think time per decision, in seconds."""


@dataclass(frozen=True, slots=True)
class CheatFigures:
    """How a bot lies and calls in the Cheat family."""

    play: CommonFigures
    lies: Ratio
    """Share of lies among its claims."""
    lies_by_rank: Mapping[str, Ratio]
    lies_by_count: Mapping[str, Ratio]
    lies_by_pile: Mapping[str, Ratio]
    """By cards on the pile before the claim."""
    lies_called: Ratio
    """Share called of its lies that could be called."""
    truths_called: Ratio
    """Share called of its true moves that could be called."""
    precision: Ratio
    """Share of lies among the moves it called."""
    recall: Ratio
    """Share called of the lies it could call; in the live pace without those that another seat called first."""
    cards_a_wrong_call: Ratio
    """Cards it took per wrong call; a decline would have cost none."""
    cards_a_right_call: Ratio
    """Cards that the liar took per right call."""


@dataclass(frozen=True, slots=True)
class CheaterFigures:
    """How a bot attacks and hides in CHEATER."""

    play: CommonFigures
    attacks: Ratio
    """Attacks per turn."""
    attacks_by_kind: Mapping[str, Ratio]
    """Share of each kind among its attacks."""
    hidden_by_kind: Mapping[str, Ratio]
    """Share of its attacks of each kind that failed because the victim hid its hand."""
    hides: Ratio
    """Share of the attacks on it against which it hid its hand."""
    cards_an_attack: Ratio
    """Cards that it took or discarded per attack."""
    cards_lost: Ratio
    """Cards lost to attacks per game."""
    markers: Ratio
    """Times per game that it became the CHEATER."""


def cheat_figures(counts: Counts) -> CheatFigures:
    """Return the figures of a bot from its summed counts."""
    claims, lies = (sum(_padded_counts(counts, f"{what}_by_rank", len(RANK_BANDS))) for what in ("claims", "lies"))
    made, faced = _padded_counts(counts, "made", 4), _padded_counts(counts, "faced", 4)
    judged, cards = _padded_counts(counts, "judged", 2), _padded_counts(counts, "judged_cards", 2)
    return CheatFigures(
        play=_common_figures(counts),
        lies=Ratio(lies, claims),
        lies_by_rank=_lies_by(counts, "rank", RANK_BANDS),
        lies_by_count=_lies_by(counts, "count", COUNT_BANDS),
        lies_by_pile=_lies_by(counts, "pile", PILE_BANDS),
        lies_called=Ratio(made[LIE_CALLED], made[LIE] + made[LIE_CALLED]),
        truths_called=Ratio(made[TRUE_CALLED], made[TRUE] + made[TRUE_CALLED]),
        precision=Ratio(faced[LIE_CALLED], faced[TRUE_CALLED] + faced[LIE_CALLED]),
        recall=Ratio(faced[LIE_CALLED], faced[LIE] + faced[LIE_CALLED]),
        cards_a_wrong_call=Ratio(cards[WRONG], judged[WRONG]),
        cards_a_right_call=Ratio(cards[RIGHT], judged[RIGHT]),
    )


def cheater_figures(counts: Counts) -> CheaterFigures:
    """Return the figures of a bot from its summed counts."""
    attacks, hidden = (_padded_counts(counts, name, len(ATTACKS)) for name in ("attacks", "attacks_hidden"))
    games = _single_count(counts, "games")
    return CheaterFigures(
        play=_common_figures(counts),
        attacks=Ratio(sum(attacks), _single_count(counts, "turns")),
        attacks_by_kind={kind: Ratio(number, sum(attacks)) for kind, number in zip(ATTACKS, attacks, strict=True)},
        hidden_by_kind=dict(zip(ATTACKS, map(Ratio, hidden, attacks), strict=True)),
        hides=Ratio(_single_count(counts, "hides"), _single_count(counts, "attacks_suffered")),
        cards_an_attack=Ratio(_single_count(counts, "cards_won"), sum(attacks)),
        cards_lost=Ratio(_single_count(counts, "cards_lost"), games),
        markers=Ratio(_single_count(counts, "markers"), games),
    )


def figure_rows(figures: CheatFigures | CheaterFigures) -> Iterator[tuple[str, str, Ratio]]:
    """Yield every ratio as a table row: name, band (empty if none), ratio."""
    yield "think_s", "", figures.play.think_s
    for name in figures.__slots__:
        value = getattr(figures, name)
        if isinstance(value, Ratio):
            yield name, "", value
        elif isinstance(value, Mapping):
            yield from ((name, band, ratio) for band, ratio in value.items())


def _common_figures(counts: Counts) -> CommonFigures:
    games, luck = _single_count(counts, "games"), _single_count(counts, "luck")
    mean = luck / games if games else 0.0
    error = None
    if games > 1:
        error = sqrt(max(_single_count(counts, "luck_squared") - games * mean * mean, 0.0) / (games - 1) / games)
    return CommonFigures(
        int(games), DealLuck(mean, error), Ratio(_single_count(counts, "think_s"), _single_count(counts, "decisions"))
    )


def _lies_by(counts: Counts, by: str, bands: Sequence[str]) -> dict[str, Ratio]:
    lies, claims = (_padded_counts(counts, f"{what}_by_{by}", len(bands)) for what in ("lies", "claims"))
    return dict(zip(bands, map(Ratio, lies, claims), strict=True))


def _single_count(counts: Counts, name: str) -> float:
    return counts[name][0] if name in counts else 0


def _padded_counts(counts: Counts, name: str, length: int) -> list[float]:
    found = counts.get(name, [])
    return [*found, *[0] * (length - len(found))]
