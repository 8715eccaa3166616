"""All exceptions of this package, and who must act on them.

::

    CheatArenaError
    ├── SettingsError           the author: an address, a token or another setting is missing or cannot be read
    ├── BotClassError           the author: a bot class has a misspelled method, or lacks one that every bot needs
    ├── RequestError            the author: a command was asked for something that does not exist or cannot be done
    │   └── PackageError            a folder or an archive is no package that a server takes
    ├── NotationError           the author: a text names no card, rank or legal action (also a ValueError)
    ├── BotError                the author: a bot returned something that is not an answer to the question
    ├── RefusedError            the author or the organizer: the server does not let this program play
    │   ├── TokenRefusedError       the token is unknown, revoked, or lacks the scope `play`
    │   ├── TlsError                no secure connection: certificate, authority, name or date
    │   ├── VersionRefusedError     the server speaks another version of the protocol
    │   └── SessionReplacedError    a newer process with the same token and instance took over
    ├── ServerGoneError         the organizer: the server could not be reached for too long
    └── ProtocolError           the maintainers: the server violated the protocol
"""


class CheatArenaError(Exception):
    """Root of all errors of this package. The text is one sentence for people."""

    exit_code = 70
    """Exit code of the program if `run` ends with this error."""


class SettingsError(CheatArenaError):
    """A setting is missing or cannot be read."""

    exit_code = 64


class RequestError(CheatArenaError):
    """A command was asked for something that does not exist or cannot be done."""

    exit_code = 64


class PackageError(RequestError):
    """A folder or an archive is no package that a server takes."""

    def __init__(self, rule: str, text: str) -> None:
        super().__init__(text)
        self.rule = rule
        """Name of the rule that it breaks, such as `link`, as the guide about submissions lists them."""


class BotClassError(CheatArenaError):
    """A bot class cannot play as it is: a method is misspelled, or one that every bot needs is missing."""

    exit_code = 64


class NotationError(CheatArenaError, ValueError):
    """A text does not name a card, a rank or a legal action."""

    exit_code = 64


class BotError(CheatArenaError):
    """A bot returned something that is not an answer to the question.

    In a match, the error is logged and the question stays unanswered; in `cheatarena.testing`, the error is raised.
    """


class RefusedError(CheatArenaError):
    """The server does not let this program play; trying again would not help."""

    exit_code = 76

    def __init__(self, text: str, reason: str = "") -> None:
        super().__init__(text)
        self.reason = reason
        """Name of the `ErrorReason` in the protocol, without the prefix, for example `SESSION_REPLACED`."""


class TokenRefusedError(RefusedError):
    """The token is unknown, revoked, or lacks the scope `play`."""

    exit_code = 77


class TlsError(RefusedError):
    """No secure connection can be made. The text says what is wrong with the certificate or the settings."""


class VersionRefusedError(RefusedError):
    """The server speaks another version of the protocol."""


class SessionReplacedError(RefusedError):
    """A newer process with the same token and the same instance took over."""

    exit_code = 75


class ServerGoneError(CheatArenaError):
    """The server could not be reached for longer than `Settings.patience_s`."""

    exit_code = 69


class ProtocolError(CheatArenaError):
    """The server sent something that the protocol does not allow."""
