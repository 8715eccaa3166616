"""`arena league seal` and `amend`: seal a league and amend a sealed one, and say what follows from that."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from arena.bots.launch.box_settings import BoxSettings
from arena.cli.bot_argument import submitted_finder
from arena.cli.command_settings import set_up_command, set_up_play
from arena.cli.console import print_status
from arena.cli.league.options import league_words
from arena.cli.present import present
from arena.competition.league.ports import VOID
from arena.errors import OptionError, UnknownNameError
from arena.fleet.cluster.cluster_fleet import check_for_cluster, open_fleet
from arena.fleet.runner.fleet import Fleet
from arena.organizer.file.league_dates import parse_moment
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_format import needs_trial
from arena.organizer.file.league_reader import read_league_file, read_league_file_lenient
from arena.organizer.plan.league_plan import estimate_games_per_s
from arena.organizer.plan.run_trial import run_trial
from arena.organizer.seal.amendments import LeagueAmender
from arena.organizer.seal.league_files import hold_league
from arena.organizer.seal.ledger_entries import ADDED, REPLACED
from arena.organizer.seal.open_league import mix_in_entropy, open_league, open_league_to_play
from arena.organizer.seal.randomness import new_randomness
from arena.organizer.seal.seal import check_data_folder, seal_league, seal_line
from arena.organizer.view.league_text import taken_sentences
from arena.plurals import format_count
from arena.server.store.data_folder import require_store
from arena.server.store.open_store import open_store
from arena.typed_command import arena_command


async def seal(
    path: Path, entropy: str | None, data: Path | None, store_url: str | None, cluster: str = "", *, is_json: bool
) -> None:
    """Seal a league if it is not sealed yet, mix in public entropy if given, and print the line to post.

    A trial, if the league needs one, is played on the cluster at the address `cluster`; if empty, on this machine.

    Raises StoreLockedError while the league is being played.
    """
    config = set_up_play(data, store_url)
    file = read_league_file(path, submitted_finder(config.data))
    check_data_folder(file.programs, config.data)
    async with await open_store(config.data) as store:
        if await store.leagues.league(file.name) is None:
            if entropy is not None:
                raise OptionError("entropy", entropy, "seal the league and post its line first, then add this option")
            check_for_cluster(cluster, file.bots.values())
            async with open_fleet(cluster) as fleet:
                rate = await measure_rate(file, fleet, fleet.room.max_processes, config.boxes)
            await seal_league(file, store, new_randomness(), rate)
        league = await open_league_to_play(file, store)
        if entropy is not None:
            with hold_league(store.folder, league.row.league_id):
                await mix_in_entropy(league, entropy)
        values = {"seal": seal_line(league.row.sealed), "sealed": league.row.sealed, "games": league.planned_games}
        values |= {"entropy": entropy or league.randomness.public_entropy}
    present(values, is_json, [values["seal"]])
    if not is_json:
        for sentence in (_seal_text(values), *taken_sentences(file)):
            print_status(sentence)
        then = f"`{arena_command('league', 'run')}` plays the league; the report repeats this line and checks it."
        print_status(then if values["entropy"] else f"Post this line before the first game. {then}")


def _seal_text(values: Mapping[str, Any]) -> str:
    settings = {name: value for name, value in values["sealed"]["format"].items() if name != "name"}
    settings_text = ", ".join(f"{name} {value}" for name, value in settings.items())
    form = f"{values['sealed']['format']['name']}{f' ({settings_text})' if settings_text else ''}"
    games = "no fixed number of games" if values["games"] is None else format_count(values["games"], "game")
    promised = values["sealed"]["public_entropy"]
    mixed = f"; public entropy will be mixed in: {promised}" if promised else ""
    mixed = f"; public entropy is mixed in: {values['entropy']}" if values["entropy"] else mixed
    return f"sealed: {form}, tables of {values['sealed']['seats']}, {games}{mixed}"


async def measure_rate(
    file: LeagueFile, fleet: Fleet, processes: int, boxes: BoxSettings, *, is_quiet: bool = False
) -> float | None:
    """Measure games per second in a trial if the league's length depends on them. Otherwise return None."""
    if not needs_trial(file):
        return None
    if not is_quiet:
        print_status("a trial of up to a minute measures how many games fit into the budget")
    cores = fleet.room.cores
    trial = await run_trial(file, cores, processes, show=print_status, settings=boxes, fleet=fleet)
    return estimate_games_per_s(trial, file, cores, processes)


async def amend(
    path: Path, kind: str, what: str, reason: str, until: str | None, data: Path | None, *, is_json: bool
) -> None:
    """Amend a league and print what follows. `until` is the new close of a round, in ISO 8601 with an offset.

    Raises StoreLockedError while the league runs, and RequestError if the amendment is not allowed.
    """
    close = None if until is None else parse_moment("until", until)
    folder = set_up_command(data).data
    file = read_league_file_lenient(path, submitted_finder(folder))
    require_store(folder)
    changes_bots = kind in (ADDED, REPLACED)
    if changes_bots:
        check_data_folder(file.programs, folder)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(await open_store(folder))
        if (row := await store.leagues.league(file.name)) is not None:
            stack.enter_context(hold_league(store.folder, row.league_id))  # before the ledger is read
        league = await (open_league_to_play(file, store, what) if changes_bots else open_league(file, store))
        amender = LeagueAmender(file, league.format, league.schedule.field, league.ledger, league.dates)
        try:
            act = await amender.amend(kind, what, reason, close)
        except UnknownNameError as error:
            if error.kind == "game":
                error.add_note(f"`{arena_command('league', 'games', *league_words(path, data))}` lists the games")
            raise
    line = f"{act.kind} {what}: line {act.number} of the ledger"
    if act.kind == REPLACED:
        line += f"; the new version plays from round {act.values['round']} on"
    elif act.kind == VOID:
        games = format_count(len(act.values["games"]), "game")
        resume = arena_command("league", "resume", *league_words(path, data))
        line += f"; its whole block is void ({games}): `{resume}` plays it again"
    present({"number": act.number, "kind": act.kind, **act.values}, is_json, [line])
