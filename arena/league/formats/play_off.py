"""A play-off: more games for those at the top whom a league could not tell apart."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from arena.errors import OptionError, OptionsError
from arena.league.field import Entry, Field
from arena.league.formats.blocks import numbered
from arena.league.formats.refusals import below_one
from arena.league.formats.rota import Rota
from arena.league.model import Block, BlockResult

LABEL = "play-off"


def play_off(
    field: Field, names: Iterable[str], games: int, history: Sequence[BlockResult], tables: int = 4
) -> Sequence[Block]:
    """Draw the blocks of a play-off, as one round behind all that has been played.

    Where the names do not fill a table they sit at every table, and the rest of those who are present takes turns in
    the other seats; where they fill more than one it is a season among themselves, with blocks of at most `tables`.

    Raises OptionsError for fewer than two names, somebody unknown or no longer present, and too few for a table.
    """
    wanted = list(dict.fromkeys(names))
    number = 1 + max((result.block.round for result in history), default=0)
    if faults := _why_not(field, wanted, games, number):
        raise OptionsError(faults)
    is_one_table = len(wanted) <= field.seats
    taking_part = field.present(number) if is_one_table else wanted
    rota = Rota(_renewed(field, taking_part, number), games, tables, tuple(wanted) if is_one_table else ())
    first = 1 + max((result.block.number for result in history), default=0)
    return numbered([tables for each in rota.rounds() for tables in each], first, number, LABEL)


def _why_not(field: Field, names: Sequence[str], games: int, number: int) -> list[OptionError]:
    present = field.present(number)
    faults = [
        OptionError(LABEL, name, "expected an entrant that is still present") for name in names if name not in present
    ]
    if len(names) < 2:
        faults.append(OptionError(LABEL, tuple(names), "expected at least two names"))
    if len(present) < field.seats:
        faults.append(OptionError(LABEL, len(present), f"expected at least {field.seats} entrants that are present"))
    return [*faults, *below_one(games=games)]


def _renewed(field: Field, names: Iterable[str], number: int) -> Field:
    """Those with these names, as a field of its own with lots of its own."""
    kept = set(names)
    entries = tuple(Entry(entry.entrant) for entry in field.entries if entry.name in kept)
    return replace(field, entries=entries, seed=field.seed + f"|{LABEL} {number}".encode())
