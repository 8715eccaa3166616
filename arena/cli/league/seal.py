"""`arena league seal`: seals a league, and says what was sealed and what to post."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.cli.bot_argument import submitted_finder
from arena.cli.console import print_status
from arena.cli.league.resources import max_processes_for_memory
from arena.errors import OptionError
from arena.fleet.assembly.stores import open_stores
from arena.fleet.runner.runner import count_usable_cores
from arena.fleet.telemetry import set_up_logging
from arena.organizer.file.format_choice import needs_trial
from arena.organizer.file.league_file import LeagueFile, read_league_file
from arena.organizer.plan.league_plan import estimate_games_per_s
from arena.organizer.plan.run_trial import run_trial
from arena.organizer.play.open_league import (
    check_data_folder,
    mix_in_entropy,
    new_randomness,
    open_league_to_play,
    seal_league,
)
from arena.organizer.seal.seal import seal_line
from arena.plurals import format_count
from arena.server.config.read_config import read_config
from arena.typed_command import arena_command


async def ensure_sealed(path: Path, data: Path | None, entropy: str | None) -> Mapping[str, Any]:
    """Seal a league if it is not sealed yet, and mix in public entropy if given. Return the seal line and its parts.

    Raises StoreLockedError while the league is being played.
    """
    file = read_league_file(path, submitted_finder(data))
    set_up_logging("error")
    folder = read_config(flags={"data": data}).data
    check_data_folder(file.programs, folder)
    async with open_stores(folder) as opened:
        store = opened.store
        if await store.leagues.league(file.name) is None:
            if entropy is not None:
                raise OptionError("entropy", entropy, "seal the league and post its line first, then add this option")
            await seal_league(
                file, store, new_randomness(), await measure_rate(file, max_processes_for_memory(), False)
            )
        league = await open_league_to_play(file, store)
        if entropy is not None:
            await mix_in_entropy(league, entropy)
        values = {"seal": seal_line(league.row.sealed), "sealed": league.row.sealed, "games": league.planned_games}
        return {**values, "entropy": entropy or league.randomness.public_entropy}


def seal_text(values: Mapping[str, Any]) -> str:
    """Describe in words what was sealed. `values` is the result of `ensure_sealed`."""
    settings = {name: value for name, value in values["sealed"]["format"].items() if name != "name"}
    settings_text = ", ".join(f"{name} {value}" for name, value in settings.items())
    form = f"{values['sealed']['format']['name']}{f' ({settings_text})' if settings_text else ''}"
    games = "no fixed number of games" if values["games"] is None else format_count(values["games"], "game")
    promised = values["sealed"]["public_entropy"]
    mixed = f"; public entropy will be mixed in: {promised}" if promised else ""
    mixed = f"; public entropy is mixed in: {values['entropy']}" if values["entropy"] else mixed
    return f"sealed: {form}, tables of {values['sealed']['seats']}, {games}{mixed}"


def posting_text(values: Mapping[str, Any]) -> str:
    """Return what to do next. `values` is the result of `ensure_sealed`.

    If public entropy was mixed in, the line must already have been posted.
    """
    then = f"`{arena_command('league', 'run')}` plays the league; the report repeats this line and checks it."
    return then if values["entropy"] else f"Post this line before the first game. {then}"


async def measure_rate(file: LeagueFile, processes: int, is_quiet: bool) -> float | None:
    """Measure games per second in a trial if the league's length depends on them. Otherwise return None."""
    if not needs_trial(file):
        return None
    if not is_quiet:
        print_status("a trial of up to a minute measures how many games fit into the budget")
    return estimate_games_per_s(
        await run_trial(file, count_usable_cores(), processes, show=print_status, settings=read_config().boxes),
        file,
        count_usable_cores(),
        processes,
    )
