"""Leagues that a server plays (`--server`): has them played, follows them, stops and shows them."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arena.cli.console import discard_status, print_status
from arena.cli.league.progress import LINE_INTERVAL_S
from arena.cli.organizer_access import connect_organizer
from arena.cli.present import Columns, present, table_lines
from arena.errors import EnvironmentFaultError, NotationError, RequestError, StoreAwayError
from arena.organizer.file.entrant_rules import expand_cut
from arena.plain_data import to_finite_plain
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration, join_words
from arena.server.rpc.league_service import LeagueClient, LeagueOrder, LeagueState, LeagueStatus
from arena.text_files import decode_text, parse_toml
from arena.typed_command import arena_command

_TOKEN_NAME: Final = "league"  # noqa: S105  the name of a token
_LOOK_INTERVAL_S: Final = 1.0


@dataclass
class ServedRun:
    """Has a league played, and follows it to its end."""

    file: Path
    server: str
    data: Path | None
    is_json: bool
    is_new: bool
    """Whether a league that is not sealed yet gets its seal. Otherwise it is refused."""
    finishes_rounds: bool = False
    name: str = ""

    async def play(self) -> None:
        report = discard_status if self.is_json else print_status
        text = _read_file(self.file)
        self.name = _find_name(text, self.file)
        text = expand_cut(text, parse_toml(text, str(self.file)), self.file.resolve().parent)
        order = LeagueOrder(self.name, text, not self.is_new, self.finishes_rounds)
        async with connect_organizer(LeagueClient, self.server, self.data, _TOKEN_NAME) as client:
            status = await client.run(order)
            report(status.seal)
            report(f"entrants: {', '.join(status.entrants)}")
            try:
                await _follow(client, status, report)
                status = await client.show(self.name, has_standings=True)
            except EnvironmentFaultError as error:
                error.add_note(f"the league goes on when the server is back: `{self._command('status')}` shows it")
                raise
        show_served_status(status, self.is_json)
        if status.fault:
            raise EnvironmentFaultError(f"the league has stopped: {status.fault}; `{self._command('resume')}` goes on")

    def interruption_message(self) -> str:
        """Say that the league goes on."""
        if not self.name:
            return "nothing had started"
        return f"the league goes on without this command; to stop it: {self._command('stop')}"

    def _command(self, command: str) -> str:
        folder = ["--data", str(self.data)] if self.data else []
        return arena_command("league", command, str(self.file), "--server", self.server, *folder)


async def show_league(text: str, server: str, data: Path | None, *, is_json: bool) -> None:
    """`text` is a league's file or its name."""
    async with connect_organizer(LeagueClient, server, data, _TOKEN_NAME) as client:
        show_served_status(await client.show(name_of(text), has_standings=True), is_json)


async def stop_league(text: str, server: str, data: Path | None, *, is_json: bool) -> None:
    """`text` is a league's file or its name."""
    async with connect_organizer(LeagueClient, server, data, _TOKEN_NAME) as client:
        status = await client.stop(name_of(text))
    state = "is over" if status.state is LeagueState.OVER else "begins no further table; those that are played go on"
    present(_values(status), is_json, [f"{status.name} {state} ({_games_text(status)})"])


def name_of(text: str) -> str:
    """Return the name of a league that is given by its file or its name. Raises NotationError."""
    path = Path(text)
    return _find_name(_read_file(path), path) if path.is_file() else text


def show_served_status(status: LeagueStatus, is_json: bool) -> None:
    present(lambda: _values(status), is_json, _status_lines(status))


# ---- inside


def _read_file(path: Path) -> str:
    """Raises NotationError."""
    try:
        return decode_text(path.read_bytes(), str(path))
    except OSError as error:
        raise NotationError(str(path), f"a file that can be read ({error.strerror})") from error


def _find_name(text: str, path: Path) -> str:
    """Raises NotationError, and RequestError if the file names no league."""
    name = parse_toml(text, str(path)).get("name")
    if not isinstance(name, str) or not name:
        raise RequestError(f"{path} has no `name` of a league")
    return name


async def _follow(client: LeagueClient, status: LeagueStatus, report: Callable[[str], None]) -> None:
    """Report how far a league is, until it no longer plays."""
    began, games_before, reports_at = time.monotonic(), status.game_count, 0.0
    while status.state is LeagueState.PLAYING:
        if (now := time.monotonic()) >= reports_at:
            report(_progress_line(status, status.game_count - games_before, now - began))
            reports_at = now + LINE_INTERVAL_S
        await asyncio.sleep(_LOOK_INTERVAL_S)
        with suppress(StoreAwayError):  # the league waits for the database too
            status = await client.show(status.name, has_standings=False)


def _progress_line(status: LeagueStatus, games: int, seconds: float) -> str:
    rate = games / seconds if seconds else 0.0
    left = ""
    if rate and status.planned_count and not status.awaited:
        left = f", about {format_rough_duration((status.planned_count - status.game_count) / rate)} left"
    waits = f"; waiting for {join_words(status.awaited)} to connect" if status.awaited else ""
    return f"{_games_text(status)}, {rate:.1f} a second{left}{waits}"


def _games_text(status: LeagueStatus) -> str:
    if status.planned_count is None:
        return format_count(status.game_count, "game")
    return f"{status.game_count} of {format_count(status.planned_count, 'game')}"


def _values(status: LeagueStatus) -> dict[str, Any]:
    values: dict[str, Any] = to_finite_plain(status)
    return values


def _status_lines(status: LeagueStatus) -> Iterator[object]:
    yield f"{status.name}: {status.state} after {_games_text(status)}"
    columns: Columns = {
        "": lambda row: row["place"] or None,
        "bot": "bot",
        "games": "game_count",
        "score": lambda row: f"{row['score']:.3f}" if row["game_count"] else None,
        "95 %": lambda row: None if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}",
        "wins": "first_count",
        "mean place": lambda row: f"{row['mean_place']:.2f}" if row["game_count"] else None,
        "faults": lambda row: row["strike_count"] or None,
    }
    yield from table_lines(_values(status)["standings"], columns) if status.standings else ()
    if status.awaited:
        yield f"awaited now: {', '.join(status.awaited)}"
    if status.fault:
        yield f"it has stopped: {status.fault}"
