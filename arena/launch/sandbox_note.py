"""The notes that bots run without a sandbox: one for the organizer who starts them, one for the readers of a report."""

from typing import Final

SANDBOX_START_NOTE: Final = "bots are not sandboxed: they run as you and can read and write your files"
"""What a command says before it starts bots."""
SANDBOX_REPORT_NOTE: Final = (
    "Local bots were not sandboxed: they ran as the organizer's own user and could read and write its files. The arena"
    " sends no bot another one's cards, but it cannot keep one program from reading another one's files."
)
"""What a report says about the bots that ran on the organizer's machine."""
