"""Finds out whether programs play the rules of a comparison, before its lanes are made and its deals are committed.

A manifest may name the games of its bot. Any other program tells them only in its first message. So it is started once,
in a private copy of its folder, and ended again as soon as it has connected.
"""

import asyncio
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.bots.launch.programs import BotProgram
from arena.bots.packages.private_copy import make_private_copy
from arena.errors import BotGameError, BotStartError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.table_node import TableNode
from arena.match.referee.terms import Terms

PROBE_S: Final = 10.0
"""The most seconds that a probe waits for a program."""
_INSTANCE: Final = "probe"


async def probe_games(
    programs: Mapping[str, BotProgram], terms: Terms, node: TableNode, folder: Path, limit_s: float
) -> None:
    """Start each program whose manifest names no game, and end it again. `programs` are by role and ready to start.

    Raises BotGameError, with the role, for a program that does not play these rules. A program that does not connect
    within `limit_s` seconds, or ends before, is left to the lanes, which start it again. `folder`, an absolute path,
    gets the copies for as long as the programs run.
    """
    roles: dict[int, str] = {}
    for role, program in programs.items():
        if not program.games:
            roles.setdefault(id(program), role)
    asked = (replace(programs[role], start_time_s=min(limit_s, programs[role].start_time_s)) for role in roles.values())
    refusals = await asyncio.gather(*(_probe(program, terms, node, folder) for program in asked))
    for role, refusal in zip(roles.values(), refusals, strict=True):
        if refusal:
            raise BotGameError(f"{role}: {refusal}")


async def _probe(program: BotProgram, terms: Terms, node: TableNode, folder: Path) -> str:
    """Start one program and end it again. Return why it cannot take part; empty if it may."""
    name = f"probe-{secrets.token_hex(4)}"  # as in lanes, its name tells a bot nothing about its role
    try:
        bot = BotEntrant(name, await asyncio.to_thread(make_private_copy, program, folder / name))
        await node.start_bot(bot, _INSTANCE, terms.game.name, terms.preset)
        await node.calls.stop_bot(name)
    except BotGameError as error:
        return str(error).replace(name, program.name, 1)
    except BotStartError:  # the lanes find out how it fails
        return ""
    finally:
        shutil.rmtree(folder / name, ignore_errors=True)
    return ""
