"""Exit codes of all commands. They are part of the interface: scripts and CI rely on them."""

from enum import IntEnum

from arena.errors import BotFailureError, CapacityError, EnvironmentFaultError, RequestError


class ExitCode(IntEnum):
    """The meaning of a command's exit code."""

    YES = 0
    """Yes, or done."""
    NO = 1
    """The answer to the command's question is no."""
    UNDECIDED = 2
    """Neither yes nor no could be shown."""
    BOT_FAILED = 3
    """A bot did not start, or it has more faults than the limit."""
    USAGE = 64
    """The request is invalid."""
    INTERNAL_ERROR = 70
    """An error in the arena itself."""
    UNSTEADY = 75
    """The host was too unsteady or busy; another attempt may succeed."""
    INTERRUPTED = 130
    """The command was interrupted."""


class Interrupted(Exception):  # noqa: N818  an interruption is not an error
    """Raised if a person or the system stops the command; the text says what was kept."""


def exit_code_for(error: BaseException) -> ExitCode:
    """Return the exit code for an exception."""
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
