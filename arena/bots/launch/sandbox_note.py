"""What people are told about the rights of bots: the organizer who starts them, and the readers of a report."""

from collections.abc import Iterable
from typing import Final

from arena.bots.launch.programs import BotProgram, RemoteBot

SANDBOX_REPORT_NOTE: Final = (
    "Local bots were not sandboxed: they ran as the organizer's own user and could read and write its files. The arena"
    " sends no bot another one's cards, but it cannot keep one program from reading another one's files."
)
"""What a report says about the bots that ran on the organizer's machine."""


def describe_rights(programs: Iterable[BotProgram | RemoteBot]) -> str:
    """Return what a command says about the rights of the bots that it starts."""
    local = [each for each in programs if isinstance(each, BotProgram)]
    if not local:
        return "all bots dial in: none is started here"
    free = sorted({each.name for each in local if not each.is_boxed})
    if not free:
        return "bots run in boxes that they cannot leave"
    rights = "run as you and can read and write your files"
    if any(each.is_boxed for each in local):
        return f"bots without a box {rights}: {', '.join(free)}"
    return f"bots are not sandboxed: they {rights}"
