"""Checks a bot class before the first connection: it has every required method, and no method is misspelled.

A misspelled method would never be called. The bot would play on with the default answer, and nothing would show it.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from types import CodeType, FunctionType

from cheatarena.errors import BotClassError
from cheatarena.player import Player, game_base_class

SIMILAR = 0.82
"""From this similarity on (`difflib.SequenceMatcher.ratio`), a name counts as a misspelling of another name."""
VAGUELY_SIMILAR = 0.5
"""From this similarity on, a method may have been meant as the required method that the class lacks."""


def check_bot_class(bot_class: type[Player]) -> None:
    """Raise BotClassError if a class is no bot, has a misspelled method, or lacks a required one.

    Methods whose names begin with an underscore are never questioned, nor are helpers that the class itself uses.
    """
    if not _is_bot_class(bot_class):
        raise BotClassError(f"{_describe(bot_class)} is no bot: expected a class that derives from Bot or CheaterBot")
    faults = [*_find_misspelled(bot_class)]
    if not faults:
        faults = [*_find_missing(bot_class)]
    if faults:
        raise BotClassError("; ".join(faults))


def _is_bot_class(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Player) and hasattr(value, "game")


def _find_misspelled(bot_class: type[Player]) -> Iterator[str]:
    known = {_fold(name): name for name in _known_methods(bot_class)}
    for name in _own_methods(bot_class):
        nearest = get_close_matches(_fold(name), known, n=1, cutoff=SIMILAR)
        if nearest and not _is_used_by_others(name, bot_class):
            yield (
                f"{bot_class.__name__}.{name}() is never called: did you mean {known[nearest[0]]}()? "
                f"(If it is a helper, call it _{name}.)"
            )


def _find_missing(bot_class: type[Player]) -> Iterator[str]:
    plain = game_base_class(bot_class)
    for kind in bot_class.game.kinds.values():
        if not kind.is_required or getattr(bot_class, kind.method) is not getattr(plain, kind.method):
            continue
        similar = get_close_matches(kind.method, _own_methods(bot_class), n=1, cutoff=VAGUELY_SIMILAR)
        hint = f" instead of {similar[0]}()" if similar else ""
        yield f"{bot_class.__name__} has no {kind.method}(), which every {plain.__name__} needs: define it{hint}"


def _known_methods(bot_class: type[Player]) -> list[str]:
    """Return the public methods of the game's bot class."""
    plain = game_base_class(bot_class)
    return [name for name in dir(plain) if not name.startswith("_") and callable(getattr(plain, name))]


def _own_methods(bot_class: type[Player]) -> list[str]:
    """Return the names of the public methods that only the author's classes have."""
    plain = game_base_class(bot_class)
    return [
        name
        for each in bot_class.__mro__
        if each not in plain.__mro__
        for name, value in vars(each).items()
        if isinstance(value, FunctionType | classmethod) and not name.startswith("_") and not hasattr(plain, name)
    ]


def _is_used_by_others(name: str, bot_class: type[Player]) -> bool:
    """Return whether another method of the author's classes refers to a name. If so, the name is a helper's."""
    plain = game_base_class(bot_class)
    for each in bot_class.__mro__:
        for other, value in vars(each).items() if each not in plain.__mro__ else ():
            function = getattr(value, "__func__", value)
            if other != name and isinstance(function, FunctionType) and name in _names_in(function.__code__):
                return True
    return False


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that a function uses, also in the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _fold(name: str) -> str:
    """Return a name in lower case without underscores, so that callWindow and call_window are equal."""
    return name.replace("_", "").lower()


def _describe(value: object) -> str:
    return value.__name__ if isinstance(value, type) else f"{value!r}"
