"""The rules of CHEATER in plain sentences, each with the options that it comes from (spec B1 to B7)."""

from collections.abc import Iterator

from arena.rules.cheater.ruleset import MIN_PARTY_SEATS, Ruleset

Sentence = tuple[str, tuple[str, ...]]
"""What is said, and the names of the options that make it so."""


def explain_rules(rules: Ruleset) -> Iterator[Sentence]:
    """Give the rules in the order in which a game needs them."""
    yield f"{rules.players_min} to {rules.players_max} seats play.", ("players_min", "players_max")
    yield f"One pack of 70 cards is used up to {MIN_PARTY_SEATS - 1} seats, two packs from {MIN_PARTY_SEATS} on.", ()
    for sentence in _FIXED_RULES:
        yield sentence, ()
    titles = "Wins in a row earn titles." if rules.titles else "Wins in a row earn nothing further."
    yield titles, ("titles",)
    yield f"After {rules.max_turns} turns the game is stopped, and nobody has won.", ("max_turns",)


_FIXED_RULES = (
    "Everybody is dealt seven cards; the highest roll of two dice begins.",
    "Whose hand is the seven letters C H E A T E R of one colour wins at once, in another seat's turn too.",
    "A turn begins with two dice: a double makes its seat the CHEATER, or costs the CHEATER turn and marker.",
    "Then the seat draws a card and discards one, or plays an action card at another seat instead.",
    "TAKE shows a hand and takes a card, SHOW shows it, BUST rolls a die and discards up to so many of its cards.",
    "The CHEATER may instead draw two and discard two, take the top discard, or demand a hand, a card and a discard.",
    "Whoever is attacked is always asked, and may hide its hand with HIDE; WILD stands for any action card.",
    "When the draw pile is empty, all discards but the top one are shuffled.",
)
