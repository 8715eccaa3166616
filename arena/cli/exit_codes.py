"""Exit codes, the same for all commands. They are part of the interface: scripts and CI read them."""

from enum import IntEnum

from arena.errors import BotFailureError, CapacityError, EnvironmentFaultError, RequestError


class ExitCode(IntEnum):
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
    INTERNAL_ERROR = 70
    """An error in the arena itself."""
    UNSTEADY = 75
    """The host was too unsteady or busy: another try may go well."""
    INTERRUPTED = 130
    """Somebody stopped it."""


class Interrupted(Exception):  # noqa: N818  no error: somebody wanted it
    """A person or the system asked us to stop; the text says what was kept."""


def exit_code_for(error: BaseException) -> ExitCode:
    """The exit code that an exception stands for."""
    match error:
        case CapacityError() | EnvironmentFaultError():
            return ExitCode.UNSTEADY
        case RequestError():
            return ExitCode.USAGE
        case BotFailureError():
            return ExitCode.BOT_FAILED
        case KeyboardInterrupt() | Interrupted():
            return ExitCode.INTERRUPTED
        case _:
            return ExitCode.INTERNAL_ERROR
