"""The list of leagues, the report of each as `arena league report` writes it, and the document that proves its seal."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import quote

import msgspec

from arena.competition.league.ports import COMPARISON_PREFIX, LeagueRow
from arena.organizer.report.report_json import json_object_parts, report_document
from arena.organizer.report.report_page import ReportLinks, report_values
from arena.organizer.report.view import LeagueView
from arena.organizer.seal.league_files import is_league_held
from arena.organizer.seal.open_league import OpenLeague, open_sealed_league
from arena.organizer.view.league_view import build_league_view
from arena.organizer.view.publication import build_publication
from arena.server.store.open_store import Store, open_store
from arena.web.errors import RefusedError
from arena.web.page import Asked, File, Page, Parameter, RenderedPage, page_at
from arena.web.rendering import render_template
from arena.web.sources import Sources
from arena.web.workshop import Kept

T = TypeVar("T")
_KEPT_S: Final = 5.0
"""Seconds for which a report is shown although its league has played on. Then it is computed again."""
_Version = tuple[int, int, int, bool]
"""The version of a league in the store, and whether a server runs."""
_NAME: Final = Parameter("name", "The name of the league.", in_path=True)


@dataclass(frozen=True, slots=True)
class LeagueLine:
    """A league in a list."""

    name: str
    created_at: float
    """When it was sealed, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class LeagueList:
    """All leagues, newest first."""

    leagues: Sequence[LeagueLine]


async def find_league_lines(sources: Sources) -> list[LeagueLine]:
    """Newest first."""
    return [LeagueLine(head.name, head.created_at) for head in await sources.store.leagues.heads()]


@page_at("/leagues", "All leagues", LeagueList)
async def read_leagues(asked: Asked) -> Page:
    return Page("leagues.html", LeagueList(await find_league_lines(asked.sources)))


@page_at("/leagues/{name}", "The report of a league", dict[str, Any], _NAME)
async def read_league(asked: Asked) -> RenderedPage:
    """While the league is played, its report is at most five seconds old."""
    row, version = await _find_league(asked)
    sources = asked.sources

    def build() -> Kept[RenderedPage]:
        at = sources.monotonic()
        view = _with_league(sources, row, lambda league, _: build_league_view(league, sources.folder, version[-1]))
        page = _render_report(view, row.name)
        return Kept(page, page.size, version, at)

    kept = await sources.reports.make(
        ("league", row.league_id),
        asked.address,
        build,
        lambda known: known.version == version or sources.monotonic() < known.at + _KEPT_S,
    )
    return kept.value


@page_at(
    "/leagues/{name}/proof", "The document that proves the seal of a league", None, _NAME, media_type="application/json"
)
async def read_league_proof(asked: Asked) -> File:
    """The document is that of a published site."""
    row, version = await _find_league(asked)
    sources = asked.sources

    def build() -> Kept[bytes]:
        content = msgspec.json.encode(_with_league(sources, row, build_publication))
        return Kept(content, len(content), version)

    kept = await sources.reports.make(
        ("league proof", row.league_id), asked.address, build, lambda known: known.version == version
    )
    return File(kept.value, "application/json", "league.json")


async def _find_league(asked: Asked) -> tuple[LeagueRow, _Version]:
    """Return the league whose name is in the path, and its version. Raises RefusedError if there is none."""
    name, store = asked.part("name"), asked.sources.store
    row = None if name.startswith(COMPARISON_PREFIX) else await store.leagues.league(name)
    if row is None:
        raise RefusedError(404, f"there is no league {name[:64]!r} here")
    return row, (*await store.leagues.version(name), is_league_held(asked.sources.folder, row.league_id))


def _with_league(sources: Sources, row: LeagueRow, read: Callable[[OpenLeague, Store], Coroutine[Any, Any, T]]) -> T:
    """Open a league in this thread, read something of it, and return that."""

    async def work() -> T:
        async with await open_store(sources.folder) as store:
            return await read(await open_sealed_league(row, store), store)

    return asyncio.run(work())


def _render_report(view: LeagueView, name: str) -> RenderedPage:
    path = quote(name, safe="")
    links = ReportLinks(
        files=[f"{path}.json"],
        replays={game.match_id: f"/matches/{game.match_id}/games/0" for game in view.games},
        replays_page="/matches",
    )
    html = render_template("league.html", **report_values(view, links), path=path)
    return RenderedPage(html, "".join(json_object_parts(report_document(view))).encode())
