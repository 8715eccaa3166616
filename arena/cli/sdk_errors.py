"""Translates errors of the SDK, which the commands for authors raise, to errors of the arena."""

import sys

from arena.errors import CapacityError, DeniedError, EnvironmentFaultError, RequestError


def translate_sdk_error(error: Exception) -> Exception:
    """Return the arena's error for one of the SDK, and any other error unchanged."""
    if "cheatarena.errors" not in sys.modules:  # importing the SDK takes long; if it is not loaded, it raised no error
        return error
    from cheatarena.errors import CheatArenaError, RefusedError, ServerGoneError, TlsError, TokenRefusedError

    match error:
        case TlsError() | ServerGoneError():
            return EnvironmentFaultError(str(error))
        case TokenRefusedError() | RefusedError(reason="INVITATION_REFUSED"):
            return DeniedError(str(error))
        case RefusedError(reason="LIMIT_REACHED"):
            return CapacityError(str(error))
        case CheatArenaError():
            return RequestError(str(error))
        case _:
            return error
