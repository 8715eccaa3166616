"""The notes that bots run without a sandbox: one for the organizer who starts them, one for the readers of a report."""

from typing import Final

SANDBOX_START_NOTE: Final = "bots run as you, with your files in reach: they are not sandboxed yet"
"""What a command says before it starts bots."""
SANDBOX_REPORT_NOTE: Final = (
    "Local bots ran as the organizer's own user, with its files in reach: they were not sandboxed. That no bot sees"
    " another one's cards holds for what the arena sends; that no program reads another one's files is not enforced."
)
"""What a report says about the bots that ran on the organizer's machine."""
