"""Computes the figures of a bot's play in Cheat from its counts. Each share or mean comes with its denominator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.games.cheat.analysis.analyzer import (
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
from arena.replays.analytics.bot_figures import CommonFigures, Ratio, common_figures, padded_counts
from arena.replays.analytics.counts import Counts


@dataclass(frozen=True, slots=True)
class CheatFigures:
    """How a bot lies and calls in the Cheat family."""

    play: CommonFigures
    lies: Ratio
    """Share of lies among the bot's claims."""
    lies_by_rank: Mapping[str, Ratio]
    lies_by_count: Mapping[str, Ratio]
    lies_by_pile: Mapping[str, Ratio]
    """Share of lies, by the number of cards on the pile before the claim."""
    lies_called: Ratio
    """Among the bot's lies that somebody could call, the share that somebody called."""
    truths_called: Ratio
    """Among the bot's true moves that somebody could call, the share that somebody called."""
    precision: Ratio
    """Share of lies among the moves that the bot called."""
    recall: Ratio
    """Among the lies that the bot could call, the share that it called.

    In the live pace a lie that another bot called first does not count.
    """
    cards_a_wrong_call: Ratio
    """Mean number of cards that the bot took for a wrong call. A decline would have cost it none."""
    cards_a_right_call: Ratio
    """Mean number of cards that another bot took when this bot called rightly."""


def cheat_figures(counts: Counts) -> CheatFigures:
    claims, lies = (sum(padded_counts(counts, f"{what}_by_rank", len(RANK_BANDS))) for what in ("claims", "lies"))
    made, faced = padded_counts(counts, "made", 4), padded_counts(counts, "faced", 4)
    judged, cards = padded_counts(counts, "judged", 2), padded_counts(counts, "judged_cards", 2)
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


def _lies_by(counts: Counts, by: str, bands: Sequence[str]) -> dict[str, Ratio]:
    lies, claims = (padded_counts(counts, f"{what}_by_{by}", len(bands)) for what in ("lies", "claims"))
    return dict(zip(bands, map(Ratio, lies, claims), strict=True))
