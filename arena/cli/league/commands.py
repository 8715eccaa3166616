"""The commands of `arena league`, as Typer sees them."""

import asyncio
import gc
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.league.options import FileArgument, PlayOptions, ProcessesOption, ShowOnServerOption
from arena.cli.option_groups import with_option_groups
from arena.cli.options import ClusterOption, DataOption, JsonOption, StoreOption

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@app.command("plan")
def plan_league(
    file: FileArgument,
    cores: Annotated[
        int | None,
        typer.Option(min=1, help="Estimate for this many cores. Default: those of this machine or of the cluster."),
    ] = None,
    max_bot_processes: ProcessesOption = None,
    cluster: ClusterOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Try the bots for a minute, and estimate the games, time and memory of the league. The trial does not count."""
    from arena.cli.league.plan import show_plan
    from arena.cli.signals import run_until_stopped

    planning = show_plan(file, cores, max_bot_processes, cluster, data=data, is_json=json)
    asyncio.run(run_until_stopped(planning, lambda: "nothing was saved"))


@app.command("seal")
def seal_league(
    file: FileArgument,
    entropy: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="For a second run, after the seal was posted: mix in a public text that nobody knew at that time.",
        ),
    ] = None,
    cluster: ClusterOption = "",
    data: DataOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Seal a league: fix its rules, bots and randomness, and show the line to post before the first game."""
    from arena.cli.league.seal import seal

    asyncio.run(seal(file, entropy, data, store, cluster, is_json=json))


@app.command("run")
@with_option_groups
def run_league(options: PlayOptions) -> None:
    """Play a league to its end. Seal it first if necessary. Ctrl-C stops the league, and `resume` continues it."""
    _play(options, is_new=True)


@app.command("resume")
@with_option_groups
def resume_league(
    options: PlayOptions,
    finish_rounds: Annotated[
        bool, typer.Option("--finish-rounds", help="Play only the rounds that have begun, then stop.")
    ] = False,
) -> None:
    """Continue a league that was stopped or killed. Unfinished games continue where they stopped."""
    _play(options, is_new=False, finishes_rounds=finish_rounds)


@app.command("stop")
def stop_league(
    league: Annotated[str, typer.Argument(metavar="FILE|NAME", help="League file, or the name of the league.")],
    server: ShowOnServerOption,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Stop a league that a server plays. Its open tables go on to their ends, and `resume` continues the league."""
    from arena.cli.league.served import stop_league as stop

    asyncio.run(stop(league, server, data, is_json=json))


@app.command("status")
def status_league(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="League file, in TOML; with --server also the name of a league.")
    ],
    server: ShowOnServerOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show the progress and the standings of a league, even while it runs."""
    if server:
        from arena.cli.league.served import show_league

        asyncio.run(show_league(str(file), server, data, is_json=json))
        return
    _tune_for_large_leagues()
    from arena.cli.league.status import read_status, show_status

    league, awaited = asyncio.run(read_status(file, data))
    show_status(league, json, awaited)


@app.command("games")
def games_league(
    file: FileArgument,
    bot: Annotated[str, typer.Option(metavar="NAME", help="Only games of this entrant.")] = "",
    lost: Annotated[bool, typer.Option("--lost", help="With --bot: only games in which it came last.")] = False,
    faults: Annotated[bool, typer.Option("--faults", help="With --bot: only games in which it had a fault.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List games with their ids, which `arena replay` accepts."""
    _tune_for_large_leagues()
    from arena.cli.league.status import read_status, show_games

    league, _ = asyncio.run(read_status(file, data))
    show_games(league, bot, lost, faults, json)


@app.command("report")
def report_league(
    file: FileArgument,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the report.")] = Path("report"),
    data: DataOption = None,
) -> None:
    """Write a report: one page, and its tables again as files for programs. The league may still be running."""
    _tune_for_large_leagues()
    from arena.cli.league.publish import write_league_report

    print(asyncio.run(write_league_report(file, data, out)))


@app.command("publish")
def publish_league(
    file: FileArgument,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the site.")] = Path("site"),
    replays: Annotated[str, typer.Option(help="Games to include: all, finals or sample.")] = "sample",
    data: DataOption = None,
) -> None:
    """Write a static site: the report, games move by move, and everything needed to check the deals and the seal."""
    _tune_for_large_leagues()
    from arena.cli.league.publish import write_league_site

    print(asyncio.run(write_league_site(file, data, out, replays)))


@app.command("amend")
def amend_league(
    file: FileArgument,
    kind: Annotated[
        str, typer.Argument(metavar="void|add|replace|withdraw|disqualify|extend", help="Kind of amendment.")
    ],
    what: Annotated[
        str,
        typer.Argument(
            metavar="GAME|ENTRANT|ROUND", help="For void: a game's id. For extend: a round. Otherwise: an entrant."
        ),
    ],
    reason: Annotated[str, typer.Option(help="Reason, which the report shows.")],
    until: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="For extend: the new close, such as '2026-12-10 22:00+01:00'."),
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Amend a stopped league.

    Void the block of a game; add, replace, withdraw or disqualify an entrant; or extend a round.
    This is final.
    """
    from arena.cli.league.seal import amend

    asyncio.run(amend(file, kind, what, reason, until, data, is_json=json))


def _tune_for_large_leagues() -> None:
    """Tune the process for reading very many games. Call this before numpy is loaded.

    OpenBLAS gets one thread. On small matrices more threads only wait for each other, and a running league may need the
    cores. The garbage collector searches for cycles less often. A ledger has no cycles, and repeated searches of a
    whole ledger would take as long as everything else.
    """
    gc.set_threshold(50_000, 20, 100)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _play(options: PlayOptions, *, is_new: bool, finishes_rounds: bool = False) -> None:
    if options.server:
        options.check_for_server()
        _play_on_server(options, is_new=is_new, finishes_rounds=finishes_rounds)
        return
    from arena.fleet.telemetry import set_up_logging
    from arena.server.config.read_config import read_config
    from arena.server.guards.stderr_filter import filter_stderr
    from arena.server.store.store_place import choose_place

    flags = {"data": options.data, "store": options.store, **asdict(options.listening)}
    config = read_config(flags=flags, defaults={"log_level": "error"})
    choose_place(config.data, config.store)
    # The node inherits this process's stderr, and the variable for gRPC's trace.
    with filter_stderr(speaks_tls=config.tls_cert is not None, set_up_logging=lambda: set_up_logging(config.log_level)):
        from arena.cli.league.run import LeagueRun
        from arena.cli.signals import run_until_stopped

        run = LeagueRun(options, config, is_new=is_new, finishes_rounds=finishes_rounds)
        asyncio.run(run_until_stopped(run.play(), run.interruption_message))


def _play_on_server(options: PlayOptions, *, is_new: bool, finishes_rounds: bool) -> None:
    from arena.cli.league.served import ServedRun
    from arena.cli.signals import run_until_stopped

    run = ServedRun(options.file, options.server, options.data, options.json, is_new, finishes_rounds)
    asyncio.run(run_until_stopped(run.play(), run.interruption_message))
