"""The actions of the arrays in words."""

from arena.games.cheater.arrays.layout import ACTIONS, HIDING, OTHERS, PLAYS
from arena.games.cheater.rules.cards import NAMES


def describe_array_action(encoding: str, action: int) -> str:
    """Return an action in words, such as `choose RC`."""
    name, position = ACTIONS[encoding].locate(action)
    match name:
        case "card":
            return f"choose {NAMES[position]}"
        case "hide":
            return f"hide with {NAMES[HIDING[position]]}"
        case "play":
            card, wild_as = PLAYS[position // OTHERS]
            stands = "" if wild_as is None else f" as {wild_as.name}"
            return f"play {NAMES[card]}{stands} at the seat {position % OTHERS + 1} further"
        case "demand":
            return f"power 3 at the seat {position + 1} further"
        case _:
            return name.replace("_", " ")
