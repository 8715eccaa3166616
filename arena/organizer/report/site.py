"""The static site of a league: the report, games narrated move by move, and their proof.

Its links are relative, so it also works in a local folder. The site has these files:

    index.html                   the report
    data/                        its tables and the document for machines
    replays/index.html           the list of narrated games, with their pages
    replays/ID.html              a game move by move; ID-game-1.html is the next game of the same match
    replays/ID.replay.json       its proof
    league.json                  the sealed values, the ledger and every revealed deal
    verify/                      the programs that check league.json and a game's file
    SHA256SUMS                   the checksum of every file

A site is written next to its destination and moved there when it is complete.
"""

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import arena.verify
from arena.errors import EnvironmentFaultError, RequestError
from arena.organizer.report.game_page import SitePlace, render_game_page
from arena.organizer.report.published_match import PublishedMatch
from arena.organizer.report.rendering import render_template
from arena.organizer.report.report_json import write_json_object
from arena.organizer.report.report_page import ReportLinks, match_file_name, render_report, write_data
from arena.organizer.report.view import LeagueGame, LeagueView
from arena.plurals import format_count

_SITE_MARKER: Final = ".cheatarena-site"
"""The file that marks a folder as a site. Only such a folder may be overwritten."""
_GAMES_PER_PAGE: Final = 500
"""Number of games on one page of the list."""
_LEAGUE_FILE: Final = "league.json"
DEAL_VERIFIER: Final = "verify_deal.py"
"""The program that checks the replay file of a game."""
LEAGUE_VERIFIER: Final = "verify_league.py"
"""The program that checks the seal of a league."""


def verifier_files() -> Sequence[Path]:
    """Return the paths of the verifiers, sorted by name. Raises EnvironmentFaultError if one is not installed."""
    paths = sorted(Path(arena.verify.__file__).parent.glob("verify_*.py"))
    if missing := sorted({DEAL_VERIFIER, LEAGUE_VERIFIER} - {path.name for path in paths}):
        raise EnvironmentFaultError(f"this installation lacks {', '.join(missing)}: install cheatarena-server again")
    return paths


class StaticSite:
    """A site that is being written: call `add_match` for each match, then `finish` with the report."""

    def __init__(self, out: Path, title: str) -> None:
        """Start a site that will be moved to `out`. Raises RequestError if `out` contains anything but a site."""
        _require_site_or_empty(out)
        self._out, self._title = out, title
        self._folder = out.with_name(out.name + ".new")
        _require_site_or_empty(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)
        for part in ("data", "replays", "verify"):
            (self._folder / part).mkdir(parents=True)
        (self._folder / _SITE_MARKER).touch()
        self._games: list[LeagueGame] = []

    def add_match(self, match: PublishedMatch, game: LeagueGame) -> None:
        """Write the pages of a match. Raises RequestError for an id that cannot name a file."""
        name, folder = match_file_name(match.match_id), self._folder / "replays"
        document = f"{name}.replay.json" if match.document else ""
        if document:
            (folder / document).write_bytes(match.document)
        files = [f"{name}.html", *(f"{name}-game-{page.game}.html" for page in match.pages[1:])]
        numbered = [(page.game, file) for page, file in zip(match.pages, files, strict=True)]
        place = SitePlace(self._title, game, numbered, document, DEAL_VERIFIER)
        for page, file in zip(match.pages, files, strict=True):
            (folder / file).write_text(render_game_page(page, place), encoding="utf-8")
        self._games.append(game)

    def finish(self, view: LeagueView, league: Mapping[str, Any] | None = None) -> Path:
        """Write the rest of the site, move it into place, and return the path of its first page.

        `league` is the document that proves the league's seal.
        """
        self._write_lists()
        if league is not None:
            write_json_object(league, self._folder / _LEAGUE_FILE)
        for path in verifier_files():
            shutil.copyfile(path, self._folder / "verify" / path.name)
        links = ReportLinks(
            folder="data/",
            files=write_data(view, self._folder / "data"),
            replays={game.match_id: f"replays/{match_file_name(game.match_id)}.html" for game in self._games},
            replays_page="replays/index.html",
            verifier=f"verify/{DEAL_VERIFIER}",
            league="" if league is None else _LEAGUE_FILE,
            league_verifier=f"verify/{LEAGUE_VERIFIER}",
        )
        (self._folder / "index.html").write_text(render_report(view, links), encoding="utf-8")
        _write_checksums(self._folder)
        if self._out.exists():
            shutil.rmtree(self._out)
        self._folder.rename(self._out)
        return self._out / "index.html"

    def _write_lists(self) -> None:
        """Write the list of all games, and a list for each bot. A list may have several pages.

        The files are numbered, because a bot may have any name.
        """
        games = sorted(self._games, key=lambda game: (game.block.number, game.table, game.match_id))
        bots = sorted({name for game in games for name in game.result.seats}) if len(games) > 1 else []
        lists = [("", "index", games)]
        lists += [
            (bot, f"bot{number}", [game for game in games if bot in game.result.seats])
            for number, bot in enumerate(bots, start=1)
        ]
        links = [(bot, f"{stem}.html") for bot, stem, _ in lists]
        for bot, stem, chosen in lists:
            self._write_list(bot, stem, chosen, links if bots else [])

    def _write_list(self, bot: str, stem: str, games: Sequence[LeagueGame], lists: Sequence[tuple[str, str]]) -> None:
        """Write the pages of one list. `lists` has the bot and first page of every list; all games have no bot."""
        parts = [games[at : at + _GAMES_PER_PAGE] for at in range(0, len(games), _GAMES_PER_PAGE)] or [[]]
        names = [f"{stem}.html", *(f"{stem}-{number}.html" for number in range(2, len(parts) + 1))]
        words = f"{format_count(len(games), 'game')} told move by move"
        for name, part in zip(names, parts, strict=True):
            page = render_template(
                "replays.html", title=self._title, words=words, games=part, pages=names, here=name, bot=bot, lists=lists
            )
            (self._folder / "replays" / name).write_text(page, encoding="utf-8")


def _require_site_or_empty(folder: Path) -> None:
    if folder.exists() and not (folder / _SITE_MARKER).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise RequestError(f"{str(folder)!r} exists and is not a published site: name a folder that does not exist")


def _write_checksums(folder: Path) -> None:
    """Write the checksums of all files, in the form that `sha256sum --check` reads."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != _SITE_MARKER:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="ascii")
