"""Build a validated ruleset from plain options, and write it back. All faults are reported at once."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any

from arena.errors import OptionError, OptionsError, UnknownNameError
from arena.rules.cheat.cards import pack_size
from arena.rules.cheat.option_readers import MAX_CLAIM_PER_DECK, NONE, OPTION_READERS
from arena.rules.cheat.presets import PRESETS
from arena.rules.cheat.ruleset import MANY_SEATS, CallMode, RankMode, RankStart, Ruleset

PACE_OPTIONS = ("turn_time", "call_time", "min_call_ms", "dispute_ms", "intermission_s", "max_auto_moves")
"""Options of spec A2 that belong to the match's pace; a ruleset refuses them."""


def build_ruleset(preset: str, options: Mapping[str, object]) -> Ruleset:
    """Build and validate a ruleset. Raises UnknownNameError (preset) or OptionsError (all refused options)."""
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, tuple(PRESETS))
    given = {**PRESETS[preset], **options}
    faults = _unknown_option_faults(given)
    values: dict[str, Any] = {}
    for field in OPTION_READERS.keys() & given.keys():
        try:
            values[field] = OPTION_READERS[field](field, given[field])
        except OptionError as fault:
            faults.append(fault)
    if values.get("count_lies"):
        values.setdefault("sizes_visible", False)
    rules = Ruleset(**values)
    faults = sorted(faults, key=_field_order) or _conflict_faults(rules)
    if faults:
        raise OptionsError(faults)
    return rules


def ruleset_options(rules: Ruleset) -> dict[str, object]:
    """Return all options as plain values, in field order; `build_ruleset` reads them back."""
    return {field.name: _to_plain(getattr(rules, field.name)) for field in fields(rules)}


def check_seat_count(rules: Ruleset, seat_count: int) -> None:
    """Raise OptionsError if the ruleset does not allow this number of seats."""
    if seat_count < rules.players_min:
        raise OptionsError([OptionError("players_min", rules.players_min, f"the match has {seat_count} seats")])
    if seat_count > rules.players_max:
        raise OptionsError([OptionError("players_max", rules.players_max, f"the match has {seat_count} seats")])
    faults = [*_max_count_faults(rules, seat_count), *_min_count_faults(rules, seat_count)]
    if faults:
        raise OptionsError(faults)


def _to_plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_to_plain(item) for item in value]
    if value is None:
        return NONE
    return value.value if isinstance(value, Enum) else value


def _unknown_option_faults(given: Mapping[str, object]) -> list[OptionError]:
    """Return a fault for every option that no ruleset has."""
    return [_unknown_option_fault(field, value) for field, value in given.items() if field not in OPTION_READERS]


def _unknown_option_fault(field: str, value: object) -> OptionError:
    if field in PACE_OPTIONS:
        return OptionError(field, value, "not set here: it belongs to the match's pace, not to the ruleset")
    if field == "seat_order":
        return OptionError(field, value, "not set here: the match assigns the seats")
    return OptionError(field, value, "unknown option; known: " + ", ".join(OPTION_READERS))


def _conflict_faults(rules: Ruleset) -> list[OptionError]:
    """Return the options out of the range that others set, or else those that exclude each other (spec A2)."""
    if rules.players_min > rules.players_max:
        allowed = f"at most players_max, which is {rules.players_max}"
        return [OptionError("players_min", rules.players_min, allowed)]
    seat_counts = _decisive_seat_counts(rules)
    too_many = [list(_max_count_faults(rules, seats)) for seats in seat_counts]
    return min(too_many, key=len) or [
        *_opening_faults(rules),
        *min((list(_min_count_faults(rules, seats)) for seats in seat_counts), key=len),
        *_turn_action_faults(rules),
        *_players_max_faults(rules),
    ]


def _decisive_seat_counts(rules: Ruleset) -> set[int]:
    """Return seat counts that cover every possible number of decks; options that fail for all of them are refused."""
    return {rules.players_min, max(rules.players_min, min(rules.players_max, MANY_SEATS))}


def _max_count_faults(rules: Ruleset, seat_count: int) -> Iterator[OptionError]:
    most = MAX_CLAIM_PER_DECK * rules.decks_for(seat_count)
    if rules.max_count is not None and rules.max_count > most:
        yield OptionError("max_count", rules.max_count, f"at most {most}, which is {MAX_CLAIM_PER_DECK} for each deck")


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
        yield OptionError("min_count", rules.min_count, f"at most max_count, which is {most}")


def _turn_action_faults(rules: Ruleset) -> Iterator[OptionError]:
    if rules.call_mode is CallMode.TURN_ACTION and rules.any_caller:
        yield OptionError("call_mode", rules.call_mode.value, "turn_action requires any_caller to be off")


def _players_max_faults(rules: Ruleset) -> Iterator[OptionError]:
    cards = pack_size(rules.decks_for(rules.players_max), rules.jokers_per_deck)
    if rules.players_max > cards:
        yield OptionError("players_max", rules.players_max, f"at most one seat for each of the {cards} cards")


def _field_order(fault: OptionError) -> int:
    order = list(OPTION_READERS)
    return order.index(fault.field) if fault.field in order else len(order)
