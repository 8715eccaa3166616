"""The exit codes of all commands. They are part of the interface, because scripts and CI rely on them."""

from enum import IntEnum

from arena.errors import BotFailureError, CapacityError, EnvironmentFaultError, IsolationError, RequestError


class ExitCode(IntEnum):
    """The meaning of a command's exit code."""

    YES = 0
    """The answer to the command's question is yes, or the command has done its work."""
    NO = 1
    """The answer to the command's question is no."""
    UNDECIDED = 2
    """The evidence supports neither yes nor no."""
    BOT_FAILED = 3
    """A bot did not start, or it has more faults than allowed."""
    USAGE = 64
    """The request is invalid, or needs a package that is not installed."""
    INTERNAL_ERROR = 70
    """An error in the arena itself."""
    UNSTEADY = 75
    """The machine was too unsteady or busy, or a file could not be written. Another attempt may succeed."""
    NOT_ISOLATED = 77
    """This machine cannot isolate untrusted code."""
    INTERRUPTED = 130
    """The command was interrupted."""


class Interrupted(Exception):  # noqa: N818  an interruption is not an error
    """Raised if a person or the system stops the command. The text says what was saved."""


def exit_code_for(error: BaseException) -> ExitCode:
    """Return the exit code for an exception."""
    match error:
        case IsolationError():
            return ExitCode.NOT_ISOLATED
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
