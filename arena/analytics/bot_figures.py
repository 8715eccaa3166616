"""What the counts say, as figures for people: shares and means with what they are of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from math import sqrt
from typing import Any, ClassVar, NamedTuple, Protocol

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
    """A share or a mean: how much, of how many."""

    amount: float
    of: float

    @property
    def value(self) -> float | None:
        """The ratio; None of nothing."""
        return self.amount / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class DealLuck:
    """Luck of the deal, in the unit of the game's measure (`luck`); 0 is the mean of each deal."""

    mean: float
    error: float | None
    """Standard error of the mean; None of a single game."""


@dataclass(frozen=True, slots=True)
class CommonFigures:
    """What is known of a bot in any game."""

    games: int
    luck: DealLuck
    think_s: Ratio
    """Seconds of thought a decision."""


class BotFigures(Protocol):
    """Figures of one bot in one game: a data class whose other fields are ratios, or ratios by band."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def play(self) -> CommonFigures:
        """What is known in any game."""


@dataclass(frozen=True, slots=True)
class CheatFigures:
    """How a bot lies and calls in the Cheat family."""

    play: CommonFigures
    lies: Ratio
    """Of its claims."""
    lies_by_rank: Mapping[str, Ratio]
    lies_by_count: Mapping[str, Ratio]
    lies_by_pile: Mapping[str, Ratio]
    """By cards on the pile before the claim."""
    lies_called: Ratio
    """Its lies that somebody called, of those that somebody could call."""
    truths_called: Ratio
    """The same of its true moves."""
    precision: Ratio
    """Lies among the moves that it called."""
    recall: Ratio
    """What it called of the lies that it could call; in the live pace those aside that another called first."""
    cards_a_wrong_call: Ratio
    """Cards that it took for a wrong call: declining would have cost it none."""
    cards_a_right_call: Ratio
    """Cards that others took for a right call of its."""


@dataclass(frozen=True, slots=True)
class CheaterFigures:
    """How a bot attacks and hides in CHEATER."""

    play: CommonFigures
    attacks: Ratio
    """A turn."""
    attacks_by_kind: Mapping[str, Ratio]
    """Of its attacks."""
    hidden_by_kind: Mapping[str, Ratio]
    """Its attacks of this kind that failed, as the victim hid its hand."""
    hides: Ratio
    """Of the attacks that it suffered."""
    cards_an_attack: Ratio
    """Cards that it took or had discarded."""
    cards_lost: Ratio
    """A game, to attacks of others."""
    markers: Ratio
    """Times that it became the CHEATER, a game."""


def cheat_figures(counts: Counts) -> CheatFigures:
    """Work out the figures of a bot from its sums."""
    claims, lies = (sum(_padded_counts(counts, f"{what}_by_rank", len(RANK_BANDS))) for what in ("claims", "lies"))
    made, faced = _padded_counts(counts, "made", 4), _padded_counts(counts, "faced", 4)
    judged, cards = _padded_counts(counts, "judged", 2), _padded_counts(counts, "judged_cards", 2)
    return CheatFigures(
        play=common_figures(counts),
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
    """Work out the figures of a bot from its sums."""
    attacks, hidden = (_padded_counts(counts, name, len(ATTACKS)) for name in ("attacks", "attacks_hidden"))
    games = _single_count(counts, "games")
    return CheaterFigures(
        play=common_figures(counts),
        attacks=Ratio(sum(attacks), _single_count(counts, "turns")),
        attacks_by_kind={kind: Ratio(number, sum(attacks)) for kind, number in zip(ATTACKS, attacks, strict=True)},
        hidden_by_kind=dict(zip(ATTACKS, map(Ratio, hidden, attacks), strict=True)),
        hides=Ratio(_single_count(counts, "hides"), _single_count(counts, "attacks_suffered")),
        cards_an_attack=Ratio(_single_count(counts, "cards_won"), sum(attacks)),
        cards_lost=Ratio(_single_count(counts, "cards_lost"), games),
        markers=Ratio(_single_count(counts, "markers"), games),
    )


def figure_rows(figures: BotFigures) -> Iterator[tuple[str, str, Ratio]]:
    """Give every ratio as a line of a table: name, band (empty: none), ratio."""
    yield "think_s", "", figures.play.think_s
    for name in (field.name for field in fields(figures)):
        value = getattr(figures, name)
        if isinstance(value, Ratio):
            yield name, "", value
        elif isinstance(value, Mapping):
            yield from ((name, band, ratio) for band, ratio in value.items())


def common_figures(counts: Counts) -> CommonFigures:
    """Work out what is known of a bot in any game, from its sums."""
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
