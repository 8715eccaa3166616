"""All options of a ruleset of Cheat."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from cheatarena.terms import enum_word
from cheatarena.v1 import cheat_pb2, ruleset_pb2

TWO_PACK_SEATS = 5
"""From so many seats on two packs are used where the number of packs goes by the seats."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """All options of a ruleset of Cheat. Names of choices are those of the rules, in lower case."""

    preset: str
    version: str
    decks: int
    """Packs shuffled together, 1 to 251."""
    jokers_per_deck: int
    """0 or 2."""
    check: str
    """What a call reveals: ``arbiter``, ``caller``, ``public`` or ``public_plus``."""
    count: frozenset[str]
    """Counts after the first move of a trick: some of ``same``, ``more``, ``less``, ``zero``."""
    rank_start: frozenset[str]
    """Ranks that may start a trick: some of ``a``, ``others``, ``k``."""
    rank_next: frozenset[str]
    """Steps to the next rank, for example ``up1``."""
    passing: str
    """``forced``, ``pass_turn``, ``pass_trick`` or ``single_turn``."""
    exhausted_leader: str
    """Who leads when no further claim exists: ``last_mover`` or ``next_player``."""
    max_turns: int
    """Moves and passes after which the game is ended."""
    max_count: int
    """The most cards that a move may claim."""
    min_count: int
    """The fewest cards that a claim other than zero may name; a smaller hand may be claimed whole."""
    first_mover: str
    """``random``, ``first_seat`` or ``left_of_dealer``."""
    deal: str
    """``round_robin``, or ``cut_and_choose``: the dealer cuts the deck, the others choose packets."""
    extra_cards_to: str
    """Who has a card more when the deal is uneven: ``first_dealt`` or ``last_dealt``."""
    rank_mode: str
    """``step``: ranks go by the claim before. ``rotation``: one rank for all, the next one after each card move."""
    call_mode: str
    """``window``, or ``turn_action``: in its turn a seat plays, passes or calls."""
    any_caller: bool
    """Every seat but the mover may call; otherwise the seat to move alone."""
    caller_priority: str
    """Which of several calls counts in the live style: ``first`` or ``nearest_clockwise``."""
    believe: bool
    """A move may be believed too: a true one takes the pile out of the game, after a lie the believer takes it."""
    banish_on_new_trick: bool
    """The pile is out of the game when a new trick begins."""
    success_new_trick: bool
    """A right call begins a new trick."""
    failure_new_trick: bool
    """A wrong call begins a new trick."""
    success_next: str
    """Who moves after a right call: ``no_change``, ``challenged``, ``after_caller`` or ``caller``."""
    failure_next: str
    """Who moves after a wrong call."""
    count_lies: bool
    """The claimed number may differ from the number laid."""
    sizes_visible: bool
    """Everybody knows how many cards are where; otherwise each seat of its own hand alone."""
    opening_face_up: bool
    """The first move of a trick lies face up and has to be true."""
    honest_win: bool
    """A move that empties a hand is checked at once."""
    objective: str
    """``places``, ``first_out_wins`` or ``last_in_loses``."""
    win_resets_trick: bool
    """A win begins a new trick."""

    copies: int = field(init=False)
    """How many cards of one rank there are in the game, jokers apart."""
    jokers: int = field(init=False)
    """How many jokers there are in the game."""
    card_count: int = field(init=False)
    """How many cards there are in the game."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "copies", 4 * self.decks)
        object.__setattr__(self, "jokers", self.jokers_per_deck * self.decks)
        object.__setattr__(self, "card_count", 52 * self.decks + self.jokers)

    @property
    def rotates(self) -> bool:
        """Whether one rank goes round for the whole table."""
        return self.rank_mode == "rotation"


def read_ruleset(message: ruleset_pb2.Ruleset, seat_count: int) -> Ruleset:
    """Make a plain value of the contract's ruleset."""
    return _parse_ruleset(message.SerializeToString(), seat_count)


@lru_cache(maxsize=64)
def _parse_ruleset(encoded: bytes, seat_count: int) -> Ruleset:
    """Read a ruleset once, as most matches of a program have the same."""
    message = ruleset_pb2.Ruleset.FromString(encoded)
    cheat = message.cheat
    options = {name: _option_value(words, getattr(cheat, name)) for name, words in OPTION_WORDS.items()}
    options["decks"] = decks = cheat.decks or (2 if seat_count >= TWO_PACK_SEATS else 1)
    options["max_count"] = cheat.max_count or (4 + cheat.jokers_per_deck) * decks
    return Ruleset(preset=message.preset, version=message.version, **options)


def _words_of(option: FieldDescriptor) -> dict[int, str]:
    """Return the words for the numbers of an option with closed choices; nothing for any other option."""
    if option.enum_type is None:
        return {}
    prefix = option.enum_type.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.number: enum_word(value.name, prefix) for value in option.enum_type.values}


def _option_value(words: Mapping[int, str], value: Any) -> Any:
    """Make a word of a choice, a set of words of several, and leave numbers and switches as they are."""
    if not words:
        return value
    return words[value] if isinstance(value, int) else frozenset(words[each] for each in value)


OPTION_WORDS: Mapping[str, Mapping[int, str]] = {
    option.name: _words_of(option) for option in cheat_pb2.CheatRuleset.DESCRIPTOR.fields
}
"""The options of the contract, and for those with closed choices the word for each number."""
