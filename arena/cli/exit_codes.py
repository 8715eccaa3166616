"""The exit codes of all commands, and the errors behind them. Scripts and CI rely on the codes."""

import sys
from enum import IntEnum
from typing import Self

from arena.errors import (
    ArenaError,
    BotFailureError,
    CapacityError,
    EnvironmentFaultError,
    IsolationError,
    RequestError,
)


class ExitCode(IntEnum):
    meaning: str

    YES = 0, "done, or the answer is yes"
    NO = 1, "the answer is no"
    UNDECIDED = 2, "the evidence supports neither yes nor no"
    BOT_FAILED = 3, "a bot did not start or has too many faults"
    USAGE = 64, "usage error, or a package is missing"
    INTERNAL_ERROR = 70, "error in the arena itself"
    UNSTEADY = 75, "the host was busy or unsteady, a limit was reached, or a server or a file could not be reached"
    NOT_ISOLATED = 77, "boxes do not hold on this machine"
    INTERRUPTED = 130, "interrupted"

    def __new__(cls, code: int, meaning: str) -> Self:
        member = int.__new__(cls, code)
        member._value_, member.meaning = code, meaning
        return member


class Interrupted(Exception):  # noqa: N818  an interruption is not an error
    """Raised if a person or the system stops the command. The text says what was saved."""


def exit_code_for(error: BaseException) -> ExitCode:
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


def translate_sdk_error(error: Exception) -> Exception:
    """Any error that is not the SDK's is returned unchanged."""
    if "cheatarena.errors" not in sys.modules:  # importing the SDK takes long; if it is not loaded, it raised no error
        return error
    from cheatarena.commands.exit_codes import exit_code_for as sdk_exit_code_for
    from cheatarena.errors import CheatArenaError

    if not isinstance(error, CheatArenaError):
        return error
    match sdk_exit_code_for(error):
        case ExitCode.USAGE:
            return RequestError(str(error))
        case ExitCode.UNSTEADY:
            return EnvironmentFaultError(str(error))
        case _:
            return ArenaError(str(error))
