"""Names at the table."""

import pytest

from arena.bots.launch.naming import is_valid_name, number_duplicates, safe_name


@pytest.mark.parametrize(
    ("names", "told_apart"),
    [
        ([], []),
        (["A"], ["A"]),
        (["A", "B"], ["A", "B"]),
        (["A", "A"], ["A#1", "A#2"]),
        (["B", "A", "C", "A", "B"], ["B#1", "A#1", "C", "A#2", "B#2"]),
        (["A", "A#1", "A"], ["A#2", "A#1", "A#3"]),
    ],
)
def test_programs_with_same_name_are_numbered(names, told_apart):
    assert number_duplicates(names) == told_apart


def test_numbered_names_stay_short_and_distinct():
    """They have 32 characters at most, even where truncation makes two names equal."""
    names = ["x" * 32, "x" * 32, "x" * 31, "x" * 31]

    result = number_duplicates(names)

    assert len(set(result)) == 4
    assert max(map(len, result)) == 32


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("counter", "counter"),
        ("my bot!", "my bot"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\nb\x1b[2J", "a-b-2J"),
        ("žofie", "žofie"),
        ("Zoë & 李雷", "Zoë - 李雷"),
        ("हिन्दी", "हिन्दी"),
        ("a--b", "a--b"),
        ("c\u043eunter", "c-unter"),
        ("\U0001f600", "bot"),
        ("", "bot"),
        ("###", "bot"),
        ("x" * 40, "x" * 32),
        ("x" * 31 + "-y", "x" * 31),
    ],
)
def test_any_text_becomes_a_name(text, name):
    assert safe_name(text) == name
    assert is_valid_name(name)


@pytest.mark.parametrize("text", ["", " a", "a#1", "a/b", "x" * 33, "a\n", "e\u0301", "c\u043eunter", "a\u200bn"])
def test_text_outside_safe_set_is_no_name(text):
    assert not is_valid_name(text)
