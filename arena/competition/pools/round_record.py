"""A round of matchmaking as plain values, so that anybody can run the matchmaker again on what was stored."""

from collections.abc import Mapping
from typing import Any

from arena.competition.pools.matchmaking import VERSION, MatchmakingInput, Seeker
from arena.plain_data import from_plain, to_plain


def describe_inputs(inputs: MatchmakingInput) -> Mapping[str, Any]:
    """Return the inputs of a round as plain values; `inputs_from_plain` reads them back."""
    return {
        "version": VERSION,
        "round_id": inputs.round_id,
        "seats": inputs.seats,
        "seekers": to_plain(inputs.seekers),
        "house": to_plain(inputs.house),
        "house_after_s": inputs.house_after_s,
        "meetings": sorted([*sorted(pair), count] for pair, count in inputs.meetings.items()),
    }


def inputs_from_plain(values: Mapping[str, Any]) -> MatchmakingInput:
    """Return the inputs of a stored round.

    Raises ValueError if another version of the matchmaker has stored them, and ValueError or KeyError if they are
    damaged.
    """
    if values["version"] != VERSION:
        raise ValueError(f"version {values['version']} of the matchmaker stored them, and this is version {VERSION}")
    return MatchmakingInput(
        round_id=values["round_id"],
        seats=values["seats"],
        seekers=tuple(from_plain(each, Seeker) for each in values["seekers"]),
        house=tuple(from_plain(each, Seeker) for each in values["house"]),
        house_after_s=values["house_after_s"],
        meetings={frozenset((one, other)): count for one, other, count in values["meetings"]},
    )
