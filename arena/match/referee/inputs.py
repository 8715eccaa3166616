"""The inputs of a match and their records, from which the match can be played again exactly.

    session, timer, lobby ── Input ──▶ MatchRegistry ──▶ Table ──▶ Referee
                                                          └ write_record ──▶ journal ── read_record ──▶ Replay

A record is a header (kind, match number, instant, lag) and the content of its kind; most records have 17 to 50 bytes.
The lag is the number of microseconds from the instant until the input was handled. All numbers are little-endian.
"""

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar, assert_never

from arena.errors import JournalError
from arena.match.deal.commitment import Contribution
from arena.match.referee.deal import DealSecret
from arena.match.referee.deal_serialization import (
    contributions_from_plain,
    describe_contributions,
    describe_secret,
    secret_from_plain,
)
from arena.match.referee.facts import NoAnswerCause, NoAnswerGiven
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.match.value_class import value_class
from arena.plain_data import canonical_json, from_plain


class InputKind(IntEnum):
    """The kind of a record. Numbers are never reused; replay files contain the names in lower case."""

    BEGIN = 1
    ANSWER = 2
    TICK = 3
    DRAWN = 4
    LOST = 5
    BACK = 6
    LEAVE = 7
    READY = 8
    CREDIT = 9
    CANCEL = 10
    REJECT = 11
    DEAL = 12
    # 13 is the record of an offer, which is no input: see `arena.match.referee.match_offer`
    ROUND_TRIP = 14
    NO_ANSWER = 15


@value_class()
class TimedInput:
    kind: ClassVar[InputKind]
    at: Instant
    """When the input arrived or was due; the input is judged by this instant."""
    now: Instant
    """When the input was handled; new prompts are timed from this instant."""


@value_class()
class EntrantInput(TimedInput):
    """An input that names one entrant and has no further content."""

    entrant: EntrantIndex


@value_class()
class Deal(TimedInput):
    """The match gets its deal. Recorded before the match begins, possibly long before."""

    kind = InputKind.DEAL
    secret: DealSecret


@value_class()
class Begin(TimedInput):
    kind = InputKind.BEGIN
    match_id: MatchId
    terms: Mapping[str, Any]
    """The terms as `describe_terms` returns them."""
    absent: tuple[EntrantIndex, ...] = ()
    """Entrants that did not appear; they forfeit."""
    contributions: tuple[Contribution, ...] = ()
    """The entropy that bots contributed to the deal."""
    round_trips: tuple[int, ...] = ()
    """The round trip of each entrant in microseconds, or 0 if unknown. Empty in a match without lag purses."""


@value_class()
class Answer(TimedInput):
    kind = InputKind.ANSWER
    entrant: EntrantIndex
    prompt_id: PromptId
    action_id: int
    text: str
    """The action in the game's text form, as it is in the record."""
    note: str = ""
    action: Any = None
    """The game's action read from `text`; None until a game has read it."""


@value_class()
class Reject(TimedInput):
    """A decision arrived that could not be read."""

    kind = InputKind.REJECT
    entrant: EntrantIndex
    prompt_id: PromptId
    action_id: int
    reason: str


@value_class()
class NoAnswer(TimedInput):
    """An entrant said that it has no answer."""

    kind = InputKind.NO_ANSWER
    entrant: EntrantIndex
    prompt_id: PromptId
    action_id: int
    given: NoAnswerGiven

    @property
    def text(self) -> str:
        """The cause and, after a space, the reason if there is one: `illegal not_in_hand`."""
        return f"{self.given.cause.value} {self.given.reason}".strip()

    @property
    def note(self) -> str:
        """What the bot's author wants to read."""
        return self.given.words


@value_class()
class Tick(TimedInput):
    """Something is due."""

    kind = InputKind.TICK


@value_class()
class Drawn(TimedInput):
    """The values drawn for the last `DrawChance`."""

    kind = InputKind.DRAWN
    values: tuple[int, ...]


@value_class()
class Disconnect(EntrantInput):
    """An entrant's connection is lost."""

    kind = InputKind.LOST


@value_class()
class Reconnect(EntrantInput):
    """An entrant's connection is back."""

    kind = InputKind.BACK


@value_class()
class Leave(EntrantInput):
    """An entrant gives up for the rest of the match."""

    kind = InputKind.LEAVE


@value_class()
class Ready(EntrantInput):
    """An entrant is ready for the next game before the intermission ends."""

    kind = InputKind.READY


@value_class()
class NewRoundTrip(EntrantInput):
    """A new round trip was measured for an entrant. Recorded only in a match with lag purses."""

    kind = InputKind.ROUND_TRIP
    us: int
    """The round trip in microseconds."""


@value_class()
class Credit(TimedInput):
    """The server stalled: every future deadline moves later by the length of the stall, and no message announces it."""

    kind = InputKind.CREDIT
    us: int
    """Length of the stall that ended at `at`, microseconds."""


@value_class()
class Cancel(TimedInput):
    """The match ends now; the running game has no result."""

    kind = InputKind.CANCEL
    termination: str


Input = (
    Answer
    | Drawn
    | Tick
    | Disconnect
    | Reconnect
    | Leave
    | Ready
    | NewRoundTrip
    | Credit
    | Cancel
    | Reject
    | NoAnswer
    | Begin
    | Deal
)

ENTRANT_INPUTS: Mapping[InputKind, type[Disconnect | Reconnect | Leave | Ready]] = {
    each.kind: each for each in (Disconnect, Reconnect, Leave, Ready)
}
"""The inputs that name an entrant and have no further content, by kind."""

_HEAD = struct.Struct("<BIQI")
_ANSWER = struct.Struct("<BIQIBIIIH")
_ENTRANT = struct.Struct("<BIQIB")
_U32 = struct.Struct("<I")
_MAX_LAG = 0xFFFF_FFFF
_ANSWER_KIND = int(InputKind.ANSWER)
_WIDTHS = ("B", "H", "Q")
"""The `struct` codes for the width of drawn values."""


def write_record(match: int, entry: Input) -> bytes:
    """Return the record of an input; `match` is the match's number on its node. `read_record` reads it back."""
    at, now = entry.at, entry.now
    lag = min(now - at, _MAX_LAG) if now > at else 0
    match entry:
        case Answer():  # the most frequent kind, so it comes first and avoids the enum
            text, note = entry.text.encode(), entry.note.encode() if entry.note else b""
            numbers = (entry.entrant, entry.prompt_id, entry.action_id, len(text), len(note))
            return _ANSWER.pack(_ANSWER_KIND, match, at, lag, *numbers) + text + note
        case Reject():
            text = entry.reason.encode()
            numbers = (entry.entrant, entry.prompt_id, entry.action_id, len(text), 0)
            return _ANSWER.pack(entry.kind, match, at, lag, *numbers) + text
        case NoAnswer():
            text, words = entry.text.encode(), entry.note.encode()
            numbers = (entry.entrant, entry.prompt_id, entry.action_id, len(text), len(words))
            return _ANSWER.pack(entry.kind, match, at, lag, *numbers) + text + words
        case Disconnect() | Reconnect() | Leave() | Ready():
            return _ENTRANT.pack(entry.kind, match, at, lag, entry.entrant)
        case NewRoundTrip():
            return _ENTRANT.pack(entry.kind, match, at, lag, entry.entrant) + _pack_values((entry.us,))
        case _:
            return _HEAD.pack(entry.kind, match, at, lag) + _write_content(entry)


def _write_content(entry: Begin | Deal | Drawn | Credit | Tick | Cancel) -> bytes:
    match entry:
        case Drawn():
            return _pack_values(entry.values)
        case Credit():
            return _pack_values((entry.us,))
        case Tick():
            return b""
        case Cancel():
            return entry.termination.encode()
        case Deal():
            return canonical_json(describe_secret(entry.secret))
        case Begin():
            begin = {"match_id": entry.match_id, "terms": entry.terms, "absent": list(entry.absent)}
            if entry.contributions:
                begin["contributions"] = describe_contributions(entry.contributions)
            if entry.round_trips:
                begin["round_trips"] = list(entry.round_trips)
            return canonical_json(begin)
        case _:
            assert_never(entry)


def read_record(record: bytes, read_action: Callable[[str], Any] | None = None) -> Input:
    """Return the input of a record. Raises JournalError if the record is damaged or from another version.

    `read_action` reads an answer's action from its text; without it, `action` is None.
    """
    try:
        kind = InputKind(record[0])
        _, _, at, lag = _HEAD.unpack_from(record)
        return _read_content(kind, Instant(at), Instant(at + lag), record, read_action)
    except (ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
        raise JournalError(f"a journal record cannot be read ({error}): it is of another version or damaged") from error


def no_answer_from_text(text: str, words: str = "") -> NoAnswerGiven:
    """Return the input that has this `text` and these words. Raises ValueError for an unknown cause."""
    cause, _, reason = text.partition(" ")
    return NoAnswerGiven(NoAnswerCause(cause), reason, words)


def pack_record(kind: int, match: int, at: Instant, content: bytes) -> bytes:
    """Return a record of a kind that is not an input."""
    return _HEAD.pack(kind, match, at, 0) + content


def record_content(record: bytes) -> bytes:
    """Return a record without its head."""
    return record[_HEAD.size :]


def match_number_of(record: bytes) -> int:
    """Return the match number of a record without reading the rest."""
    return int(_U32.unpack_from(record, 1)[0])


def record_times(record: bytes) -> tuple[Instant, Instant]:
    """Return when the input of a record happened, and when it was handled."""
    _, _, at, lag = _HEAD.unpack_from(record)
    return Instant(at), Instant(at + lag)


def rebase_record(record: bytes, match: int, us: int) -> bytes:
    """Return the record with another match number, and with its times moved later by `us` microseconds."""
    kind, _, at, lag = _HEAD.unpack_from(record)
    return _HEAD.pack(kind, match, at + us, lag) + record[_HEAD.size :]


def _read_content(
    kind: InputKind, at: Instant, now: Instant, record: bytes, read_action: Callable[[str], Any] | None
) -> Input:
    rest = record[_HEAD.size :]
    match kind:
        case InputKind.ANSWER | InputKind.REJECT | InputKind.NO_ANSWER:
            return _read_answer(kind, at, now, record, read_action)
        case InputKind.LOST | InputKind.BACK | InputKind.LEAVE | InputKind.READY:
            return ENTRANT_INPUTS[kind](at, now, EntrantIndex(rest[0]))
        case InputKind.DRAWN:
            return Drawn(at, now, _unpack_values(rest))
        case InputKind.ROUND_TRIP:
            return NewRoundTrip(at, now, EntrantIndex(rest[0]), _unpack_values(rest[1:])[0])
        case InputKind.CREDIT:
            return Credit(at, now, _unpack_values(rest)[0])
        case InputKind.TICK:
            return Tick(at, now)
        case InputKind.CANCEL:
            return Cancel(at, now, rest.decode())
        case InputKind.DEAL:
            return Deal(at, now, secret_from_plain(json.loads(rest)))
        case InputKind.BEGIN:
            values = json.loads(rest)
            match_id, terms = from_plain(values["match_id"], str), from_plain(values["terms"], dict[str, Any])
            absent = from_plain(values.get("absent", ()), tuple[int, ...])
            round_trips = from_plain(values.get("round_trips", ()), tuple[int, ...])
            contributions = contributions_from_plain(values.get("contributions", ()))
            entrants = tuple(map(EntrantIndex, absent))
            return Begin(at, now, MatchId(match_id), terms, entrants, contributions, round_trips)
        case _:
            assert_never(kind)


def _read_answer(
    kind: InputKind, at: Instant, now: Instant, record: bytes, read_action: Callable[[str], Any] | None
) -> Answer | Reject | NoAnswer:
    *_, entrant, prompt_id, action_id, length, note_length = _ANSWER.unpack_from(record)
    raw = record[_ANSWER.size :]
    text, note = raw[:length].decode(), raw[length : length + note_length].decode()
    if kind is InputKind.REJECT:
        return Reject(at, now, EntrantIndex(entrant), PromptId(prompt_id), action_id, text)
    if kind is InputKind.NO_ANSWER:
        given = no_answer_from_text(text, note)
        return NoAnswer(at, now, EntrantIndex(entrant), PromptId(prompt_id), action_id, given)
    action = None if read_action is None else read_action(text)
    return Answer(at, now, EntrantIndex(entrant), PromptId(prompt_id), action_id, text, note, action)


def _pack_values(values: Sequence[int]) -> bytes:
    """Return the code of a width, followed by the values in that width.

    The width is the smallest that holds all values: one, two or eight bytes.
    """
    largest = max(values, default=0)
    if largest < 1 << 8:
        return b"B" + bytes(values)
    code = "H" if largest < 1 << 16 else "Q"
    return code.encode() + struct.pack(f"<{len(values)}{code}", *values)


def _unpack_values(raw: bytes) -> tuple[int, ...]:
    code = raw[:1].decode()
    if code not in _WIDTHS:
        raise ValueError(f"values of width {code!r}")
    width = struct.calcsize(f"<{code}")
    return struct.unpack(f"<{(len(raw) - 1) // width}{code}", raw[1:])
