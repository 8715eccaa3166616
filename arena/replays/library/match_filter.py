"""Selects matches for a list: by what they were played for, and by entrant, result, faults, time, preset and league."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from arena.ids import WallTime
from arena.replays.library.library_entry import LibraryEntry, MatchSource


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """The matches to list. A match has to fit every part."""

    source: MatchSource | None = None
    """None for matches of every source."""
    entrant: str = ""
    """Name of an entrant. Its copies (NAME#1) and instances (NAME/1) fit too. Empty for all matches."""
    is_lost: bool = False
    """Only matches in which the entrant came last in a finished game."""
    has_faults: bool = False
    """Only matches in which the entrant has a strike; without an entrant, in which anybody has one."""
    since: WallTime | None = None
    """Only matches that began at this time or later."""
    preset: str = ""
    """Name of a preset; empty for all matches."""
    league: str = ""
    """Name of a league; empty for all matches."""

    def accepts(self, entry: LibraryEntry) -> bool:
        """Return whether a match fits. A match of unknown source counts as a match for itself."""
        if self.source not in (None, entry.source or MatchSource.MATCH):
            return False
        if self.league not in ("", entry.league):
            return False
        if not self.accepts_preset(entry.preset) or not self.accepts_time(entry.created_at):
            return False
        seats = [index for index, name in enumerate(entry.entrants) if self.accepts_name(name)]
        has_lost = any(entry.lost_games[seat] for seat in seats if entry.lost_games)
        has_strike = any(any(entry.strikes[seat].values()) for seat in seats if entry.strikes)
        return bool(seats) and (has_lost or not self.is_lost) and (has_strike or not self.has_faults)

    def accepts_name(self, name: str) -> bool:
        return not self.entrant or name == self.entrant or name.startswith((f"{self.entrant}#", f"{self.entrant}/"))

    def accepts_preset(self, preset: str) -> bool:
        return self.preset in ("", preset)

    def accepts_time(self, created_at: float | None) -> bool:
        """Return whether a match that began at this time fits. A match of unknown time fits only without a limit."""
        return self.since is None or (created_at is not None and created_at >= self.since)

    def describe(self) -> str:
        """Return the parts of the filter in words, except the source; empty if there are none."""
        return ", ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        if self.entrant:
            yield f"entrant {self.entrant}"
        if self.is_lost:
            yield "lost"
        if self.has_faults:
            yield "with faults"
        if self.since is not None:
            yield f"since {datetime.fromtimestamp(self.since).astimezone():%Y-%m-%d %H:%M}"
        if self.preset:
            yield f"preset {self.preset}"
        if self.league:
            yield f"league {self.league}"


EVERY_MATCH = MatchFilter()
