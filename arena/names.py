"""Names that people read: which characters they may have, and which names people would take for each other.

A name consists of letters, their marks and digits of any script, and of a few separators. All of it is visible, and
safe in paths, in commands and in tables. Letters of several scripts mix only as Unicode's "highly restrictive" profile
allows (UTS 39, section 5.2): Latin with Chinese, Japanese or Korean. So a Cyrillic letter cannot pass for a Latin one
inside a word.

A name in one script can still look like a name in another, such as Cyrillic and Latin `a`. `fold_look_alikes` maps
letters of Cyrillic, Greek, Armenian and Latin that look like a Latin letter or digit to that one. The letters were
chosen by eye, following the idea of UTS 39, section 4; its list `confusables.txt` is far longer. For a letter whose
capital and small form look like different Latin letters, the small form decides.
"""

import unicodedata
from contextlib import suppress
from functools import lru_cache
from typing import Final

MAX_NAME_LENGTH: Final = 32
SEPARATORS: Final = " ._+#-"
_MAX_MARKS: Final = 3
"""The most marks on one letter, its own accents included. More of them would cover the lines above and below."""
_OVERLAY: Final = 1
"""The combining class of marks that strike a letter through. No language writes its letters with them."""
_INVISIBLE: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u180b\u180c\u180d\u180f"
    + "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
)
"""Letters and marks that are not shown (`Default_Ignorable_Code_Point`)."""
_HAN: Final = frozenset({"LATIN", "CJK"})
_SCRIPTS_THAT_MIX: Final = (_HAN | {"HIRAGANA", "KATAKANA"}, _HAN | {"HANGUL"}, _HAN | {"BOPOMOFO"})
_COMMON: Final = frozenset(
    {"DIGIT", "COMBINING", "KATAKANA-HIRAGANA", "IDEOGRAPHIC", "MIDDLE", "SUPERSCRIPT", "SUBSCRIPT"}
)
"""First words of the names of characters that belong to no single script."""

HOUSE_PREFIX: Final = "house-"
"""The name of a house bot at the table is this prefix and the name of its program."""

_LOOK_ALIKES: Final = str.maketrans(
    {"0": "o", "1": "l", "i": "l", "2": "z", "5": "s", "8": "b"}
    | dict(zip("ıɑɡɩʟ", "lagll", strict=True))
    | dict(zip("авекмнорстухіјѕһԁԛԝьгпӏґєз", "abekmhopctyxljshdqwbrnlre3", strict=True))
    | dict(zip("αβγεζηικμνορστυχω", "abyeznlkuvopotuxw", strict=True))
    | dict(zip("\u0585\u057d\u0578\u0581\u0570\u0566", "ounghq", strict=True))
)
_LOOK_ALIKE_PAIRS: Final = (("rn", "m"), ("vv", "w"))


def is_readable_name(text: str, separators: str = SEPARATORS) -> bool:
    """Return whether a text in the form NFC is a name: 1 to 32 characters, with a letter or digit at both ends.

    >>> [is_readable_name(each) for each in ("Zoë", "李雷", "bot 1", "c\u043eunter", "a/b", "")]
    [True, True, True, False, False, False]
    """
    if not 1 <= len(text) <= MAX_NAME_LENGTH or not unicodedata.is_normalized("NFC", text):
        return False
    parts = unicodedata.normalize("NFD", text)
    kinds = "".join("-" if each in separators else _kind_of(each) for each in parts)
    if "?" in kinds or kinds[0] not in "LN" or kinds[-1] == "-" or "M" * (_MAX_MARKS + 1) in kinds or "-M" in kinds:
        return False
    return not has_mixed_scripts(text)


def has_mixed_scripts(text: str) -> bool:
    """Return whether the letters, marks and digits of a text are of scripts that people do not write together.

    >>> [has_mixed_scripts(each) for each in ("bot_1.py", "李雷 bot", "c\u043eunter")]
    [False, False, True]
    """
    scripts = {_script_of(each) for each in text if _kind_of(each) != "?"} - _COMMON
    return len(scripts) > 1 and not any(scripts <= together for together in _SCRIPTS_THAT_MIX)


def has_hidden_characters(text: str) -> bool:
    r"""Return whether a text has characters that are not shown, such as line ends, or that turn the direction of text.

    >>> [has_hidden_characters(each) for each in ("bot 1.py", "bot\n.py", "bot\u202e.py", "bot\u3164.py")]
    [False, True, True, True]
    """
    return not text.isprintable() or not _INVISIBLE.isdisjoint(text)


def fold_look_alikes(name: str, ignored: str = "") -> str:
    """Return a text that is the same for all names that look alike.

    Capitals, accents, strokes and `ignored` do not count.

    >>> fold_look_alikes("Corn-1", ignored="-"), fold_look_alikes("\u04410m-i"), fold_look_alikes("Zoë")
    ('coml', 'com-l', 'zoe')
    """
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    bare = "".join(_bare_letter(each) for each in parts if not "\u0300" <= each <= "\u036f" and each not in ignored)
    letters = unicodedata.normalize("NFC", bare.translate(_LOOK_ALIKES))
    for pair, letter in _LOOK_ALIKE_PAIRS:
        letters = letters.replace(pair, letter)
    return letters


def is_arena_name(name: str) -> bool:
    """Return whether a name is, or looks like, one that only a server gives: to a house bot or to a hidden entrant.

    >>> [is_arena_name(each) for each in ("house-ann", "H0use.ann", "entrant 2", "ann", "entrant x")]
    [True, True, True, False, False]
    """
    skeleton = fold_look_alikes(name, SEPARATORS)
    hidden = skeleton.removeprefix("entrant")
    is_hidden_entrant = skeleton != hidden != "" and set(hidden) <= set(fold_look_alikes("0123456789"))
    return is_hidden_entrant or skeleton.startswith(fold_look_alikes(HOUSE_PREFIX, SEPARATORS))


@lru_cache(4096)
def _bare_letter(letter: str) -> str:
    """Return the small letter without its stroke, hook or tail, also of a small capital.

    Unicode calls them `SMALL LETTER O WITH STROKE`, `LETTER SMALL CAPITAL O` and the like.
    """
    name = unicodedata.name(letter, "")
    bare = name.partition(" WITH ")[0].replace("LETTER SMALL CAPITAL", "SMALL LETTER")
    with suppress(KeyError):
        return unicodedata.lookup(bare) if bare != name else letter
    return letter


def _kind_of(character: str) -> str:
    """Return L for a letter, M for a mark, N for a digit, and ? for all that a name may not have."""
    kind = unicodedata.category(character)
    is_hidden = character in _INVISIBLE or unicodedata.combining(character) == _OVERLAY
    if is_hidden or kind not in ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd"):
        return "?"
    return kind[0]


def _script_of(character: str) -> str:
    """Return the script: the first word of the character's name in Unicode, such as `LATIN` or `CJK`."""
    return unicodedata.name(character, "UNKNOWN").split()[0]
