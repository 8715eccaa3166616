"""Describes the files that lanes keep for the next comparison, what that means, and how to clear them."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.organizer.compare.kept_state import KeptState


def state_lines(kept: KeptState | None) -> Sequence[str]:
    """Return the lines for the answer; none if the lanes keep nothing."""
    if kept is None:
        return []
    return [
        f"state       kept; at the start, bots could remember {kept.before.describe()}",
        "            so blocks depend on each other, and the answer is about bots with this experience",
        f"kept in     {kept.folder} (delete this folder to start afresh)",
    ]


def state_as_dict(kept: KeptState | None) -> Mapping[str, Any] | None:
    """Return the same as plain values for JSON; None if the lanes keep nothing."""
    if kept is None:
        return None
    before = kept.before
    return {
        "folder": str(kept.folder),
        "comparisons_before": before.comparisons,
        "games_before": before.games,
        "unfinished_before": len(before.unfinished),
    }
