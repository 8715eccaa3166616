"""The rules of CHEATER in plain sentences, each with the options that cause it (spec B1 to B7)."""

from collections.abc import Iterator

from arena.games.cheater.rules.ruleset import MIN_PARTY_SEATS, Ruleset
from arena.match.options import explain_player_limits
from arena.plurals import format_count

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
