"""Exit codes, the same for all commands. They are part of the interface: scripts and CI read them."""

from enum import IntEnum

from arena.errors import CapacityError, ConductError, EnvironmentFaultError, RequestError


class Exit(IntEnum):
    """What a command's end means."""

    YES = 0
    """Yes, or done."""
    NO = 1
    """No: the question that was asked has this answer."""
    UNDECIDED = 2
    """Neither yes nor no could be shown."""
    BOT_FAILED = 3
    """A bot did not start, or its faults pass the limit."""
    USAGE = 64
    """What was asked for cannot be."""
    OUR_FAULT = 70
    """An error in the arena itself."""
    UNSTEADY = 75
    """The host was too unsteady or busy: another try may go well."""
    INTERRUPTED = 130
    """Somebody stopped it."""


class Interrupted(Exception):  # noqa: N818  no error: somebody wanted it
    """A person or the system asked us to stop; the text says what was kept."""


def exit_for(error: BaseException) -> Exit:
    """The exit code that an exception stands for."""
    match error:
        case CapacityError() | EnvironmentFaultError():
            return Exit.UNSTEADY
        case RequestError():
            return Exit.USAGE
        case ConductError():
            return Exit.BOT_FAILED
        case KeyboardInterrupt() | Interrupted():
            return Exit.INTERRUPTED
        case _:
            return Exit.OUR_FAULT
