"""The actions of the arrays in words."""

from arena.games.cheat.arrays.card_counts import JOKER_KIND
from arena.games.cheat.arrays.layout import ACTIONS, CLAIM_COUNTS, MACRO_PLAYS, MAX_MACRO_CLAIM
from arena.games.cheat.rules.cards import RANKS


def describe_array_action(encoding: str, action: int) -> str:
    """Return an action in words.

    >>> describe_array_action("steps", 4 + 13 * 12 + 2), describe_array_action("macro", 4 + 45 * 12 + 4)
    ('claim 2 x K', 'claim 2 x K, 1 of them true')
    """
    name, position = ACTIONS[encoding].locate(action)
    match name:
        case "claim":
            return f"claim {position % CLAIM_COUNTS} x {RANKS[position // CLAIM_COUNTS]}"
        case "card":
            return "lay a joker" if position == JOKER_KIND else f"lay one {RANKS[position]}"
        case "play":
            pair = position % MACRO_PLAYS
            count = max(count for count in range(MAX_MACRO_CLAIM + 1) if count * (count + 1) // 2 <= pair)
            return f"claim {count} x {RANKS[position // MACRO_PLAYS]}, {pair - count * (count + 1) // 2} of them true"
        case _:
            return name
