"""Builds a validated ruleset from plain options, and turns a ruleset back into plain options."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import Enum

from arena.errors import OptionError, OptionsError, UnknownNameError
from arena.games.cheat.rules.cards import pack_size
from arena.games.cheat.rules.option_readers import MAX_CLAIM_PER_DECK, NONE, OPTION_READERS
from arena.games.cheat.rules.presets import PRESETS
from arena.games.cheat.rules.ruleset import MANY_SEATS, CallMode, RankMode, RankStart, Ruleset
from arena.match.options import check_player_limits, read_options

PACE_OPTIONS = ("turn_time", "call_time", "min_call_ms", "dispute_ms", "intermission_s", "max_auto_moves")
"""Options of spec A2 that belong to the match's pace; a ruleset refuses them."""

_RESERVED_OPTIONS = {
    **dict.fromkeys(PACE_OPTIONS, "not set here: it belongs to the match's pace, not to the ruleset"),
    "seat_order": "not set here: the match assigns the seats",
}


def build_ruleset(preset: str, options: Mapping[str, object]) -> Ruleset:
    """Build and validate a ruleset.

    Raises UnknownNameError for an unknown preset, and OptionsError for every option with an invalid value or, if all
    are valid, for options that conflict with each other.
    """
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, tuple(PRESETS))
    values, faults = read_options({**PRESETS[preset], **options}, OPTION_READERS, _RESERVED_OPTIONS)
    if values.get("count_lies"):
        values.setdefault("sizes_visible", False)
    rules = Ruleset(**values)
    faults = faults or _conflict_faults(rules)
    if faults:
        raise OptionsError(faults)
    return rules


def ruleset_options(rules: Ruleset) -> dict[str, object]:
    """Return all options as plain values, in the order of the fields; `build_ruleset` reads them back."""
    return {field.name: _to_plain(getattr(rules, field.name)) for field in fields(rules)}


def check_seat_count(rules: Ruleset, seat_count: int) -> None:
    """Raise OptionsError if the ruleset does not allow this number of seats."""
    check_player_limits(seat_count, rules.players_min, rules.players_max)
    faults = [*_max_count_faults(rules, seat_count), *_min_count_faults(rules, seat_count)]
    if faults:
        raise OptionsError(faults)


def _to_plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_to_plain(item) for item in value]
    if value is None:
        return NONE
    return value.value if isinstance(value, Enum) else value


def _conflict_faults(rules: Ruleset) -> list[OptionError]:
    """Return faults for options that conflict with other options (spec A2)."""
    if rules.players_min > rules.players_max:
        allowed = f"expected at most players_max, which is {rules.players_max}"
        return [OptionError("players_min", rules.players_min, allowed)]
    # These seat counts cover every possible number of decks. An option is refused only if it fails for each count.
    seat_counts = {rules.players_min, max(rules.players_min, min(rules.players_max, MANY_SEATS))}
    too_high = min((list(_max_count_faults(rules, seats)) for seats in seat_counts), key=len)
    if too_high:
        return too_high
    faults = [
        *_opening_faults(rules),
        *min((list(_min_count_faults(rules, seats)) for seats in seat_counts), key=len),
    ]
    if rules.call_mode is CallMode.TURN_ACTION and rules.any_caller:
        faults.append(OptionError("call_mode", rules.call_mode.value, "turn_action requires any_caller to be off"))
    cards = pack_size(rules.decks_for(rules.players_max), rules.jokers_per_deck)
    if rules.players_max > cards:
        faults.append(OptionError("players_max", rules.players_max, f"expected at most {cards}, a card for each seat"))
    return faults


def _max_count_faults(rules: Ruleset, seat_count: int) -> Iterator[OptionError]:
    most = MAX_CLAIM_PER_DECK * rules.decks_for(seat_count)
    if rules.max_count is not None and rules.max_count > most:
        yield OptionError("max_count", rules.max_count, f"expected at most {most}, {MAX_CLAIM_PER_DECK} for each deck")


def _opening_faults(rules: Ruleset) -> Iterator[OptionError]:
    if not rules.opening_face_up:
        return
    if rules.rank_mode is RankMode.ROTATION:
        yield OptionError("opening_face_up", True, "not allowed with rank_mode rotation")
    elif rules.rank_start != tuple(RankStart):
        yield OptionError("opening_face_up", True, "allowed only with every rank in rank_start")


def _min_count_faults(rules: Ruleset, seat_count: int) -> Iterator[OptionError]:
    most = rules.max_claim(seat_count)
    if rules.min_count > most:
        yield OptionError("min_count", rules.min_count, f"expected at most max_count, which is {most}")
