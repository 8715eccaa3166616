"""Every error of the arena, grouped by who has to act on it: who asked, the author of a bot, or who runs the machine.

A bot's illegal or late answer is an ordinary result with a reason, not an exception.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from reprlib import Repr
from typing import Final

MOST_CHARACTERS: Final = 2_000
"""The most characters in the text of an error: it may quote what a stranger has sent."""
_MOST_NAMES: Final = 30
"""The most names or faults that the text of an error lists."""

_LONGEST_NAME: Final = 100
"""The most characters of a name that is compared with others."""


class ArenaError(Exception):
    """Root of all errors that the arena raises on purpose; the text is one sentence for the user.

    A text with more than MOST_CHARACTERS is shortened. Values of strangers are quoted with `quote`.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…")


class RequestError(ArenaError):
    """The request cannot be fulfilled; the caller has to change it."""


class UnknownNameError(RequestError):
    """A name that does not exist; `known` lists the existing ones.

    If one of them is similar, the text ends with it, in the form in which it is typed: with `prefix` before it.
    """

    def __init__(self, kind: str, name: str, known: Sequence[str] = (), prefix: str = "", text: str = "") -> None:
        """`text` replaces the text that is made of the other values, for an error that a server has told."""
        self.kind, self.name, self.known = kind, name, tuple(known)
        hint = f"; known: {_list_names(known)}" if known else ""
        similar = find_similar(name, known)
        question = f"; did you mean {prefix}{similar}?" if similar else ""
        super().__init__(text or f"unknown {kind} {quote(name)}{hint}{question}")


class NotConnectedError(UnknownNameError):
    """Bots that should play have not connected; `names` lists them."""

    kind = "connected bot"

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(self.kind, ",".join(names), text=f"not connected: {_list_names(names)}")
        self.names = tuple(names)


class OptionError(RequestError):
    """An option that is missing (None), unknown, out of range or in conflict; `field` names it.

    `allowed` says why the value is refused or, after the word `expected`, what it must be.
    """

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(describe_refused_option(field, value, allowed))


class OptionsError(RequestError):
    """One or more options are refused; `faults` has an error for each, in field order."""

    def __init__(self, faults: Sequence[OptionError]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(str(fault) for fault in faults[:_MOST_NAMES]))


class NotationError(RequestError):
    """Text that cannot be read; `text` is the offending part."""

    def __init__(self, text: str, expected: str) -> None:
        self.text, self.expected = text, expected
        super().__init__(f"cannot read {quote(text)}: expected {expected}")


class DeniedError(RequestError):
    """The credential is missing, unknown, revoked or lacks the scope."""


class BannedError(DeniedError):
    """The organizer has banned an owner, for the reason `because`."""

    def __init__(self, owner: str, because: str) -> None:
        self.owner, self.because = owner, because
        super().__init__(f"{owner!r} is banned from this server: {because}")


class InvitationRefusedError(DeniedError):
    """The code of an invitation is unknown, used, expired or revoked. The text does not say which."""

    def __init__(self) -> None:
        super().__init__("this invitation is not valid: it is unknown, used, expired or revoked; ask for a new one")


class IllegalActionError(RequestError):
    """An action that a learner may not take now. The environment has not changed."""


class NotInstalledError(RequestError):
    """A package that is not installed. Another attempt cannot succeed before it is."""


class PackageRefusedError(RequestError):
    """The package of a bot breaks a rule; `rule` names it."""

    def __init__(self, rule: str, text: str) -> None:
        self.rule = rule
        super().__init__(text)


class SubmissionsOffError(RequestError):
    """The server takes no submissions."""

    def __init__(self) -> None:
        super().__init__(
            "this server takes no submissions: its organizer can switch them on (enabled in [submissions])"
        )


class CapacityError(RequestError):
    """A limit of this server is reached."""


class BotFailureError(ArenaError):
    """A bot program failed; its author has to act."""


class BotStartError(BotFailureError):
    """A bot did not start, connect or accept in time."""


class BuildFailedError(BotStartError):
    """The build of a bot has failed. `sentence` says how, and `output` is the file with what it wrote."""

    def __init__(self, sentence: str, output: Path) -> None:
        self.sentence, self.output = sentence, output
        super().__init__(f"{sentence} (full output in {output})")


class BotEndedError(BotStartError):
    """A bot ended before it connected."""


class BotSilentError(BotStartError):
    """A bot did not connect in time."""


class BotGameError(BotStartError):
    """A bot does not play the game it was started for."""


class ProtocolError(BotFailureError):
    """A bot sent something that is not a message of the protocol."""


class EnvironmentFaultError(ArenaError):
    """The environment failed: disk, store, network."""


class IsolationError(EnvironmentFaultError):
    """This machine cannot isolate untrusted code; `missing` has a sentence for each thing that it lacks."""

    def __init__(self, missing: Sequence[str]) -> None:
        self.missing = tuple(missing)
        super().__init__(f"untrusted code is not run here: {'; '.join(missing)}")


class CrowdedHostError(EnvironmentFaultError):
    """This machine has too little left for a program in a box, or is too slow. Another attempt may succeed."""


class StoreError(EnvironmentFaultError):
    """The store cannot be read or written."""


STORE_AWAY: Final = "what is stored cannot be read or changed at the moment: try again in a moment"
"""What strangers are told of a StoreAwayError, whose text names the database."""


class StoreAwayError(StoreError):
    """The database does not answer, is full, read-only or locked: trying again helps once somebody has mended it."""


class StoreDamagedError(StoreError):
    """The store contains a value that cannot be read; trying again does not help."""


class StoreVersionError(StoreError):
    """The store was made by a newer version of the arena, or by no release."""


class MatchMovedError(EnvironmentFaultError):
    """A match goes on elsewhere, so what its earlier writer says of it is refused; trying again does not help."""

    def __init__(self, match_id: str, journal: str, number: int) -> None:
        """`journal` and `number` name the refused writer."""
        super().__init__(
            f"match {match_id!r} is no longer played as number {number} of {journal!r}: it goes on elsewhere"
        )


class StoreLockedError(StoreError):
    """Another server has locked the store."""


class PortBusyError(EnvironmentFaultError):
    """The port to listen on is taken."""


class JournalError(EnvironmentFaultError):
    """A journal is damaged or cannot be written."""


def describe_refused_option(where: str, value: object, allowed: str) -> str:
    """Return the text of an OptionError whose option is named, or placed, by `where`.

    >>> describe_refused_option("page_size", 501, "expected 1 to 500")
    'page_size must be 1 to 500, got 501'
    >>> describe_refused_option("games", 1, "expected at least 2; there are two tables")
    'games must be at least 2, got 1; there are two tables'
    >>> describe_refused_option("colour", "red", "unknown option")
    "option colour = 'red' is refused: unknown option"
    """
    if value is None:
        return f"option {where} is missing: {allowed}"
    if allowed.startswith("expected "):
        expected, *reason = re.split(r"(?=[:;] )", allowed.removeprefix("expected "), maxsplit=1)
        return f"{where} must be {expected}, got {quote(value)}{''.join(reason)}"
    return f"option {where} = {quote(value)} is refused: {allowed}"


class _Quotes(Repr):
    """Shows a number as its literal, as long as it is short. Python refuses to write a long one in decimals."""

    def repr_int(self, x: int, level: int) -> str:
        return super().repr_int(x, level) if x.bit_length() < 128 else f"<a number of {x.bit_length()} bits>"


_QUOTES: Final = _Quotes()
_QUOTES.maxlevel, _QUOTES.maxstring, _QUOTES.maxother = 4, 200, 200
_QUOTES.maxlist = _QUOTES.maxtuple = _QUOTES.maxdict = _QUOTES.maxset = 12


def quote(value: object) -> str:
    """Return a value as an error shows it: as its literal, shortened where it is long or nested deep.

    >>> quote("folk"), quote([[[[[1]]]]]), len(quote("a" * 1000))
    ("'folk'", '[[[[[...]]]]]', 200)
    """
    return _QUOTES.repr(value)


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join([*names[:_MOST_NAMES], *([f"and {more} more"] if more > 0 else [])])


def find_similar(name: str, known: Iterable[str]) -> str:
    """Return the known name for which `name` is probably a misspelling; empty if there is none.

    >>> find_similar("Honst", ["counter", "honest"]), find_similar("zoe", ["counter", "honest"])
    ('honest', '')
    """
    if len(name) > _LONGEST_NAME:  # nobody misspells so much, and comparing takes long
        return ""
    by_folded = {each.casefold(): each for each in known}
    found = get_close_matches(name.casefold(), by_folded, n=1)
    return by_folded[found[0]] if found else ""
