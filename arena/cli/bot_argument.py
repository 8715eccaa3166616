"""Finds the programs that BOT arguments name, also submitted bots, and puts them into boxes if nobody trusts them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from arena.bots.launch.programs import BotProgram, RemoteBot, find_bot
from arena.cli.store_access import data_folder
from arena.fleet.submissions.submitted_programs import SubmittedPrograms


def find_program(text: str, data: Path | None, *, is_untrusted: bool = False) -> BotProgram | RemoteBot:
    """Submitted bots are looked for in the data folder. Raises what `find_bot` raises."""
    program = find_bot(text, submitted=SubmittedPrograms(data_folder(data)))
    if isinstance(program, BotProgram) and is_untrusted:
        return replace(program, is_boxed=True)
    return program


def submitted_finder(folder: Path) -> Callable[[Path | None], SubmittedPrograms]:
    """Return a function that finds submitted bots in a data folder, by default this one."""
    return lambda other: SubmittedPrograms(other or folder)
