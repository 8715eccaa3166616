"""Computes a league's ratings, and the standings that decide the league, from its ledger."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from arena.competition.formats import Knockout, WithPlayOff
from arena.competition.league.accomplices import NO_ACCOMPLICES, Accomplices, find_accomplices
from arena.competition.league.adjustment import Draw
from arena.competition.league.champion import Champion
from arena.competition.league.field import Departed
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import PLAY_OFF, BlockResult
from arena.competition.league.rating import PUBLISHED_DRAWS, Ratings, compute_ratings, compute_ratings_over_time
from arena.competition.league.standings import Standings, compute_standings
from arena.competition.league.standings_inputs import PlayOffTerms
from arena.organizer.report.view import RatingMoment
from arena.organizer.seal.ledger_entries import departed_entrants, disqualified_names
from arena.organizer.seal.open_league import OpenLeague

RATING_MOMENTS: Final = 12
"""Number of points in time that the rating charts show."""
RATING_MOMENT_DRAWS: Final = 40


def compute_league_standings(league: OpenLeague, rated: Ratings | None = None) -> Standings:
    """Return the standings that decide the league, by points or by ratings as the file says.

    `rated` has the ratings if they are already computed.
    """
    history, by_rating = _decided_results(league), league.file.decided_by == "rating"
    table = compute_standings(
        league.schedule.field.names(),
        history,
        seed=league.randomness.schedule_seed,
        ratings=(rated or compute_league_ratings(league)) if by_rating and history else None,
        departed=_find_departed(league),
        play_off=_play_off_terms(league),
        draw=Draw.from_field(league.format.name, league.schedule.field),
    )
    return _order_by_bracket(table, league, league.format) if isinstance(league.format, Knockout) and history else table


def _order_by_bracket(table: Standings, league: OpenLeague, league_format: Knockout) -> Standings:
    """Return the rows in the bracket's order, because progress in the bracket decides a knockout."""
    order = league_format.final_order(league.schedule.field, league.ledger.history)
    rows = sorted(table.rows, key=lambda row: (row.is_disqualified, order.index(row.name)))
    placed = tuple(
        replace(row, place=None if row.is_disqualified else place, is_separable=True, tie_break=None)
        for place, row in enumerate(rows, 1)
    )
    gone = _find_departed(league).withdrawn
    first = next((row for row in placed if not row.is_disqualified and row.name not in gone), None)
    above = () if first is None else tuple(row.name for row in placed[: placed.index(first)] if row.name in gone)
    leader = None if first is None else Champion(first.name, "bracket", (first.name,), withdrawn=above)
    return replace(table, rows=placed, decided_by="bracket", champion=leader, doubts=(), title_scores={})


def _find_departed(league: OpenLeague) -> Departed:
    barred = disqualified_names(league.ledger.acts)
    gone = frozenset(departed_entrants(league.ledger.acts)) - barred
    return Departed(barred, frozenset() if league.schedule.field.judgement.crowns_withdrawn else gone)


def compute_league_ratings(league: OpenLeague) -> Ratings:
    """Return the ratings of every entrant that has played. At least one block must be done."""
    results, judgement = regular_results(league), league.schedule.field.judgement
    return compute_ratings(
        results,
        seed=league.randomness.schedule_seed,
        draw_count=PUBLISHED_DRAWS,
        judgement=judgement,
        accomplices=find_accomplices(results, judgement),
    )


def rate_over_time(
    results: Sequence[BlockResult],
    game_counts: Sequence[int],
    seed: bytes,
    weights_in_mean: Mapping[str, float] | None = None,
    drawn_alike: Collection[str] = (),
    *,
    judgement: Judgement = Judgement.NEW,
    accomplices: Accomplices = NO_ACCOMPLICES,
) -> tuple[list[RatingMoment], Ratings | None]:
    """Return the ratings at several moments, and the final ratings, which are published; None before the first game.

    `results` are in the order of their blocks. `game_counts` has the number of games in each of them that a reader
    sees. The rest is as in `compute_ratings`.
    """
    count = len(results)
    if not count:
        return [], None
    steps = sorted({max(2, count * step // RATING_MOMENTS) for step in range(1, RATING_MOMENTS)} & {*range(count)})
    draws = dict.fromkeys(steps, RATING_MOMENT_DRAWS) | {count: PUBLISHED_DRAWS}
    games, moments, rated = list(accumulate(game_counts)), [], None
    fits = compute_ratings_over_time(
        results,
        draws,
        seed=seed,
        weights_in_mean=weights_in_mean,
        drawn_alike=drawn_alike,
        judgement=judgement,
        accomplices=accomplices,
    )
    for step, rated in zip(draws, fits, strict=True):
        moments.append(RatingMoment(games[step - 1], rated.rows))
    return moments, rated


def _play_off_terms(league: OpenLeague) -> PlayOffTerms | None:
    """Return the terms of a play-off; None until a game of the play-off counts."""
    regular, league_format = regular_results(league), league.format
    if not isinstance(league_format, WithPlayOff) or len(regular) == len(league.ledger.history):
        return None
    return league_format.play_off_terms(league.schedule.field, regular)


def _decided_results(league: OpenLeague) -> list[BlockResult]:
    """Return all results except those of an unfinished round of a play-off, because only finished rounds decide."""
    results = list(league.ledger.history)
    last = max((result.block.round for result in results if result.block.label == PLAY_OFF), default=None)
    if last is None or not isinstance(league.format, WithPlayOff) or league.format.rounds is None:
        return results
    blocks = league.schedule.known_blocks(last) or ()
    if all(league.ledger.is_done(block.number) for block in blocks):
        return results
    return [result for result in results if result.block.round != last]


def regular_results(league: OpenLeague) -> list[BlockResult]:
    """Return the results that the standings count: all except those of a play-off."""
    return [result for result in league.ledger.history if result.block.label != PLAY_OFF]
