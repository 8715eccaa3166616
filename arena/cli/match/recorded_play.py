"""Reads from the store how the bots of a run bluff and call, and each bot's first fault, and shows it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from rich.box import SIMPLE_HEAD
from rich.table import Table

from arena.bots.launch.output import read_errors
from arena.cli.console import print_status
from arena.cli.match.replay_hint import replay_command
from arena.errors import StoreError
from arena.games.catalogue import games, pack_of, phrasing_of
from arena.match.referee.match_order import MatchReport
from arena.match.referee.ports import MatchId, MatchRow
from arena.match.referee.strike_record import StrikeRecord
from arena.organizer.report.play_view import BotPlay, PlayColumn, build_bot_plays, figure_names, play_column
from arena.plain_data import from_plain
from arena.replays.analytics.counts import AnalyticsTotals
from arena.replays.analytics.match_analytics import analyze_match
from arena.replays.narration.blame import explain_strike
from arena.replays.narration.move_numbers import shown_turn
from arena.server.store.open_store import Store, open_store

FIELD: Final = "the field"
"""The name of the row for all bots of a run together. No bot can have this name, because it has a space."""


StuckReports: TypeAlias = Mapping[tuple[int, int], str]
"""By the number of the match on its node and the id of the prompt: `turn() at bot.py:12, in turn()`."""

_STUCK: Final = re.compile(
    r" ERROR match (\d{1,9}): (\w+\(\)) has not returned at its deadline; it is (.+) \(prompt (\d{1,18})\)$"
)


@dataclass(frozen=True, slots=True)
class FirstFault:
    match_id: MatchId
    game: int
    """The 0-based number of the game in its match."""
    turn: int
    text: str
    """What happened and who is to blame, as a predicate that follows the bot's name."""

    @property
    def sentence(self) -> str:
        return f"the first, in game {self.game} at turn {self.turn}: it {self.text}"

    def lines(self, name: str, data: Path) -> tuple[str, str]:
        """Return the sentence about the fault of the bot with this name, and the command that shows it, as lines."""
        command = replay_command(self.match_id, data, "--entrant", name, "--game", self.game)
        return f"  {self.sentence}", f"  to read it: {command}"


@dataclass(frozen=True, slots=True)
class RecordedPlay:
    """How the bots of a run played, according to the store. It is empty if the store cannot be read here."""

    plays: Sequence[BotPlay] = ()
    """The figures of each bot, and then those of all bots together, with the name `FIELD`."""
    first_faults: Mapping[str, FirstFault] = field(default_factory=dict)
    """By the bot's name."""


async def read_recorded_play(
    data: Path, names: Sequence[str], game: str, reports: Sequence[MatchReport], outputs: Mapping[str, Sequence[Path]]
) -> RecordedPlay:
    """Return how the bots with these names played a game in the matches of the reports.

    `data` is the data folder of the server that played the matches. If its store cannot be read, say why on stderr and
    return an empty value, because the results of the matches are known without it. `outputs` has the output files of
    each bot.
    """
    try:
        async with await open_store(data) as store:
            stuck = {name: read_stuck_reports(files) for name, files in outputs.items()}
            return await _read(store, names, game, sorted(report.match_id for report in reports), stuck)
    except StoreError as error:
        print_status(f"how the bots played cannot be read: {error}")
        return RecordedPlay()


async def _read(
    store: Store, names: Sequence[str], game: str, match_ids: Sequence[MatchId], stuck: Mapping[str, StuckReports]
) -> RecordedPlay:
    totals, first_faults = AnalyticsTotals(), dict[str, FirstFault]()
    build_analyzer = pack_of(game).load_analytics().build_analyzer
    for match_id in match_ids:
        row = await store.results.match(match_id)
        first_faults = _first_faults_of(row, stuck) | first_faults
        for seats in analyze_match(row, await store.results.games(match_id), build_analyzer):
            totals.add_game(row.entrants, seats)
            totals.add_game([FIELD] * len(seats), seats)
    return RecordedPlay(build_bot_plays(totals, game, [*names, FIELD]), first_faults)


def _first_faults_of(row: MatchRow, stuck: Mapping[str, StuckReports]) -> dict[str, FirstFault]:
    game, found = games()[row.game], dict[str, FirstFault]()
    phrasing = phrasing_of(game)
    strikes = from_plain(row.faults, tuple[StrikeRecord, ...])
    for strike in strikes:
        name = row.entrants[strike.entrant]
        if name not in found:
            place = stuck.get(name, {}).get((row.number, strike.prompt_id), "")
            text = explain_strike(strike, game, phrasing, strikes, place)
            turn = shown_turn(strike.prompt, strike.turn, phrasing)
            found[name] = FirstFault(row.match_id, strike.game, turn, text)
    return found


def read_stuck_reports(outputs: Iterable[Path]) -> StuckReports:
    """Return what the output files of one bot say about methods that had not returned at their deadlines.

    The SDK logs this from a thread of its own (`cheatarena.answer_watch`), because the bot itself is stuck.
    """
    found = [stuck for path in outputs for line in read_errors(path) if (stuck := _STUCK.search(line)) is not None]
    return {(int(each[1]), int(each[4])): f"{each[2]} {each[3]}" for each in found}


def play_table(plays: Sequence[BotPlay], names: Sequence[str]) -> Table | None:
    """Return a table with a row for each name that has figures, in the order of the names; None if there is no figure.

    The table fits into 80 columns.
    """
    columns = {name: column for name in figure_names(plays) if (column := play_column(name)).short}
    if not columns:
        return None
    by_name = {play.name: play for play in plays}
    legend = "; ".join(f"{column.short}: {_meaning(column)}" for column in columns.values())
    table = Table(caption=legend, caption_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("how they play", no_wrap=True)
    for column in columns.values():
        table.add_column(column.short, justify="right", no_wrap=True)
    for play in (by_name[name] for name in names if name in by_name):
        shares = [(column, play.figures.get(name)) for name, column in columns.items()]
        table.add_row(play.name, *("" if share is None else column.write(share) for column, share in shares))
    return table


def _meaning(column: PlayColumn) -> str:
    """Return the meaning of a column, without its short heading."""
    heading = column.heading.removesuffix(f"({column.short})").strip()
    return heading[:1].lower() + heading[1:]


def plays_as_dict(plays: Sequence[BotPlay]) -> dict[str, dict[str, float | None]]:
    """Return the figures as plain values, by name of the bot and name of the figure.

    A value is None if its situation never arose.
    """
    return {play.name: {what: share.value for what, share in play.figures.items()} for play in plays}
