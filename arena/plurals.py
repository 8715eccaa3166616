"""Numbers with their nouns, in the singular or the plural, for every text that people read."""

_HISSING = ("s", "x", "ch", "sh")


def format_count(number: float, noun: str, form: str = "") -> str:
    """Return a number with its noun in the singular or plural. `form` is the format of the number, as in an f-string.

    >>> format_count(1, "card"), format_count(2, "match"), format_count(0, "entry"), format_count(1500, "game", ",")
    ('1 card', '2 matches', '0 entries', '1,500 games')
    """
    shown = format(number, form)
    return f"{shown} {noun if shown == '1' else _to_plural(noun)}"


def format_subject(number: int, noun: str) -> str:
    """Return a number with its noun and the verb "to be".

    >>> format_subject(1, "game"), format_subject(2, "game")
    ('1 game is', '2 games are')
    """
    return f"{format_count(number, noun)} {'is' if number == 1 else 'are'}"


def format_ordinal(number: int) -> str:
    """Return a whole number as a place in an order.

    >>> [format_ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '102nd']
    """
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _to_plural(noun: str) -> str:
    if noun.endswith(_HISSING):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"
