"""Decides whether a bot had too many faults, and tells the user which fault came first."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Final

from arena.cli.match.recorded_play import FirstFault
from arena.cli.match.replay_hint import replay_command
from arena.cli.match.totals import EntrantTotals
from arena.errors import OptionError
from arena.organizer.report.number_format import format_percent
from arena.plurals import format_count

MAX_FAULT_SHARE: Final = 0.01
"""The largest share of faults among a bot's decisions that is accepted by default."""


@dataclass(frozen=True, slots=True)
class FaultLimit:
    """How many faults a bot may have before the command fails."""

    max_strikes: int | None = None
    """The largest accepted number of faults; None accepts a share of `MAX_FAULT_SHARE`."""
    is_forgiving: bool = False
    """Whether any number of faults is accepted."""

    def check(self) -> "FaultLimit":
        """Return this limit. Raises OptionError if it forgives all faults and limits their number too."""
        if self.is_forgiving and self.max_strikes is not None:
            raise OptionError("max-strikes", self.max_strikes, "--forgiving accepts any number: give only one of them")
        return self

    def is_exceeded(self, standing: EntrantTotals) -> bool:
        """Return whether a bot has more faults than allowed."""
        if self.is_forgiving:
            return False
        if self.max_strikes is not None:
            return standing.strike_count > self.max_strikes
        return standing.fault_share > MAX_FAULT_SHARE

    def verdict(self, standing: EntrantTotals) -> str:
        """Return a sentence that says how many faults the bot has, and what follows from that."""
        faults, decisions = (
            format_count(standing.strike_count, "fault"),
            format_count(standing.asked_count, "decision"),
        )
        text = f"{standing.name} has {faults} in {decisions} ({format_percent(standing.fault_share, 1)})"
        if self.is_exceeded(standing):
            limit = (
                format_percent(MAX_FAULT_SHARE) if self.max_strikes is None else f"{self.max_strikes} (--max-strikes)"
            )
            return f"{text}: more than {limit}, so the exit code is 3"
        return f"{text}, which --forgiving accepts" if self.is_forgiving else text


def fault_lines(
    standing: EntrantTotals, first: FirstFault | None, limit: FaultLimit, data: Path, width: int
) -> Iterator[str]:
    """Yield what to tell the user about a bot with faults: how many, the first one, and how to read about it.

    Sentences are wrapped at `width` columns; the command is not.
    """
    yield from wrap(limit.verdict(standing), width, subsequent_indent="  ", break_on_hyphens=False)
    if first is not None:
        yield from wrap(first.sentence, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
        command = replay_command(first.match_id, data, "--entrant", standing.name, "--game", first.game)
        yield f"  to read it: {command}"
    if standing.strikes["gone"]:
        text = "gone: it lost its seat, because it left or because too many moves in a row were automatic"
        yield from wrap(text, width, initial_indent="  ", subsequent_indent="  ")
