"""Names: one canonical form, one script, and no two owners with names that people would confuse."""

import pytest

from arena.errors import OptionError
from arena.server.store.taken_names import name_skeleton, normalize_name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("c\u043eunter", id="cyrillic-o"),
        pytest.param("\u0391nn", id="greek-alpha"),
        pytest.param("ann ", id="trailing-space"),
        pytest.param("ann\u3000", id="trailing-wide-space"),
        pytest.param(" ann", id="leading-space"),
        pytest.param("an\u200bn", id="invisible-space"),
        pytest.param("an\tn", id="tab"),
        pytest.param("ann\n", id="newline"),
        pytest.param("a" + "\u0323\u0302\u0301\u0300" * 2, id="many-accents"),
        pytest.param("\u00e1\u0300\u0302\u0303nn", id="accents-on-an-accented-letter"),
        pytest.param("a\u0336nn", id="struck-through"),
        pytest.param("a\u202enn", id="turned-round"),
        pytest.param("an\u3164n", id="invisible-letter"),
        pytest.param("ann\U0001f600", id="picture"),
        pytest.param("a/b", id="path"),
        pytest.param("cat_ann", id="like-a-token"),
        pytest.param("cai_ann", id="like-an-invitation"),
    ],
)
def test_mixed_scripts_and_hidden_characters_are_refused_in_one_sentence(name):
    with pytest.raises(OptionError, match="1 to 32 letters and digits of one script") as refused:
        normalize_name(name)

    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("house-honest", "h\u1d0fu\ua731\u1d07-\u029c\u1d0f\u0274\u1d07\ua731\u1d1b"),
        ("counter", "Counter"),
        ("counter", "c0unter"),
        ("counter", "coun-ter"),
        ("bot 1", "bot-l"),
        ("bot 1", "BOTI"),
        ("sam", "5am"),
        ("corner", "comer"),
        ("wave", "vvave"),
        ("a.b_c", "abc"),
        ("Zo\u00eb", "zoe"),
        ("\u0441\u043e\u0440", "cop"),
        ("d\u00f8g", "dog"),
        ("\u0111og", "dog"),
        ("\u01b6oe", "zoe"),
        ("\u0253ob", "bob"),
        ("\u039f\u03a7", "ox"),
        ("\u0585\u0578", "on"),
    ],
)
def test_names_that_look_alike_have_the_same_skeleton(one, other):
    assert name_skeleton(one) == name_skeleton(other)


@pytest.mark.parametrize(("one", "other"), [("ann", "anna"), ("bot 3", "bot 4"), ("rusher", "crusher")])
def test_other_names_have_other_skeletons(one, other):
    assert name_skeleton(one) != name_skeleton(other)


@pytest.mark.parametrize(
    "name", ["Zo\u00eb", "M\u00fcller", "\u674e\u96f7", "\u0418\u0432\u0430\u043d", "\u65e5\u672c bot"]
)
def test_names_of_any_script_are_accepted_as_they_are(name):
    assert normalize_name(name) == name


def test_composed_and_decomposed_names_are_one_name():
    assert normalize_name("Zoe\u0308") == normalize_name("Zo\u00eb") == "Zo\u00eb"
