"""The exit codes of the commands that ask a server: those of the arena's commands. `join` has those of `run`."""

from cheatarena.errors import CheatArenaError, RefusedError, ServerGoneError, TlsError

NO = 1
"""The answer is no: the server has refused the bot, or a match was withdrawn."""
USAGE = 64
"""Usage error, or the server refuses the request."""
INTERNAL_ERROR = 70
UNREACHABLE = 75
"""There is no connection to the server, or a limit was reached."""

MEANINGS = (
    f"{USAGE} usage error or refused request, {INTERNAL_ERROR} error of the server, {UNREACHABLE} no connection to the"
    " server, or a limit was reached, 130 interrupted"
)


def exit_code_for(error: CheatArenaError) -> int:
    """Return the exit code of a command that ends with an error."""
    match error:
        case TlsError() | ServerGoneError() | RefusedError(reason="LIMIT_REACHED"):
            return UNREACHABLE
        case _:
            return INTERNAL_ERROR if type(error) is CheatArenaError else USAGE
