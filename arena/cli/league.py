"""`arena league`: a league from one file. Sealed, played, resumed after whatever happened, looked at meanwhile."""

import asyncio
import gc
import os
import shlex
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from arena.cli.exits import Exit
from arena.errors import UnknownNameError

app = typer.Typer(
    rich_markup_mode="markdown",
    no_args_is_help=True,
    help="Play a league from one file: everybody against everybody, with deals that several tables share.",
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The league: a file of TOML.")]
Data = Annotated[Path | None, typer.Option(help="Data folder. Default: ARENA_DATA, or else arena-data.")]
Json = Annotated[bool, typer.Option("--json", help="Results as JSON.")]
Nodes = Annotated[int | None, typer.Option(min=1, help="Processes that play. Default: one for each core.")]
Processes = Annotated[
    int | None, typer.Option("--max-bot-processes", min=1, help="Bot processes at once. Default: what memory allows.")
]

Port = Annotated[int, typer.Option(help="Where bots that dial in find the league; 0: any free port.")]


class Resources(NamedTuple):
    """With what a league is played."""

    nodes: int | None
    """None: as many as there are cores."""
    processes: int | None
    """Of bots at most; None: as many as memory allows."""
    port: int


@app.command()
def plan(
    file: File,
    cores: Annotated[
        int | None, typer.Option(min=1, help="Reckon for so many. Default: those of this machine.")
    ] = None,
    max_bot_processes: Processes = None,
    json: Json = False,
) -> int:
    """Try the bots for a minute, and say what the league will take. Nothing of it counts."""
    from arena.cli.league_plan import show_plan
    from arena.cli.stopping import until_stopped

    return asyncio.run(until_stopped(show_plan(file, cores, max_bot_processes, json), lambda: "nothing was kept"))


@app.command()
def seal(
    file: File,
    entropy: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Mix in what nobody knew when the seal was posted."),
    ] = None,
    data: Data = None,
    json: Json = False,
) -> int:
    """Fix rules, bots and luck, and show the one line to post beforehand."""
    from arena.cli.console import say, show_json
    from arena.cli.league_run import sealed, sealed_words, words_on_posting

    values = asyncio.run(sealed(file, data, entropy))
    if json:
        show_json(values)
    else:
        print(values["seal"])
        say(sealed_words(values))
        say(words_on_posting(values))
    return Exit.YES


@app.command()
def run(
    file: File,
    nodes: Nodes = None,
    max_bot_processes: Processes = None,
    port: Port = 0,
    data: Data = None,
    json: Json = False,
) -> int:
    """Play a league to its end; it is sealed first where it is not. Ctrl-C stops it, `resume` goes on."""
    return _play(file, data, Resources(nodes, max_bot_processes, port), json, is_new=True)


@app.command()
def resume(
    file: File,
    nodes: Nodes = None,
    max_bot_processes: Processes = None,
    port: Port = 0,
    data: Data = None,
    json: Json = False,
) -> int:
    """Play what is missing of a league that was stopped or killed. Games that had begun go on where they stood."""
    return _play(file, data, Resources(nodes, max_bot_processes, port), json, is_new=False)


@app.command()
def status(file: File, data: Data = None, json: Json = False) -> int:
    """Show how far a league has got and who stands where; works while it runs."""
    _look_at_much()
    from arena.cli.league_run import looked_at
    from arena.cli.league_table import show

    show(asyncio.run(looked_at(file, data)), json)
    return Exit.YES


@app.command()
def games(
    file: File,
    bot: Annotated[str, typer.Option(metavar="NAME", help="Only games of this entrant.")] = "",
    lost: Annotated[bool, typer.Option("--lost", help="With --bot: only those in which it came last.")] = False,
    faults: Annotated[bool, typer.Option("--faults", help="With --bot: only those in which it had a fault.")] = False,
    data: Data = None,
    json: Json = False,
) -> int:
    """List games by the ids that `arena replay` takes."""
    _look_at_much()
    from arena.cli.league_run import looked_at
    from arena.cli.league_table import show_games

    show_games(asyncio.run(looked_at(file, data)), bot, lost, faults, json)
    return Exit.YES


@app.command()
def report(
    file: File,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where it goes. Default: report.")] = Path("report"),
    data: Data = None,
) -> int:
    """Write the report, also in mid season: one page, with tables for machines beside it."""
    _look_at_much()
    from arena.cli.league_pages import written_report

    print(asyncio.run(written_report(file, data, out)))
    return Exit.YES


@app.command()
def publish(
    file: File,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the site goes. Default: site.")] = Path("site"),
    replays: Annotated[str, typer.Option(help="Which games it tells: all, finals or sample.")] = "sample",
    data: Data = None,
) -> int:
    """Write a static site: the report, games told move by move, what proves them, the seal."""
    _look_at_much()
    from arena.cli.league_pages import written_site

    print(asyncio.run(written_site(file, data, out, replays)))
    return Exit.YES


@app.command()
def amend(
    file: File,
    kind: Annotated[str, typer.Argument(metavar="void|add|withdraw|disqualify")],
    what: Annotated[str, typer.Argument(metavar="GAME|ENTRANT", help="A game's id to void its block, or an entrant.")],
    reason: Annotated[str, typer.Option(help="Why; it stands in the report.")],
    data: Data = None,
    json: Json = False,
) -> int:
    """Decide something about a league that is stopped: it is added to its ledger, with the reason, for good."""
    from arena.cli.console import show_json
    from arena.cli.league_run import amended, amended_words

    try:
        act = asyncio.run(amended(file, data, kind, what, reason))
    except UnknownNameError as error:
        if error.kind == "game":
            error.add_note(f"`arena league games {_words(file, data)}` lists those that there are")
        raise
    if json:
        show_json({"number": act.number, "kind": act.kind, **act.values})
    else:
        print(amended_words(act, what, _words(file, data)))
    return Exit.YES


def _words(file: Path, data: Path | None) -> str:
    """Name a league again, for a command that is proposed."""
    return shlex.join([str(file), *(["--data", str(data)] if data else [])])


def _look_at_much() -> None:
    """Get ready to go through very many games.

    Algebra has no threads: on small matrices they wait for each other, and a league may be playing beside; that has to
    be said before the library is loaded. And cycles are looked for seldom: nothing of a ledger is in one, and to go
    through all of it again and again takes as long as all else.
    """
    gc.set_threshold(50_000, 20, 100)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _play(file: Path, data: Path | None, resources: Resources, json: bool, is_new: bool) -> int:
    from arena.cli.league_run import LeagueRun
    from arena.cli.stopping import until_stopped

    run = LeagueRun(file, data, resources, json, is_new)
    return asyncio.run(until_stopped(run.play(), run.what_was_kept))
