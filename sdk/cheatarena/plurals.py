"""Numbers with their nouns, in the singular or the plural, for every text that people read."""


def format_count(number: float, noun: str) -> str:
    """Return a number with its noun in the singular or plural.

    >>> format_count(1, "card"), format_count(2, "match"), format_count(0.5, "second")
    ('1 card', '2 matches', '0.5 seconds')
    """
    plural = f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"
    return f"{number:g} {noun if number == 1 else plural}"
