"""`arena league plan`: estimates the games, time and memory of a league before it is played."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.cli.bot_argument import submitted_finder
from arena.cli.command_settings import set_up_command
from arena.cli.console import discard_status, print_status
from arena.cli.present import present
from arena.cli.result_console import wrap_lines
from arena.competition.formats import Format
from arena.competition.league.field import Field
from arena.competition.league.model import RoundDate
from arena.fleet.cluster.cluster_fleet import check_for_cluster, open_fleet
from arena.organizer.file.league_dates import (
    assign_rounds,
    check_dates_ahead,
    describe_dates,
    describe_rounds,
    format_utc,
)
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_format import check_before_trial, choose_format, format_settings
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.plan.designs import DesignAdvice, DesignProposal
from arena.organizer.plan.league_plan import Bottleneck, LeaguePlan, make_league_plan, node_count
from arena.organizer.plan.run_trial import league_file_for_trial, run_trial
from arena.organizer.plan.trial_result import TrialResult
from arena.organizer.seal.ledger_entries import amended_field
from arena.organizer.view.league_text import planned_owner_sentences, taken_sentences
from arena.plain_data import to_plain
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration

_MIB = 1 << 20
_NO_LABEL = " " * 12
_LIMIT_TEXTS = {
    Bottleneck.PROCESSORS: "processors set the pace",
    Bottleneck.NODES: "nodes set the pace: a larger --max-bot-processes allows more of them if there is enough memory",
    Bottleneck.BOTS: "bots set the pace",
}


async def show_plan(
    path: Path,
    cores: int | None,
    processes: int | None,
    cluster: str = "",
    *,
    data: Path | None = None,
    is_json: bool,
) -> None:
    """Submitted bots come from `data`. The trial is played on the cluster at an address; on this machine if empty."""
    config = set_up_command(data)
    file = read_league_file(path, submitted_finder(config.data))
    file.check_look_alikes()
    check_for_cluster(cluster, file.bots.values())
    field = amended_field(file, (), bytes(32))
    check_before_trial(file, field)
    dates, shown = _plan_dates(file, field)
    local = [bot for bot in file.bots.values() if not bot.is_remote]
    if dates and len(local) < file.seats:  # a trial would have to wait for bots that come on their date
        shown = [*shown, *_owner_lines(planned_owner_sentences(choose_format(file, field, None)[0], field))]
        _show_dates(dates, shown, is_json)
        return
    report = discard_status if is_json else print_status
    async with open_fleet(cluster) as fleet:
        room = fleet.room
        processes = processes or room.max_processes
        node_count(file, cores or room.cores, processes)
        bots = len(league_file_for_trial(file, processes // room.cores).bots)
        where = format_count(room.cores, "core")
        if fleet.is_away:
            where += f" of {format_count(room.machines, 'machine')} of the cluster"
        for sentence in taken_sentences(file):
            report(sentence)
        report(f"trying {format_count(bots, 'bot')} on {where} for up to a minute; this trial does not count")
        trial = await run_trial(file, room.cores, processes, show=print_status, settings=config.boxes, fleet=fleet)
    plan = make_league_plan(file, field, trial, cores or room.cores, processes)
    owners = planned_owner_sentences(plan.format, field)
    values = {**_plan_values(plan, trial), "owners": owners, **({"dates": describe_dates(dates)} if dates else {})}
    lines = (*plan_lines(plan, trial), *_owner_lines(owners), *shown)
    present(values, is_json, wrap_lines(lines, _NO_LABEL))


def _owner_lines(sentences: Sequence[str]) -> list[str]:
    """Return lines that say how well the schedule keeps the bots of one owner apart."""
    return _label(("" if number else "owners", each) for number, each in enumerate(sentences))


def _plan_dates(file: LeagueFile, field: Field) -> tuple[Sequence[RoundDate], Sequence[str]]:
    """Return the dates of a league, and a line for each date; empty if it has no dates. Raises OptionsError."""
    if not file.dates:
        return (), ()
    league_format, _ = choose_format(file, field, None)
    dates = assign_rounds(file.dates, league_format, field)
    check_dates_ahead(dates, time.time())
    return dates, plan_date_lines(dates, league_format, field)


def plan_date_lines(dates: Sequence[RoundDate], league_format: Format, field: Field) -> list[str]:
    """Return a line for each date of an unsealed league: its times, and the number of games of an entrant."""
    rounds = [describe_rounds(date.first, date.last) for date in dates]
    times = [f"{format_utc(date.opens)} to {format_utc(date.closes)}" for date in dates]
    games = [_planned_games_text(date, league_format, field) for date in dates]
    return _label(("dates", f"{which}: {when}; {what}") for which, when, what in zip(rounds, times, games, strict=True))


def _planned_games_text(date: RoundDate, league_format: Format, field: Field) -> str:
    """The games of each entrant depend on lots, which are drawn after the seal."""
    numbers = range(date.first, date.last + 1)
    if any(league_format.depends_on_results(number, field) for number in numbers):
        return "its tables are drawn when the results before it are there"
    blocks = [block for number in numbers for block in league_format.draw_round(number, field)]
    games: Mapping[str, int] = Counter(name for block in blocks for name in block.names)
    least, most = min(games.values(), default=0), max(games.values(), default=0)
    about = f"about {least}" if least == most else f"about {least} to {most}"
    return f"{format_count(sum(len(block.tables) for block in blocks), 'game')}, {about} for each entrant"


def _show_dates(dates: Sequence[RoundDate], lines: Sequence[str], is_json: bool) -> None:
    """Show the dates of a league for which no trial was played."""
    present({"dates": describe_dates(dates)}, is_json, wrap_lines(lines, _NO_LABEL))
    if not is_json:
        print_status("there was no trial: too few bots of this league run here")


def plan_lines(plan: LeaguePlan, trial: TrialResult) -> list[str]:
    return _label(_describe_plan(plan, trial))


def _describe_plan(plan: LeaguePlan, trial: TrialResult) -> Iterator[tuple[str, str]]:
    """Yield labels and texts. A line without a label belongs to the one above."""
    settings = ", ".join(
        f"{name} {value}" for name, value in format_settings(plan.format).items() if name != "budget_s"
    )
    yield "format", f"{plan.format.name} ({settings}){f', because {plan.reason}' if plan.reason else ''}"
    yield "games", _planned_text(plan)
    time = "" if plan.seconds is None else f"about {format_rough_duration(plan.seconds)}; "
    cores = format_count(plan.cores, "core")
    yield "time", f"{time}{plan.rate:.2f} games a second on {cores}, {_LIMIT_TEXTS[plan.limit]}"
    yield "processes", f"{format_count(plan.processes, 'bot')}, {format_count(plan.nodes, 'node')}"
    yield "memory", f"{plan.memory_bytes / _MIB:.0f} MiB"
    yield "disk", "" if plan.disk_bytes is None else f"{plan.disk_bytes / _MIB:.0f} MiB"
    if plan.half_width is not None:
        yield "precision", f"±{plan.half_width:.3f}: half the width of the 95 % interval of a score"
    if plan.design is not None:
        yield "design", _design_text(plan.design)
    games, decisions = format_count(trial.games, "game", ".0f"), format_count(trial.decisions, "decision", ".0f")
    busy = f"which kept {trial.busy_share:.0%} of {format_count(trial.nodes, 'core')} busy"
    yield "the trial", f"{games} of {decisions} in {trial.wall_s:.0f} s, {busy}"
    if trial.is_disturbed:
        yield "", "other programs kept this machine busy: the bots may be faster than measured"
    yield from (("", f"{name} is remote: it took no part in the trial") for name in trial.left_out)
    if plan.has_fixed_windows:
        yield "", "windows are fixed, and in the trial they were not: games last longer"


def _label(lines: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{label:<{len(_NO_LABEL)}}{text}" for label, text in lines]


def _design_text(design: DesignProposal) -> str:
    """Return which number of tables for each deal is more precise."""
    own, other = f"tables = {design.tables}", f"tables = {design.other_tables}"
    start = f"with {other}, as many games give ±{design.other_half_width:.3f}"
    match design.advice:
        case DesignAdvice.KEEP:
            return f"{start}: keep {own}"
        case DesignAdvice.CHANGE:
            return f"{start}: write {other} into the file"
        case DesignAdvice.EITHER:
            return f"{start}: the trial shows no difference from {own}"
        case DesignAdvice.UNKNOWN:
            return f"the trial had too few games to compare {own} with {other}"


def _planned_text(plan: LeaguePlan) -> str:
    if plan.games is None:
        return "no fixed number"
    if plan.budget_s is not None:
        return f"about {plan.games}; new rounds start for {format_rough_duration(plan.budget_s)}"
    if not plan.play_off:
        return str(plan.games)
    more = f"up to {plan.play_off} in a play-off if the standings do not show who is best"
    return f"{plan.games}, and {more}; play_off = 0 turns it off"


def _plan_values(plan: LeaguePlan, trial: TrialResult) -> dict[str, Any]:
    shown = ("play_off", "seconds", "cores", "nodes", "memory_bytes", "disk_bytes", "half_width", "design", "limit")
    return {
        "format": {"name": plan.format.name, **format_settings(plan.format)},
        "reason": plan.reason,
        "games": plan.games,
        "games_a_second": plan.rate,
        "bot_processes": plan.processes,
        **{name: to_plain(getattr(plan, name)) for name in shown},
        "trial": {
            "games": trial.games,
            "seconds": trial.wall_s,
            "work_s": trial.work_s,
            "busy": trial.busy_share,
            "left_out": list(trial.left_out),
        },
    }
