"""The `LeagueView` of a league: its file, its ledger and the results computed from them, as a report shows them."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from arena import __version__
from arena.bots.launch.program_sets import SANDBOX_REPORT_NOTE
from arena.competition.league.accomplice_screen import screen_for_accomplices
from arena.competition.league.accomplices import find_accomplices
from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.model import Entrant, RoundDate
from arena.competition.league.ports import VOID, LedgerEntry
from arena.games.catalogue import pack_of
from arena.ids import WallTime
from arena.organizer.report.play_view import Incident, build_bot_plays
from arena.organizer.report.view import (
    Absence,
    Amendment,
    AwaitedBot,
    Check,
    DateView,
    EntrantGames,
    EntrantView,
    LeagueGame,
    LeagueView,
    Progress,
    Seal,
    VoidedBlock,
    win_probabilities,
)
from arena.organizer.seal.league_files import awaited_path, read_awaited
from arena.organizer.seal.ledger_entries import (
    ABSENT,
    ADDED,
    DISQUALIFIED,
    ENTROPY,
    EXTENDED,
    REPLACED,
    VERSIONS_NOTE,
    WITHDRAWN,
    describe_versions,
)
from arena.organizer.seal.open_league import OpenLeague
from arena.organizer.view.league_analytics import COLLUSION_METHOD, read_league_analytics
from arena.organizer.view.league_standings import compute_league_standings, rate_over_time, regular_results
from arena.organizer.view.league_text import describe_bot_outcome, describe_ruleset, describe_timing, owner_sentences
from arena.plurals import format_count
from arena.replays.analytics.collusion_screen import screen_for_collusion
from arena.replays.narration.text_format import format_rough_duration


async def build_league_view(league: OpenLeague, folder: Path, is_running: bool = False) -> LeagueView:
    """Return the view of a league's current state. `folder` is the data folder. Raises StoreError."""
    awaited = read_awaited(awaited_path(folder, league.row.league_id)) if is_running else {}
    reading = asyncio.create_task(read_league_analytics(league, folder))
    await asyncio.sleep(0)  # starts the task: for a long league, another process reads while this one computes
    results = regular_results(league)
    counts, judgement = [len(each.tables) for each in results], league.schedule.field.judgement
    course, rated = rate_over_time(
        results,
        counts,
        league.randomness.schedule_seed,
        judgement=judgement,
        accomplices=find_accomplices(results, judgement),
    )
    standings, progress = compute_league_standings(league, rated), _progress(league, is_running)
    analytics = await reading
    return LeagueView(
        title=league.file.name,
        progress=progress,
        ruleset=describe_ruleset(league.file.terms),
        pace=describe_timing(league.file.terms.pace),
        format=_format(league),
        entrants=[_entrant(league, entrant) for entrant in league.file.entrants],
        standings=standings,
        seal=_seal(league),
        notes=_notes(league),
        ratings=() if rated is None else rated.rows,
        judgement=judgement,
        win_probabilities=() if rated is None else win_probabilities(rated),
        course=course,
        meetings=HeadToHead.from_results([row.name for row in standings.rows], league.ledger.history),
        play=build_bot_plays(analytics.sums, league.file.terms.game.name, [row.name for row in standings.rows]),
        play_notes=pack_of(league.file.terms.game.name).load_analytics().notes,
        collusion=screen_for_collusion(analytics.sums.pairs).flagged_pairs,
        collusion_method=COLLUSION_METHOD,
        accomplices=screen_for_accomplices(results),
        faults=analytics.faults,
        incidents=_incidents(league),
        amendments=_amendments(league),
        voided=_voided_blocks(league),
        games=_games(league),
        dates=build_dates_view(league, time.time()),
        absences=list_absences(league),
        awaited=list_awaited(awaited),
        made_by=f"cheatarena {__version__}",
    )


def _progress(league: OpenLeague, is_running: bool) -> Progress:
    history = league.ledger.history
    games = league.ledger.game_count
    planned = games if league.is_over else league.planned_games
    state = "over" if league.is_over else "running" if is_running else "stopped"
    return Progress(state, league.is_over, games, planned, len(history), time.time())


def _format(league: OpenLeague) -> str:
    size, words = league.format.size(league.schedule.field), [f"{league.format.name}, tables of {league.file.seats}"]
    if size.budget_s is not None:
        words.append(f"rounds begin within {format_rough_duration(size.budget_s)} of the first game")
    if size.play_off:
        games = format_count(size.play_off, "game")
        words.append(f"a play-off of up to {games}, not in the table, if the table does not tell who is best")
    if league.file.terms.anonymous:
        words.append("bots do not learn each other's names")
    return "; ".join(words)


def _entrant(league: OpenLeague, entrant: Entrant) -> EntrantView:
    is_remote = league.file.bots[entrant.name].is_remote
    remarks = [
        f"{_AMENDMENT_WORDS[act.kind]} in round {act.values['round']}"
        for act in league.ledger.acts
        if act.kind in _AMENDMENT_WORDS and act.values["name"] == entrant.name
    ]
    if versions := league.replaced_bots.get(entrant.name):
        remarks.append(describe_versions(versions))
    kind = "remote" if is_remote else "local"
    return EntrantView(entrant, kind, ", ".join(remarks))


_AMENDMENT_WORDS: Final = {ADDED: "came late,", WITHDRAWN: "withdrawn", DISQUALIFIED: "disqualified"}


def _seal(league: OpenLeague) -> Seal:
    """Return the sealed line and the checks that the published values allow."""
    randomness, sealed = league.randomness, league.row.sealed
    words = "rules, format and every entrant's files are those that were sealed"
    if league.replaced_bots:
        words += f"; new versions, as the ledger has them: {', '.join(league.replaced_bots)}"
    if league.changes:
        words += f"; since then: {'; '.join(each.words for each in league.changes)}"
    checks = [
        Check(
            randomness.commitment == sealed["secret_hash"],
            "the secret of schedule and deals is the one that was sealed",
        ),
    ]
    if league.is_compared:
        checks.append(Check(not league.changes, words))
    if promised := sealed["public_entropy"]:
        mixed = [
            f"{act.values['text']} ({datetime.fromtimestamp(act.at, UTC).isoformat(' ', 'seconds')})"
            for act in league.ledger.acts
            if act.kind == ENTROPY
        ]
        words = f"public entropy was promised, {promised}; mixed in: {''.join(mixed) or 'not yet'}"
        checks.append(Check(bool(mixed), words))
    if league.is_closed:
        checks.append(Check(True, f"the secret, now that the league is closed: {randomness.secret.hex()}"))
    return Seal(league.seal, checks)


def _notes(league: OpenLeague) -> list[str]:
    remote = [name for name, bot in league.file.bots.items() if bot.is_remote]
    is_exposed = len(remote) < len(league.file.bots) and not league.file.is_boxed
    notes = [SANDBOX_REPORT_NOTE] if is_exposed else []
    if remote:
        notes.append(f"{', '.join(remote)} dialled in: nobody here can tell that the same program played all games.")
    notes += [f"{name} was replaced by a new version: {VERSIONS_NOTE}." for name in league.replaced_bots]
    blocks = [result.block for result in league.ledger.history]
    owners = [f"{each[0].upper()}{each[1:]}." for each in owner_sentences(blocks, league.schedule.field)]
    return [*notes, *owners]


def _incidents(league: OpenLeague) -> list[Incident]:
    return [
        Incident(act.values["name"], act.at, what, act.values["how"])
        for act in league.ledger.acts
        if (what := describe_bot_outcome(act, league.file.bots))
    ]


def _amendments(league: OpenLeague) -> list[Amendment]:
    kinds = (VOID, ADDED, REPLACED, WITHDRAWN, DISQUALIFIED, EXTENDED)
    return [
        Amendment(act.at, f"{act.kind} {_amended_thing(act)}", act.values["reason"])
        for act in league.ledger.acts
        if act.kind in kinds and "by" not in act.values
    ]


def _amended_thing(act: LedgerEntry) -> str:
    """Return what an amendment changes: an entrant's name, a block's number, or a round and its new closing time.

    For a replaced entrant, the first round of the new version is added.
    """
    if act.kind == REPLACED:
        return f"{act.values['name']} from round {act.values['round']} on"
    if act.kind == EXTENDED:
        closes = datetime.fromisoformat(act.values["closes"]).astimezone(UTC)
        return f"round {act.values['round']} until {closes:%Y-%m-%d %H:%M} UTC"
    return str(act.values.get("name")) if "name" in act.values else f"block {act.values['block']}"


def _voided_blocks(league: OpenLeague) -> list[VoidedBlock]:
    return [
        VoidedBlock(
            act.values["block"],
            act.values["attempt"],
            act.values["games"],
            act.values["reason"],
            league.ledger.is_done(act.values["block"]),
        )
        for act in league.ledger.acts
        if act.kind == VOID
    ]


def _games(league: OpenLeague) -> list[LeagueGame]:
    return [
        LeagueGame(result.block, number, table)
        for result in league.ledger.history
        for number, table in enumerate(result.tables, 1)
    ]


def build_dates_view(league: OpenLeague, now: WallTime) -> list[DateView]:
    """Return the dates of a league with the games of each entrant."""
    absent = Counter((act.values["block"], name) for act in _counting_absences(league) for name in act.values["names"])
    return [_date_view(league, date, absent, now) for date in league.dates]


def list_absences(league: OpenLeague) -> list[Absence]:
    """Return the blocks that absent bots forfeited, in the order of the ledger. Void attempts are left out."""
    return [
        Absence(act.at, act.values["round"], act.values["block"], tuple(act.values["names"]))
        for act in _counting_absences(league)
    ]


def list_awaited(awaited: Mapping[str, int]) -> list[AwaitedBot]:
    """Return the awaited bots. A bot for which more tables wait comes earlier."""
    return [AwaitedBot(name, tables) for name, tables in sorted(awaited.items(), key=lambda each: (-each[1], each[0]))]


# ---- inside


def _counting_absences(league: OpenLeague) -> Sequence[LedgerEntry]:
    """Return the ledger's entries on absence from attempts that are not void."""
    ledger = league.ledger
    return [
        act
        for act in ledger.acts
        if act.kind == ABSENT and act.values["attempt"] == ledger.current_attempt(act.values["block"])
    ]


def _date_view(league: OpenLeague, date: RoundDate, absent: Mapping[tuple[int, str], int], now: float) -> DateView:
    last = max(date.last, league.ledger.last_round) if date is league.dates[-1] else date.last
    rounds = [league.schedule.known_blocks(number) for number in range(date.first, last + 1)]
    blocks = [block for known in rounds if known is not None for block in known]
    state = "to come" if now < date.opens else "open" if now < date.closes else "closed"
    games, played, forfeited = Counter[str](), Counter[str](), Counter[str]()
    for block in blocks:
        games.update(block.names)
        if league.ledger.is_done(block.number):
            played.update(block.names)
        forfeited.update(name for name in block.names if (block.number, name) in absent)
    names = [name for name in league.schedule.field.names() if games[name]]
    entrants = [EntrantGames(name, games[name], played[name], forfeited[name]) for name in names]
    return DateView(date.first, date.last, date.opens, date.closes, state, None not in rounds, entrants)
