"""`arena match`: a few games between bots that somebody names, results and replays."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.exits import Exit

if TYPE_CHECKING:
    from arena.cli.host import Host
    from arena.cli.plan import Player
    from arena.cli.report import MatchResult
    from arena.rpc.client import MatchOrder, MatchReport
    from arena.rpc.loop import NodeClock, StampingSelector

app = typer.Typer(rich_markup_mode="markdown")

_BOT_HELP: Final = (
    "A script, a folder or manifest (bot.toml), a quoted command, sample:NAME, or remote:NAME for one that dials in. "
    "Once for each seat; the same bot twice becomes NAME#1 and NAME#2."
)
_RULES: Final = "Rules"
_PACE: Final = "Pace"
_PLACE: Final = "Where and how"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how a match is played, besides what is played."""

    data: Path | None
    server: str
    port: int
    join_s: float
    shown: Sequence[str]
    is_json: bool
    most_strikes: int | None


@app.command()
def match(  # noqa: PLR0913, PLR0917  each is an option of the command line
    bot: Annotated[list[str], typer.Option(help=_BOT_HELP)],
    fill: Annotated[str, typer.Option(metavar="BOT", help="Takes the seats that are left; needs --seats.")] = "",
    seats: Annotated[int, typer.Option(min=0, help="Seats at the table. Default: one for each --bot.")] = 0,
    games: Annotated[int, typer.Option(help="Games to play, 1 to 10000.")] = 1,
    seating: Annotated[
        str, typer.Option(help="rotated: everybody moves one seat on after each game. fixed: nobody does.")
    ] = "rotated",
    seed: Annotated[
        str, typer.Option(metavar="HEX", help="Decides all cards; up to 64 digits. Makes the match unrated.")
    ] = "",
    unrated: Annotated[bool, typer.Option("--unrated", help="The result counts nowhere.")] = False,
    game: Annotated[str, typer.Option(rich_help_panel=_RULES, help="Which game; by default that of the preset.")] = "",
    preset: Annotated[
        str,
        typer.Option(
            rich_help_panel=_RULES, help="The rules to start from, or a file FILE.toml; by default the game's first."
        ),
    ] = "",
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", rich_help_panel=_RULES, help="A rule that differs; repeatable."),
    ] = None,
    pace: Annotated[
        str, typer.Option(rich_help_panel=_PACE, help="sealed: in rounds, answers hidden. live: as at a real table.")
    ] = "sealed",
    turn_ms: Annotated[int | None, typer.Option(rich_help_panel=_PACE, help="Milliseconds for a turn.")] = None,
    call_ms: Annotated[int | None, typer.Option(rich_help_panel=_PACE, help="Milliseconds for a call window.")] = None,
    min_call_ms: Annotated[
        int | None, typer.Option(rich_help_panel=_PACE, help="live: milliseconds after a move without calls.")
    ] = None,
    intermission_ms: Annotated[
        int | None, typer.Option(rich_help_panel=_PACE, help="Milliseconds between two games, at most.")
    ] = None,
    max_auto_moves: Annotated[
        int | None, typer.Option(rich_help_panel=_PACE, help="Missed turns in a row that cost the seat; 0: never.")
    ] = None,
    reconnect_grace_ms: Annotated[
        int | None, typer.Option(rich_help_panel=_PACE, help="Milliseconds a match that a lost bot is waited for.")
    ] = None,
    fixed_window: Annotated[
        bool,
        typer.Option("--fixed-window", rich_help_panel=_PACE, help="sealed: windows always last their whole time."),
    ] = False,
    no_deadlines: Annotated[
        bool, typer.Option("--no-deadlines", rich_help_panel=_PACE, help="Nothing is ever late. Unrated.")
    ] = False,
    data: Annotated[
        Path | None, typer.Option(rich_help_panel=_PLACE, help="Data folder, made if missing. Default: arena-data.")
    ] = None,
    server: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            rich_help_panel=_PLACE,
            help="Play on the server at host:port. Its organizer's token is in ARENA_TOKEN, or --data is its folder.",
        ),
    ] = "",
    port: Annotated[int, typer.Option(rich_help_panel=_PLACE, help="Port of our own server; 0: any free one.")] = 0,
    join_time: Annotated[
        float, typer.Option(min=0, rich_help_panel=_PLACE, help="Seconds that a remote bot has for dialling in.")
    ] = 60.0,
    show_output: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", rich_help_panel=_PLACE, help="Show what this bot writes; repeatable."),
    ] = None,
    max_strikes: Annotated[
        int | None,
        typer.Option(min=0, rich_help_panel=_PLACE, help="Exit with 3 if a bot has more faults than this."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", rich_help_panel=_PLACE, help="Results as JSON.")] = False,
) -> int:
    """Play a few games between bots.

    Without --server, a server is started for this match alone. Bots that are named by a program run as processes of
    their own and are ended with the match; no clock runs while they start.
    """
    from arena.app import run_node
    from arena.cli.plan import Wishes, find_players, make_order
    from arena.cli.stopping import until_stopped

    settings: dict[str, int | bool | None] = {
        "turn_ms": turn_ms,
        "call_ms": call_ms,
        "min_call_ms": min_call_ms,
        "intermission_ms": intermission_ms,
        "max_auto_moves": max_auto_moves,
        "reconnect_grace_ms": reconnect_grace_ms,
        "fixed_window": fixed_window or None,
        "no_deadlines": no_deadlines or None,
    }
    players = find_players(bot, fill, seats)
    wishes = Wishes(game, preset, set_ or (), pace, settings, games, seating, seed, not unrated)
    order = make_order(wishes, players)
    setting = Setting(data, server, port, join_time, show_output or (), json, max_strikes)
    run = _Run(players, order, setting)
    return run_node(lambda clock, selector: until_stopped(run.play(clock, selector), run.what_was_kept))


class _Run:
    """One match, from the first process to the last line."""

    def __init__(self, players: "Sequence[Player]", order: "MatchOrder", setting: Setting) -> None:
        self._players = players
        self._order = order
        self._setting = setting
        self._reports: list[MatchReport] = []

    async def play(self, clock: "NodeClock", selector: "StampingSelector") -> int:
        """Play and show. Gives the exit code."""
        from arena.cli.playing import open_host

        setting = self._setting
        async with open_host(setting.server, setting.data, setting.port, clock, selector) as host:
            return await self._play_at(host)

    def what_was_kept(self) -> str:
        """What is left after an interruption."""
        from arena.cli.playing import what_was_kept

        return what_was_kept(self._reports, self._setting.data)

    async def _play_at(self, host: "Host") -> int:
        from arena.cli.console import say
        from arena.cli.crew import launched
        from arena.cli.playing import aftermath_of, play_one
        from arena.cli.progress import Played, shown
        from arena.cli.report import MatchResult

        setting, names = self._setting, self._order.entrants
        played = Played(self._order.game, names, self._order.game_count, self._reports)
        async with launched(host, self._players, setting.join_s, say, setting.shown) as crew:
            async with shown(played, host.server, setting.is_json):
                report = await play_one(host, crew, self._order, played)
            result = MatchResult(self._order, report, aftermath_of(host, crew, names))
        result.show(setting.is_json)
        return self._verdict(result)

    def _verdict(self, result: "MatchResult") -> Exit:
        if not result.is_complete:
            return Exit.UNSTEADY
        limit = self._setting.most_strikes
        return Exit.BOT_FAILED if limit is not None and result.most_strikes > limit else Exit.YES
