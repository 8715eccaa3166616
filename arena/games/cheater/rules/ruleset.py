"""The house rules as one frozen value, built from plain options, which are read, checked and explained here too."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from arena.errors import OptionError, OptionsError, UnknownNameError
from arena.match.options import OptionReader, explain_player_limits, read_flag, read_options, whole_number_reader
from arena.plurals import format_count

MIN_PARTY_SEATS = 5
"""Smallest number of seats of the party version (spec B1)."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Every house rule of CHEATER (spec B1, B7). The number of packs is no option: it follows from the seat count."""

    players_min: int = 2
    """Fewest seats, 2..players_max. Two to four seats play with one pack of 70 cards."""
    players_max: int = 10
    """Most seats, up to 10. Five to ten seats play the party version, with two packs and one CHEATER marker."""
    titles: bool = True
    """Whether several wins in a row within a match earn the titles excellent, ultimate and infinite."""
    max_turns: int = 2000
    """Number of turns after which the game is stopped, 1..1000000. Lost and broken-off turns count too."""


def pack_count(seat_count: int) -> int:
    return 2 if seat_count >= MIN_PARTY_SEATS else 1


PRESETS: Mapping[str, Mapping[str, object]] = {
    "cheater": {},
}


PACE_OPTIONS = ("turn_time", "call_time", "intermission_s", "max_auto_moves")
"""Options of spec part A that belong to the match's pace; a ruleset refuses them."""

_RESERVED_OPTIONS = {
    **dict.fromkeys(PACE_OPTIONS, "not set here: it belongs to the match's pace, not to the ruleset"),
    "packs": "not an option: 2 to 4 seats play with one pack, 5 to 10 with two",
}

OPTION_READERS: Mapping[str, OptionReader] = {
    "players_min": whole_number_reader(2, 10),
    "players_max": whole_number_reader(2, 10),
    "titles": read_flag,
    "max_turns": whole_number_reader(1, 1_000_000),
}
"""The reader of each option, in the order of the fields of `Ruleset`."""


def build_ruleset(preset: str, options: Mapping[str, object]) -> Ruleset:
    """Build and validate a ruleset.

    Raises UnknownNameError for an unknown preset, and OptionsError for every option with an invalid value or, if all
    are valid, for a `players_min` above `players_max`.
    """
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, tuple(PRESETS))
    values, faults = read_options({**PRESETS[preset], **options}, OPTION_READERS, _RESERVED_OPTIONS)
    rules = Ruleset(**values)
    if not faults and rules.players_min > rules.players_max:
        allowed = f"expected at most players_max, which is {rules.players_max}"
        faults = [OptionError("players_min", rules.players_min, allowed)]
    if faults:
        raise OptionsError(faults)
    return rules


def ruleset_options(rules: Ruleset) -> dict[str, object]:
    """Return all options as plain values, in the order of the fields; `build_ruleset` reads them back."""
    return asdict(rules)


Sentence = tuple[str, tuple[str, ...]]
"""A sentence, and the names of the options on which it depends."""


def explain_rules(rules: Ruleset) -> Iterator[Sentence]:
    """Yield the rules in the order in which a game needs them."""
    yield explain_player_limits(rules.players_min, rules.players_max), ("players_min", "players_max")
    yield f"One pack of 70 cards is used up to {MIN_PARTY_SEATS - 1} seats, two packs from {MIN_PARTY_SEATS} on.", ()
    for sentence in _FIXED_RULES:
        yield sentence, ()
    titles = "Wins in a row earn titles." if rules.titles else "Wins in a row earn no titles."
    yield titles, ("titles",)
    yield f"After {format_count(rules.max_turns, 'turn')} the game stops without a winner.", ("max_turns",)


_FIXED_RULES = (
    "Everybody is dealt seven cards; the highest roll of two dice begins.",
    "A hand of the seven letters C H E A T E R in one colour wins at once, even on another seat's turn.",
    "A turn begins with two dice: a double makes the seat the CHEATER, or costs the CHEATER its turn and marker.",
    "Then the seat draws a card and discards one, or plays an action card at another seat instead.",
    "TAKE shows a hand and takes a card, SHOW shows it, BUST rolls a die and discards up to that many of its cards.",
    "The CHEATER may instead draw two and discard two, take the top discard, or demand a hand, a card and a discard.",
    "An attacked seat is always asked, and may hide its hand with HIDE; WILD stands for any action card.",
    "When the draw pile is empty, all discards but the top one are shuffled.",
)
