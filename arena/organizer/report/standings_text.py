"""Describes the standings of a league in words: what a score is, what breaks ties, who leads."""

from collections.abc import Sequence
from typing import Final

from arena.competition.league.accomplice_screen import AccompliceEvidence
from arena.competition.league.adjustment import MIN_BLOCKS, Feature, PlainReason
from arena.competition.league.champion import Champion
from arena.competition.league.elo_scale import MEAN_RATING
from arena.competition.league.judgement import Judgement
from arena.competition.league.standings import Standings
from arena.competition.league.tie_breaks import TieBreak

_PLAIN_REASONS: Final = {
    PlainReason.RELEASE: "They are not adjusted, because the league was sealed by release 0.1.",
    PlainReason.FORMAT: "They are not adjusted, because this format does not draw opponents evenly.",
    PlainReason.FEW_BLOCKS: f"From {MIN_BLOCKS} blocks on, they are adjusted for opponents, seat and luck of the deal.",
}
_FEATURE_TEXTS: Final = {
    Feature.OPPONENTS: "opponents",
    Feature.SEAT: "seat",
    Feature.HAND: "the dealt hand",
    Feature.MATES: "results of those with the same hand",
}
_SHOWN_SHARE: Final = 0.001
"""Smaller shares of the variance are not shown."""

_RATING_METHOD: Final = (
    "Plackett-Luce fit to the order of each table, with a term for the seat; 95 % intervals from a bootstrap over"
    " blocks; 1500 is the mean, 400 points are odds of ten to one between two."
)
_OLD_RATINGS: Final = (
    " As the league was sealed, a shared last place counts as half a win: where only the winner is found, the true"
    " differences are larger."
)

_MAX_NAMES: Final = 6
"""How many contenders a sentence names."""


def describe_scoring(standings: Standings) -> str:
    """Return what a score is and what decides the league, in one to three sentences."""
    points = "points by place, the share of the opponents left behind"
    decided_by = (
        "The rating decides, as below."
        if standings.decided_by == "rating"
        else f"Score: {points}{_describe_adjustment(standings)}"
    )
    if standings.decided_by == "bracket":
        return f"Who came how far in the knockout decides. {decided_by}"
    return decided_by


def _describe_adjustment(standings: Standings) -> str:
    """Return how points are adjusted and what that explains of their variance, or why they are not adjusted."""
    if standings.compares:
        return ", less the mean of those who held the same hand and seat."
    if standings.plain_reason is not None:
        return f". {_PLAIN_REASONS[standings.plain_reason]}"
    if not standings.explained:
        return ". All entrants have the same points in all games, so nothing can be adjusted."
    whole = sum(standings.explained.values())
    parts = ", ".join(
        f"{_FEATURE_TEXTS[feature]} {share:.1%}"
        for feature, share in standings.explained.items()
        if share >= _SHOWN_SHARE
    )
    means = "adjusted for opponents, seat and the luck of the deal, so that deals, seats and opponents count evenly"
    if whole < _SHOWN_SHARE:
        return f", {means}. Of the variance of points, this explains nothing that can be measured here."
    return f", {means}. Of the variance of points, this explains {whole:.1%}: {parts}."


def describe_ratings(judgement: Judgement) -> str:
    """Return how ratings are computed, in sentences."""
    return _RATING_METHOD + _OLD_RATINGS * judgement.halves_last_tie


def tie_break_names(standings: Standings) -> list[str]:
    """Return the names of the tie-breaks in the order in which they apply. A bracket has none."""
    return [] if standings.decided_by == "bracket" else [each.value for each in TieBreak]


def neutral_score(standings: Standings) -> float:
    """Return the score of an average entrant: the mean rating, 0 if scores are differences, and 0.5 otherwise."""
    if standings.decided_by == "rating":
        return float(MEAN_RATING)
    return 0.0 if standings.compares else 0.5


def score_digits(standings: Standings) -> int:
    """Return the number of decimals with which a score is shown."""
    return 0 if standings.decided_by == "rating" else 3


def describe_champion(
    champion: Champion | None,
    is_over: bool,
    accomplices: Sequence[AccompliceEvidence] = (),
    judgement: Judgement = Judgement.NEW,
) -> str:
    """Return who has won, or leads so far, by what criterion, and how sure that is. Empty before the first game.

    `accomplices` has the flagged pairs: it also says who is flagged beside the champion.
    """
    if champion is None:
        return ""
    beside = [each.entrant for each in accomplices if each.other == champion.name]
    suspicion = _describe_suspicion(champion.name, beside, judgement) if beside else ""
    more = _describe_doubted(champion.doubted) + _describe_withdrawn(champion.withdrawn)
    return _describe_leader(champion, is_over) + suspicion + more


def _describe_suspicion(name: str, beside: Sequence[str], judgement: Judgement) -> str:
    """Return who is flagged beside the champion, and what follows."""
    lower = f" {name}'s score is the lower of those with and without these games." * judgement.leaves_out_help
    return f" Flagged for coming last beside it: {_list_names(beside)}.{lower} Look at their games."


def _describe_leader(champion: Champion, is_over: bool) -> str:
    name, verb = champion.name, "has won" if is_over else "leads"
    if champion.by == "bracket":
        return f"{name} has won the knockout." if is_over else f"{name} is first in the knockout so far."
    others = _list_names([each for each in champion.contenders if each != name])
    certainty = _describe_certainty(champion.certainty)
    if champion.by == "play-off":
        rivals = _list_names([each for each in champion.remaining if each != name])
        doubt = f" This may be luck: even the play-off does not tell it apart from {rivals}." if rivals else ""
        met = f" among those whose scores could not be told apart: {name}, {others}" if others else ""
        return f"{name} {verb} by the play-off{met}.{doubt}{certainty}"
    if not others:
        return f"{name} {verb} clearly: its score can be told apart from every other one.{certainty}"
    first = "by the highest score" if champion.by == "score" else f"by {champion.by} between equal scores"
    return f"{name} {verb} {first}. This may be luck: its score cannot be told apart from those of {others}.{certainty}"


def _describe_doubted(names: Sequence[str]) -> str:
    """Return a sentence about those whose score is lower for the title; empty if there are none."""
    what = "Without games that may have been help (doubts.csv), as the title counts them, the score is lower of"
    return f" {what}: {_list_names(names)}." if names else ""


def _describe_withdrawn(names: Sequence[str]) -> str:
    """Return a sentence about withdrawn entrants that are higher in the table; empty if there are none."""
    return f" Higher in the table, and no champion because withdrawn: {_list_names(names)}." if names else ""


def _describe_certainty(certainty: float | None) -> str:
    """Return a sentence about the probability that the champion is the best; empty if it is unknown."""
    if certainty is None:
        return ""
    shown = "more than 99" if certainty > 0.99 else "less than 1" if certainty < 0.01 else f"{100 * certainty:.0f}"
    return f" The probability that it is the best is {shown} %."


def _list_names(names: Sequence[str]) -> str:
    """Return names for a sentence. Of many names, only the first are written out."""
    if len(names) <= _MAX_NAMES + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_MAX_NAMES])} and {len(names) - _MAX_NAMES} others"
