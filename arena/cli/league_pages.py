"""A league's report and site, written from the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.app import keeping
from arena.cli.console import say
from arena.config import read_config
from arena.errors import EnvironmentFaultError, OptionError
from arena.hosting.league import OpenLeague, close_league, open_league
from arena.hosting.league_file import seen_league
from arena.hosting.published import published_league
from arena.hosting.telling import view_of
from arena.replays.library import Library
from arena.replays.words import counted
from arena.report.report_files import write_report
from arena.report.site import Site
from arena.report.story import read_stories
from arena.report.verifier import LEAGUE_ENTRY
from arena.report.view import GameRow, LeagueView
from arena.rpc.games import games
from arena.store.lock import is_held
from arena.store.opening import open_store
from arena.telemetry import set_up_logging

SAMPLE: Final = 40
"""Games of a sample, spread over the whole league."""
CHOICES: Final = ("all", "finals", "sample")


async def written_report(path: Path, data: Path | None, out: Path) -> Path:
    """Write a report into a folder; give its page."""
    set_up_logging("error")
    folder = read_config(flags={"data": data}).data
    async with await open_store(folder) as store:
        view = await view_of(await open_league(seen_league(path), store), folder, is_held(folder))
    try:
        return write_report(view, out)
    except OSError as error:
        raise EnvironmentFaultError(f"the report cannot be written to {out}: {error.strerror}") from error


async def written_site(path: Path, data: Path | None, out: Path, replays: str) -> Path:
    """Write a site; give its first page. A league that is over is closed by it.

    Raises OptionError for a choice of games that there is not.
    """
    if replays not in CHOICES:
        raise OptionError("replays", replays, f"expected one of {', '.join(CHOICES)}")
    set_up_logging("error")
    folder = read_config(flags={"data": data}).data
    await _close_if_over(path, folder)
    async with await open_store(folder) as store:
        league = await open_league(seen_league(path), store)
        view, published = await view_of(league, folder, is_held(folder)), await published_league(league, store)
        library, site = Library(folder, store, games()), Site(out, view.title)
        try:
            chosen = {game.match_id: game for game in _chosen(view, replays)}
            async for story in read_stories(library, [*chosen], games()):
                site.add(story, chosen.pop(story.match_id))
            if chosen:
                say(f"{counted(len(chosen), 'game')} cannot be told yet: the deal is not opened, `resume` does so")
            page = site.finish(view, published)
        except OSError as error:
            raise EnvironmentFaultError(f"the site cannot be written to {out}: {error.strerror}") from error
    say(published_words(league, out))
    return page


def published_words(league: OpenLeague, out: Path) -> str:
    """What it means that a league is published, and how whoever has its line checks the site in `out`."""
    told = "the league is not over: its secret is not told, and it goes on; publish it again when it is over"
    if league.is_closed:
        told = "the league is closed: its secret is told, and no game of it can be void or played any more"
    drawn = ' --entropy "WHAT WAS DRAWN"' if league.luck.public_entropy else ""
    check = f'python3 verify/{LEAGUE_ENTRY} league.json --line "THE LINE THAT WAS POSTED"{drawn}'
    return f"{told}\nanybody can check its seal, in {out}: {check}"


async def _close_if_over(path: Path, folder: Path) -> None:
    """Close a league that is over. Raises StoreHeldError while somebody else writes to its store."""
    file = seen_league(path)
    async with await open_store(folder) as store:
        league = await open_league(file, store)
    if league.is_over and not league.is_closed:
        async with keeping(folder) as (_, store, signer):
            await close_league(await open_league(file, store), store, signer)


def _chosen(view: LeagueView, replays: str) -> Sequence[GameRow]:
    """The games that are told; where there is no final, those of the last round are."""
    if replays == "all":
        return view.games
    if replays == "finals":
        last = max((game.round for game in view.games), default=0)
        return [game for game in view.games if game.label] or [game for game in view.games if game.round == last]
    count = min(SAMPLE, len(view.games))
    return [view.games[index * len(view.games) // count] for index in range(count)]
