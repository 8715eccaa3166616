"""How decisions are timed. A ruleset can be played at any pace."""

from collections.abc import Mapping
from dataclasses import fields, replace

from arena.errors import OptionError, OptionsError
from arena.match.game import Style, TimeLimit
from arena.match.value_class import value_class
from arena.plain_data import to_plain

US_PER_MS = 1000

_RANGES: Mapping[Style, Mapping[str, tuple[int, int]]] = {
    Style.LIVE: {"turn_ms": (5_000, 60_000), "call_ms": (2_000, 10_000)},
    Style.SEALED: {"turn_ms": (10, 3_600_000), "call_ms": (10, 3_600_000)},
}
_MAX = {"max_auto_moves": 100, "dispute_ms": 1000}
"""Upper bounds for both styles."""


@value_class()
class Pace:
    """The timing of a match; `sealed_defaults` and `live_defaults` return the defaults. Times are milliseconds."""

    style: Style
    turn_ms: int
    """How long a turn may take. Live 5 000 to 60 000 (spec A2), sealed 10 to 3 600 000."""
    call_ms: int
    """How long a window or reaction may take, at most `turn_ms`.

    In the live style the next move is held for this time.
    """
    min_call_ms: int = 0
    """Live style: for how long after a move every call is refused (spec A2). 0 to `call_ms`."""
    dispute_ms: int = 0
    """Live style, if the nearest caller wins: how long calls are collected after the first (spec A2). 0 to 1000."""
    intermission_ms: int = 0
    """The longest break between games. The break ends early when all entrants are ready. 0 means no break."""
    fixed_window: bool = False
    """Sealed style: whether each window lasts its whole time, so that its length reveals nothing."""
    max_auto_moves: int = 3
    """After this many automatic moves in a row, a seat is treated as leaving (spec A11). 0 to 100; 0 means never."""
    reconnect_grace_ms: int = 10_000
    """The reconnect allowance: how long in a match a seat's clock may pause for lost connections. 0 means never."""
    no_deadlines: bool = False
    """Whether answers have no deadline, so that no answer is ever late. For practice only."""
    lag_purse: bool = False
    """Sealed: whether seats get extra time to make up for network delay; see `arena.match.referee.entrant_clock`."""

    @staticmethod
    def sealed_defaults() -> "Pace":
        """Return the default pace of the sealed style, the style for bots (spec A12)."""
        return Pace(Style.SEALED, turn_ms=2_000, call_ms=1_000)

    @staticmethod
    def live_defaults() -> "Pace":
        """Return the default pace of the live style, the style of play at a real table (spec A11)."""
        return Pace(Style.LIVE, turn_ms=20_000, call_ms=3_000, min_call_ms=750, dispute_ms=200, intermission_ms=30_000)

    @property
    def guard_us(self) -> int:
        """Live style: how long after a move no call counts."""
        return self.min_call_ms * US_PER_MS

    @property
    def dispute_us(self) -> int:
        """Live style: how long after the first call further calls are collected."""
        return self.dispute_ms * US_PER_MS

    @property
    def hold_us(self) -> int:
        """Live style: how long after a callable move the next move is held."""
        return min(self.call_ms, self.turn_ms) * US_PER_MS

    def length_us(self, length: TimeLimit | None) -> int | None:
        """Return how many microseconds an answer may take; None if it has no deadline."""
        if length is None or self.no_deadlines:
            return None
        return self.turn_ms * US_PER_MS if length is TimeLimit.TURN else self.hold_us


def fix_windows(pace: Pace) -> Pace:
    """Return the pace with `fixed_window` if it is sealed and has deadlines; otherwise return it unchanged."""
    return replace(pace, fixed_window=pace.style is Style.SEALED and not pace.no_deadlines)


def build_pace(style: str, settings: Mapping[str, object]) -> Pace:
    """Return a checked pace, given its style and the settings that differ from that style's defaults.

    Raises OptionsError naming every refused setting.
    """
    faults: list[OptionError] = []
    if style not in {s.value for s in Style}:
        raise OptionsError([OptionError("pace", style, "expected live or sealed")])
    pace = Pace.live_defaults() if style == Style.LIVE.value else Pace.sealed_defaults()
    known = {f.name: f.type for f in fields(Pace) if f.name != "style"}
    accepted: dict[str, object] = {}
    for name, value in settings.items():
        wrong = _why_refused(pace.style, name, value, known)
        if wrong is None:
            accepted[name] = value
        else:
            faults.append(OptionError(name, value, wrong))
    if not faults:
        pace = replace(pace, **accepted)  # type: ignore[arg-type]  # each value was checked by name just now
        faults += _find_conflicts(pace)
    if faults:
        raise OptionsError(faults)
    return pace


def _why_refused(style: Style, name: str, value: object, known: Mapping[str, object]) -> str | None:
    if name not in known:
        return f"unknown; known: {', '.join(known)}"
    if known[name] is bool:
        return None if isinstance(value, bool) else "expected true or false"
    if not isinstance(value, int) or isinstance(value, bool):
        return "expected a whole number"
    low, high = _RANGES[style].get(name, (0, _MAX.get(name, 3_600_000)))
    return None if low <= value <= high else f"expected {low} to {high}"


def _find_conflicts(pace: Pace) -> list[OptionError]:
    if pace.style is Style.LIVE and pace.no_deadlines:
        return [OptionError("no_deadlines", True, "sealed only: in the live style a final window ends by its time")]
    if pace.style is Style.LIVE and pace.lag_purse:
        return [OptionError("lag_purse", True, "sealed only: in the live style the first to arrive counts")]
    if pace.style is Style.LIVE and pace.min_call_ms > min(pace.call_ms, pace.turn_ms):
        return [OptionError("min_call_ms", pace.min_call_ms, "expected at most the call time")]
    return []


def pace_settings(pace: Pace) -> dict[str, object]:
    """Return every setting of a pace except its style, as plain values."""
    plain: dict[str, object] = to_plain(pace)
    del plain["style"]
    return plain


def describe_pace(pace: Pace) -> dict[str, object]:
    """Return a pace as it is stored and hashed; `build_pace(style, rest)` reads it back.

    The setting `lag_purse` is left out if it is false. So terms without lag purses have the same form and hash as in
    release 0.1.0.
    """
    plain: dict[str, object] = to_plain(pace)
    if not pace.lag_purse:
        del plain["lag_purse"]
    return plain
