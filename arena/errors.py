"""Every error of the arena, by who has to act on it.

    ArenaError
    ├── RequestError          the caller asked for something that cannot be
    │   ├── UnknownNameError      a game, preset, bot, match or command that does not exist
    │   │   └── NotConnectedError       bots that have not dialled in
    │   ├── OptionError           a ruleset option or setting out of range or unknown
    │   ├── NotationError         text that cannot be read as a card, action or file
    │   ├── DeniedError           a token without the scope, or no token
    │   └── CapacityError         a limit of this server is reached
    ├── ConductError          a bot program did not do its part
    │   ├── BotStartError         it did not start, connect or accept in time
    │   │   ├── BotEndedError           it ended before it had connected
    │   │   ├── BotSilentError          it did not connect in time
    │   │   └── BotGameError            it does not play what it is wanted for
    │   └── ProtocolError         it sent something that is not a message of the protocol
    └── EnvironmentFaultError our surroundings fail us
        ├── StoreError            the store cannot be read or written
        │   ├── StoreVersionError     it was made by a newer version
        │   └── StoreHeldError        another server holds it
        ├── PortBusyError         the port is taken
        └── JournalError          a journal is damaged or cannot be written

A bot's illegal or late answer is an ordinary result with a reason, not one of these.
"""

from collections.abc import Sequence


class ArenaError(Exception):
    """Root of all errors that the arena raises on purpose; the text is one sentence for the person who reads it."""


class RequestError(ArenaError):
    """The caller asked for something that cannot be."""


class UnknownNameError(RequestError):
    """A name that does not exist; `known` lists those that do."""

    def __init__(self, kind: str, name: str, known: Sequence[str] = ()) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        hint = f"; known: {', '.join(known)}" if known else ""
        super().__init__(f"unknown {kind} {name!r}{hint}")


class NotConnectedError(UnknownNameError):
    """Bots that are to play have not dialled in; `names` says which."""

    kind = "connected bot"

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(self.kind, ",".join(names))
        self.names = tuple(names)

    def __str__(self) -> str:
        return f"not connected: {', '.join(self.names)}"


class OptionError(RequestError):
    """An option that is unknown, out of range or in conflict; `field` names it."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(f"option {field} = {value!r} is refused: {allowed}")


class OptionsError(RequestError):
    """Several options are refused at once; `faults` holds each, in the order of the fields."""

    def __init__(self, faults: Sequence[OptionError]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(str(fault) for fault in faults))


class NotationError(RequestError):
    """Text that cannot be read; `text` is the offending part."""

    def __init__(self, text: str, expected: str) -> None:
        self.text, self.expected = text, expected
        super().__init__(f"cannot read {text!r}: expected {expected}")


class DeniedError(RequestError):
    """The credential is missing, unknown, revoked or lacks the scope."""


class CapacityError(RequestError):
    """A limit of this server is reached."""


class BotFailureError(ArenaError):
    """A bot program did not do its part."""


class BotStartError(BotFailureError):
    """A bot did not start, connect or accept in time."""


class BotEndedError(BotStartError):
    """A bot ended before it had connected."""


class BotSilentError(BotStartError):
    """A bot did not connect in time."""


class BotGameError(BotStartError):
    """A bot does not play what it is wanted for."""


class ProtocolError(BotFailureError):
    """A bot sent something that is not a message of the protocol."""


class EnvironmentFaultError(ArenaError):
    """Our surroundings fail us: disk, store, network."""


class StoreError(EnvironmentFaultError):
    """The store cannot be read or written."""


class StoreVersionError(StoreError):
    """The store was made by a newer version of the arena."""


class StoreLockedError(StoreError):
    """Another server holds the store."""


class PortBusyError(EnvironmentFaultError):
    """The port to listen on is taken."""


class JournalError(EnvironmentFaultError):
    """A journal is damaged or cannot be written."""
