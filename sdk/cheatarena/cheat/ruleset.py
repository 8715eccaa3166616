"""All options of a ruleset of Cheat."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from cheatarena.terms import enum_word
from cheatarena.v1 import cheat_pb2, ruleset_pb2

TWO_PACK_SEATS = 5
"""If the number of packs depends on the number of seats, this many seats or more play with two packs."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """All options of a ruleset of Cheat. Choices are named as in the rules, in lower case."""

    preset: str
    """Name of the preset."""
    version: str
    """Version of the game's rules."""
    decks: int
    """Packs shuffled together, 1 to 251."""
    jokers_per_deck: int
    """0 or 2."""
    check: str
    """What a call reveals: ``arbiter``, ``caller``, ``public`` or ``public_plus``."""
    count: frozenset[str]
    """Claimed numbers of cards that may follow the previous claim: some of ``same``, ``more``, ``less``, ``zero``."""
    rank_start: frozenset[str]
    """Ranks that may start a trick: some of ``a``, ``others``, ``k``."""
    rank_next: frozenset[str]
    """Allowed steps from one claimed rank to the next, for example ``up1``."""
    passing: str
    """``forced``, ``pass_turn``, ``pass_trick`` or ``single_turn``."""
    exhausted_leader: str
    """Who starts the next trick when no further claim is possible: ``last_mover`` or ``next_player``."""
    max_turns: int
    """Number of moves and passes after which the game ends."""
    max_count: int
    """Most cards that a move may claim."""
    min_count: int
    """Smallest number of cards that may be claimed, apart from zero. A smaller hand may be claimed as a whole."""
    first_mover: str
    """``random``, ``first_seat`` or ``left_of_dealer``."""
    deal: str
    """``round_robin``: cards are dealt one by one. ``cut_and_choose``: the dealer cuts, the others choose packets."""
    extra_cards_to: str
    """Which seats get one more card if the deal is uneven: ``first_dealt`` or ``last_dealt``."""
    rank_mode: str
    """``step``: legal ranks depend on the previous claim.

    ``rotation``: only one rank is legal, and it goes up by one after every play.
    """
    call_mode: str
    """``window``: seats call in a window after the move. ``turn_action``: a seat may use its own turn to call."""
    any_caller: bool
    """Whether every seat except the mover may call; otherwise only the seat to move may call."""
    caller_priority: str
    """Which of several calls counts in the pace ``live``: ``first`` or ``nearest_clockwise``."""
    believe: bool
    """Whether a move may be believed.

    If a believed move is true, the pile leaves the game. If it is a lie, the believer takes the pile.
    """
    banish_on_new_trick: bool
    """Whether the pile leaves the game when a new trick begins."""
    success_new_trick: bool
    """Whether a right call begins a new trick."""
    failure_new_trick: bool
    """Whether a wrong call begins a new trick."""
    success_next: str
    """Who moves after a right call: ``no_change``, ``challenged``, ``after_caller`` or ``caller``."""
    failure_next: str
    """Who moves after a wrong call; the choices are those of `success_next`."""
    count_lies: bool
    """Whether the claimed number of cards may differ from the number laid."""
    sizes_visible: bool
    """Whether all card counts are public; otherwise each seat knows only the size of its own hand."""
    opening_face_up: bool
    """Whether the first move of a trick is face up; it must then be true."""
    honest_win: bool
    """Whether a move that empties a hand is checked immediately."""
    objective: str
    """``places``, ``first_out_wins`` or ``last_in_loses``."""
    win_resets_trick: bool
    """Whether a win begins a new trick."""

    copies: int = field(init=False)
    """Number of cards of each rank in the game, without jokers."""
    jokers: int = field(init=False)
    """Number of jokers in the game."""
    card_count: int = field(init=False)
    """Number of cards in the game."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "copies", 4 * self.decks)
        object.__setattr__(self, "jokers", self.jokers_per_deck * self.decks)
        object.__setattr__(self, "card_count", 52 * self.decks + self.jokers)

    @property
    def rotates(self) -> bool:
        """Whether only one rank is legal at a time. That rank goes up by one after every play."""
        return self.rank_mode == "rotation"


def read_ruleset(message: ruleset_pb2.Ruleset, seat_count: int) -> Ruleset:
    return _parse_ruleset(message.SerializeToString(), seat_count)


@lru_cache(maxsize=64)
def _parse_ruleset(encoded: bytes, seat_count: int) -> Ruleset:
    """Return the `Ruleset` in an encoded message.

    Results are cached, because most matches of a program have the same ruleset.
    """
    message = ruleset_pb2.Ruleset.FromString(encoded)
    options = {name: _option_value(words, getattr(message.cheat, name)) for name, words in OPTION_WORDS.items()}
    return build_ruleset(message.preset, message.version, options, seat_count)


def build_ruleset(preset: str, version: str, options: Mapping[str, Any], seat_count: int) -> Ruleset:
    """Return a ruleset with these options. If the number of packs or the largest count is 0, it is worked out."""
    decks = options["decks"] or (2 if seat_count >= TWO_PACK_SEATS else 1)
    max_count = options["max_count"] or (4 + options["jokers_per_deck"]) * decks
    return Ruleset(preset=preset, version=version, **{**options, "decks": decks, "max_count": max_count})


def _words_of(option: FieldDescriptor) -> dict[int, str]:
    """Return the words of an option by their enum numbers; empty if the option is not an enum."""
    if option.enum_type is None:
        return {}
    prefix = option.enum_type.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.number: enum_word(value.name, prefix) for value in option.enum_type.values}


def _option_value(words: Mapping[int, str], value: Any) -> Any:
    """Return the word of an enum value, or the set of words of several values. Return other values unchanged."""
    if not words:
        return value
    return words[value] if isinstance(value, int) else frozenset(words[each] for each in value)


OPTION_WORDS: Mapping[str, Mapping[int, str]] = {
    option.name: _words_of(option) for option in cheat_pb2.CheatRuleset.DESCRIPTOR.fields
}
"""The words of each option by their enum numbers; empty if the option is not an enum. Keys are field names."""
