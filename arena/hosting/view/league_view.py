"""A league as a report tells it: the `LeagueView`, filled from file, ledger and what follows from them."""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Final

from arena import __version__
from arena.games.catalogue import pack_of
from arena.hosting.play.open_league import ENTROPY, OpenLeague
from arena.hosting.seal.amendments import ADDED, DISQUALIFIED, WITHDRAWN
from arena.hosting.view.incidents import describe_bot_outcome
from arena.hosting.view.league_analytics import read_league_analytics
from arena.hosting.view.league_standings import compute_league_standings, describe_champion, regular_results
from arena.hosting.view.play_stats import COLLUSION_METHOD, build_bot_plays, find_collusion
from arena.league.head_to_head import HeadToHead
from arena.league.ports import VOID
from arena.league.rating import PUBLISHED_DRAWS, Ratings, compute_ratings_over_time
from arena.league.standings import Standings
from arena.league.tie_breaks import TieBreak
from arena.match.pace import Pace, describe_pace
from arena.replays.text_format import format_rough_duration
from arena.report import view as told
from arena.report.play_view import Incident
from arena.rules.game import Style

RATING_MOMENTS: Final = 12
"""Points of the pictures of ratings over time."""
RATING_MOMENT_DRAWS: Final = 40
SANDBOX_NOTE: Final = (
    "Local bots ran as the organizer's own user, with its files in reach: they were not sandboxed. That no bot sees"
    " another one's cards holds for what the arena sends; that no program reads another one's files is not enforced."
)


async def build_league_view(league: OpenLeague, folder: Path, is_running: bool = False) -> told.LeagueView:
    """Tell a league as it stands; `folder`: the data folder. Raises StoreError."""
    reading = asyncio.ensure_future(read_league_analytics(league, folder))
    await asyncio.sleep(0)  # it begins: in a long league another process reads while we reckon
    course, rated = _compute_ratings(league) if league.ledger.history else ([], None)
    standing, progress = compute_league_standings(league, rated), _progress(league, is_running)
    seen = await reading
    return told.LeagueView(
        title=league.file.name,
        progress=progress,
        ruleset=_ruleset(league),
        pace=_pace(league),
        format=_format(league),
        entrants=[_entrant(league, name) for name in (each.name for each in league.file.entrants)],
        standings=_standings(standing, progress.is_over),
        seal=_seal(league),
        notes=_notes(league),
        ratings=told.RatingsView() if rated is None else _ratings(rated),
        course=course,
        meetings=_meetings([row.name for row in standing.rows], league),
        play=build_bot_plays(seen.sums, league, [row.name for row in standing.rows]),
        play_notes=pack_of(league.file.terms.game.name).load_analytics().notes,
        collusion=find_collusion(seen.sums),
        collusion_method=COLLUSION_METHOD,
        faults=seen.faults,
        incidents=_incidents(league),
        amendments=_amendments(league),
        voided=_voided_blocks(league),
        games=_games(league),
        made_by=f"cheatarena {__version__}",
    )


def _progress(league: OpenLeague, is_running: bool) -> told.Progress:
    history = league.ledger.history
    games = league.ledger.game_count
    planned = games if league.is_over else league.planned_games
    state = "over" if league.is_over else "running" if is_running else "stopped"
    return told.Progress(state, league.is_over, games, planned, len(history), time.time())


def _ruleset(league: OpenLeague) -> str:
    terms = league.file.terms
    usual, played = (
        terms.game.ruleset_options(terms.game.build_ruleset(terms.preset, {})),
        terms.game.ruleset_options(terms.ruleset),
    )
    changed = [f"{name} = {played[name]}" for name in played if played[name] != usual.get(name)]
    rules = f"{terms.preset} with {', '.join(changed)}" if changed else terms.preset
    return f"{terms.game.name}, {rules}, rules {terms.game.version}"


def _pace(league: OpenLeague) -> str:
    pace = league.file.terms.pace
    times = "without deadlines" if pace.no_deadlines else f"{pace.turn_ms} ms a turn, {pace.call_ms} ms a call"
    usual = describe_pace(Pace.sealed_defaults() if pace.style is Style.SEALED else Pace.live_defaults())
    told_above = ("style", "turn_ms", "call_ms", "no_deadlines")
    values = {name: value for name, value in describe_pace(pace).items() if name not in told_above}
    changed = [f"{name} = {value}" for name, value in values.items() if value != usual[name]]
    return ", ".join([f"{pace.style.value}, {times}", *changed])


def _format(league: OpenLeague) -> str:
    size, words = league.form.size(league.schedule.field), [f"{league.form.name}, tables of {league.file.seats}"]
    if size.budget_s is not None:
        words.append(f"rounds begin within {format_rough_duration(size.budget_s)} of the first game")
    if size.play_off:
        words.append(f"a play-off of {size.play_off} games, not in the table, where that does not tell who is best")
    if league.file.terms.anonymous:
        words.append("bots do not learn each other's names")
    return "; ".join(words)


def _entrant(league: OpenLeague, name: str) -> told.EntrantView:
    entrant = next(each for each in league.file.entrants if each.name == name)
    is_remote = league.file.players[name].is_remote
    remarks = [
        f"{_AMENDMENT_WORDS[act.kind]} in round {act.values['round']}"
        for act in league.ledger.acts
        if act.kind in _AMENDMENT_WORDS and act.values["name"] == name
    ]
    kind = "remote" if is_remote else "local"
    return told.EntrantView(name, entrant.owner, entrant.version, entrant.content, kind, ", ".join(remarks))


_AMENDMENT_WORDS: Final = {ADDED: "came late,", WITHDRAWN: "withdrawn", DISQUALIFIED: "disqualified"}


def _standings(standing: Standings, is_over: bool) -> told.StandingsView:
    rows = [
        told.StandingsRowView(
            place=row.place,
            name=row.name,
            games=row.games,
            mean=row.score,
            low=row.interval.low,
            high=row.interval.high,
            wins=row.first_places,
            mean_place=row.mean_place,
            forfeits=row.forfeits,
            strikes=row.strikes,
            marked_games=row.marked_games,
            is_separable=row.is_separable,
            tie_break=row.tie_break.value if row.tie_break else "",
            is_disqualified=row.is_disqualified,
        )
        for row in standing.rows
    ]
    by_rating = standing.decided_by == "rating"
    points = "points by place, the share of the opponents left behind"
    less = ", less the mean of those who held the same hand and seat" if standing.compares else ""
    decided_by = "The rating decides, as below." if by_rating else f"Score: {points}{less}."
    if standing.decided_by == "bracket":
        decided_by = f"Who came how far in the knockout decides. {decided_by}"
    neutral = 1500.0 if by_rating else 0.0 if standing.compares else 0.5
    breaks = [] if standing.decided_by == "bracket" else [each.value for each in TieBreak]
    champion = describe_champion(standing.champion, is_over)
    return told.StandingsView(rows, decided_by, breaks, champion, neutral, 0 if by_rating else 3)


def _ratings(rated: Ratings) -> told.RatingsView:
    rows = [
        told.RatingRow(row.name, row.rating, row.interval.low, row.interval.high, row.is_separable, row.group)
        for row in rated.rows
    ]
    names = [row.name for row in rows]
    above = [[None if one == two else rated.win_probability(one, two) for two in names] for one in names]
    method = (
        "Plackett-Luce fit to the order of each table, with a term for the seat; 95 % intervals from a bootstrap over"
        " blocks; 1500 is the mean, 400 points are odds of ten to one between two."
    )
    return told.RatingsView(rows, above, method)


def _compute_ratings(league: OpenLeague) -> tuple[list[told.RatingMoment], Ratings | None]:
    """The ratings so far, the last of which are those that are published; None before the first game."""
    history = regular_results(league)
    steps = sorted(
        {max(2, len(history) * step // RATING_MOMENTS) for step in range(1, RATING_MOMENTS)} & {*range(len(history))}
    )
    draws = dict.fromkeys(steps, RATING_MOMENT_DRAWS) | {len(history): PUBLISHED_DRAWS}
    games = list(accumulate(len(result.tables) for result in history))
    moments, rated = [], None
    for step, rated in zip(
        draws, compute_ratings_over_time(history, draws, seed=league.luck.schedule_seed), strict=True
    ):
        moments.append(told.RatingMoment(games[step - 1], _ratings_by_name(rated)))
    return moments, rated


def _ratings_by_name(rated: Ratings) -> dict[str, tuple[float, float | None, float | None]]:
    return {row.name: (row.rating, row.interval.low, row.interval.high) for row in rated.rows}


def _meetings(names: Sequence[str], league: OpenLeague) -> told.HeadToHeadView:
    met = HeadToHead.from_results(names, league.ledger.history)
    everybody = range(len(names))
    mean = [[None if one == two else met.share_ahead(one, two) for two in everybody] for one in everybody]
    return told.HeadToHeadView(names, mean, [[int(met.games[one, two]) for two in everybody] for one in everybody])


def _seal(league: OpenLeague) -> told.Seal:
    """The line, and what anybody who has the published values can check of it."""
    luck, sealed = league.luck, league.row.sealed
    checks = [
        told.Check(
            luck.commitment == sealed["secret_hash"], "the secret of schedule and deals is the one that was sealed"
        ),
        told.Check(not league.changes, _describe_sealed(league)),
    ]
    if promised := sealed["public_entropy"]:
        mixed = [f"{act.values['text']} ({_date(act.at)})" for act in league.ledger.acts if act.kind == ENTROPY]
        words = f"public entropy was promised, {promised}; mixed in: {''.join(mixed) or 'not yet'}"
        checks.append(told.Check(bool(mixed), words))
    if league.is_closed:
        checks.append(told.Check(True, f"the secret, now that the league is closed: {luck.secret.hex()}"))
    return told.Seal(league.seal, checks)


def _describe_sealed(league: OpenLeague) -> str:
    words = "rules, format and every entrant's files are those that were sealed"
    changed = "; ".join(each.words for each in league.changes)
    return f"{words}; since then: {changed}" if changed else words


def _notes(league: OpenLeague) -> list[str]:
    remote = [name for name, player in league.file.players.items() if player.is_remote]
    notes = [SANDBOX_NOTE] if len(remote) < len(league.file.players) else []
    if remote:
        notes.append(f"{', '.join(remote)} dialled in: nobody here can tell that the same program played all games.")
    return notes


def _incidents(league: OpenLeague) -> list[Incident]:
    return [
        Incident(act.values["name"], act.at, what, act.values["how"])
        for act in league.ledger.acts
        if (what := describe_bot_outcome(act, league.file.players))
    ]


def _amendments(league: OpenLeague) -> list[told.Amendment]:
    kinds = (VOID, ADDED, WITHDRAWN, DISQUALIFIED)
    return [
        told.Amendment(
            act.at, f"{act.kind} {act.values.get('name') or 'block ' + str(act.values['block'])}", act.values["reason"]
        )
        for act in league.ledger.acts
        if act.kind in kinds and "by" not in act.values
    ]


def _voided_blocks(league: OpenLeague) -> list[told.VoidedBlock]:
    return [
        told.VoidedBlock(
            act.values["block"],
            act.values["attempt"],
            act.values["games"],
            act.values["reason"],
            league.ledger.is_done(act.values["block"]),
        )
        for act in league.ledger.acts
        if act.kind == VOID
    ]


def _games(league: OpenLeague) -> list[told.GameView]:
    return [
        told.GameView(
            match_id=table.match_id,
            block=result.block.number,
            round=result.block.round,
            table=number,
            seats=table.seats,
            places=table.places,
            termination=table.termination,
            turn_count=table.turn_count,
            forfeits=tuple(sorted(table.forfeits)),
            label=result.block.label,
        )
        for result in league.ledger.history
        for number, table in enumerate(result.tables, 1)
    ]


def _date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(" ", "seconds")
