"""Writes a league's report and site for the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.cli.bot_argument import submitted_finder
from arena.cli.console import print_status
from arena.cli.league.status import read_league
from arena.errors import EnvironmentFaultError, OptionError
from arena.games.catalogue import games
from arena.organizer.file.league_reader import read_league_file_lenient
from arena.organizer.play.league_play import close_league
from arena.organizer.report.published_match import read_published_matches
from arena.organizer.report.report_page import write_report
from arena.organizer.report.site import LEAGUE_VERIFIER, StaticSite
from arena.organizer.report.view import LeagueGame, LeagueView
from arena.organizer.seal.league_files import hold_league, is_league_held
from arena.organizer.seal.open_league import OpenLeague, open_league
from arena.organizer.view.league_view import build_league_view
from arena.organizer.view.publication import build_publication
from arena.plurals import format_count
from arena.replays.library.library import Library
from arena.server.store.open_store import open_store
from arena.server.store.receipt_key import open_receipt_key
from arena.typed_command import arena_command

SAMPLE_SIZE: Final = 40
"""Number of games in a sample, spread evenly over the whole league."""
REPLAY_CHOICES: Final = ("all", "finals", "sample")


async def write_league_report(path: Path, data: Path | None, out: Path) -> Path:
    """Return the path of the page."""
    async with read_league(path, data) as (league, store):
        view = await build_league_view(league, store.folder, is_league_held(store.folder, league.row.league_id))
    try:
        return write_report(view, out)
    except OSError as error:
        raise EnvironmentFaultError(f"the report cannot be written to {out}: {error.strerror}") from error


async def write_league_site(path: Path, data: Path | None, out: Path, replays: str) -> Path:
    """Write a site and return the path of its first page. A finished league is closed first.

    Raises OptionError if `replays` is not one of `REPLAY_CHOICES`.
    """
    if replays not in REPLAY_CHOICES:
        raise OptionError("replays", replays, f"expected one of {', '.join(REPLAY_CHOICES)}")
    await _close_if_over(path, data)
    async with read_league(path, data) as (league, store):
        view = await build_league_view(league, store.folder, is_league_held(store.folder, league.row.league_id))
        published = await build_publication(league, store)
        library, site = Library(store.folder, store, games()), StaticSite(out, view.title)
        try:
            chosen = {game.match_id: game for game in _select_games(view, replays)}
            async for match in read_published_matches(library, [*chosen], games()):
                site.add_match(match, chosen.pop(match.match_id))
            if chosen:
                games_text = format_count(len(chosen), "game")
                print_status(
                    f"{games_text} cannot be shown yet: `{arena_command('league', 'resume')}` reveals their deals"
                )
            page = site.finish(view, published)
        except OSError as error:
            raise EnvironmentFaultError(f"the site cannot be written to {out}: {error.strerror}") from error
    print_status(publication_text(league, out))
    return page


def publication_text(league: OpenLeague, out: Path) -> str:
    """Return the state of the published league, and the command that checks the site in `out`."""
    state = "the league has not ended, so its secret is not published; publish the site again after the end"
    if league.is_closed:
        state = "the league is closed and its secret published: no game can be voided or played any more"
    drawn = ' --entropy "WHAT WAS DRAWN"' if league.randomness.public_entropy else ""
    check = f'python3 verify/{LEAGUE_VERIFIER} league.json --line "THE LINE THAT WAS POSTED"{drawn}'
    return f"{state}\nto check its seal, run in {out}: {check}"


async def _close_if_over(path: Path, data: Path | None) -> None:
    """Raises StoreLockedError while another process plays or amends the league."""
    async with read_league(path, data) as (league, store):
        folder = store.folder
    if league.is_over and not league.is_closed:
        with hold_league(folder, league.row.league_id):
            async with await open_store(folder) as store:
                signer = open_receipt_key(folder, has_deals=await store.deals.has_deals())
                file = read_league_file_lenient(path, submitted_finder(folder))
                await close_league(await open_league(file, store), store, signer)


def _select_games(view: LeagueView, replays: str) -> Sequence[LeagueGame]:
    """If the league has no finals, `finals` means the last round."""
    if replays == "all":
        return view.games
    if replays == "finals":
        last = max((game.block.round for game in view.games), default=0)
        finals = [game for game in view.games if game.block.label]
        return finals or [game for game in view.games if game.block.round == last]
    count = min(SAMPLE_SIZE, len(view.games))
    return [view.games[index * len(view.games) // count] for index in range(count)]
