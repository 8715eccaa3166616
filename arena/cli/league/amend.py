"""`arena league amend`: amends a stopped league, and says what follows from that."""

from collections.abc import Sequence
from pathlib import Path

from arena.cli.bot_argument import submitted_finder
from arena.competition.league.ports import VOID, LedgerEntry
from arena.fleet.assembly.stores import open_stores
from arena.fleet.telemetry import set_up_logging
from arena.organizer.file.league_dates import parse_moment
from arena.organizer.file.league_file import read_league_file_lenient
from arena.organizer.play.open_league import check_data_folder, open_league, open_league_to_play
from arena.organizer.seal.amendments import ADDED, REPLACED, LeagueAmender
from arena.plurals import format_count
from arena.server.config.read_config import read_config
from arena.server.store.open_store import require_store
from arena.typed_command import arena_command


async def amend_league(
    path: Path, data: Path | None, kind: str, what: str, reason: str, until: str | None
) -> LedgerEntry:
    """Amend a league. If a round is extended, `until` is its new close, in ISO 8601 with an offset.

    Raises StoreLockedError while the league runs, and RequestError if the amendment is not allowed.
    """
    close = None if until is None else parse_moment("until", until)
    file, folder = read_league_file_lenient(path, submitted_finder(data)), read_config(flags={"data": data}).data
    set_up_logging("error")
    require_store(folder)
    changes_bots = kind in (ADDED, REPLACED)
    if changes_bots:
        check_data_folder(file.programs, folder)
    async with open_stores(folder) as opened:
        store = opened.store
        league = await (open_league_to_play(file, store, what) if changes_bots else open_league(file, store))
        amender = LeagueAmender(file, league.format, league.schedule.field, league.ledger, league.dates)
        return await amender.amend(kind, what, reason, close)


def amendment_text(act: LedgerEntry, what: str, league: Sequence[str]) -> str:
    """Describe an amendment and its consequences. `league` has the arguments for a suggested command."""
    line = f"{act.kind} {what}: line {act.number} of the ledger"
    if act.kind == REPLACED:
        return f"{line}; the new version plays from round {act.values['round']} on"
    if act.kind != VOID:
        return line
    games = format_count(len(act.values["games"]), "game")
    return f"{line}; its whole block is void ({games}): `{arena_command('league', 'resume', *league)}` plays it again"
