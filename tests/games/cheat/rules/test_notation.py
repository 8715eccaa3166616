"""Actions and events as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import NotationError
from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Choose, Cut, Play
from arena.games.cheat.rules.cards import NAMES, read_card, read_cards
from arena.games.cheat.rules.game import CHEAT
from tests.games.cheat.rules.game_driver import lay, start_game

TEXTS: list[tuple[Action, str]] = [
    (PASS, "pass"),
    (CALL, "call"),
    (DECLINE, "decline"),
    (lay("7C KS", "K"), "2K 7CKS"),
    (lay("JK JK TD", "A"), "3A TDJKJK"),
    (lay("", "Q"), "0Q"),
    (lay("2C", "T", count=12), "12T 2C"),
    (lay("7C KS", "K", count=1), "1K 7CKS"),
    (lay("KS", "K", count=0), "0K KS"),
    (BELIEVE, "believe"),
    (Cut((18, 18, 16)), "cut 18,18,16"),
    (Cut((52,)), "cut 52"),
    (Cut(()), "cut"),
    (Choose(0), "choose 0"),
    (Choose(12), "choose 12"),
]


@pytest.mark.parametrize(("action", "text"), TEXTS)
def test_action_has_one_text(action: Action, text: str) -> None:
    """Text and action convert into each other."""
    assert CHEAT.write_action(action) == text
    assert CHEAT.read_action(text) == action


@given(
    st.builds(
        Play,
        st.binary(max_size=60).map(lambda raw: bytes(b % 53 for b in raw)),
        st.integers(0, 10**9 - 1),
        st.integers(0, 12),
    )
)
def test_every_play_round_trips_through_text(play: Play) -> None:
    """The cards come in any order, with matching and other counts."""
    assert CHEAT.read_action(CHEAT.write_action(play)) == play


@given(st.lists(st.integers(0, 10**9 - 1), max_size=12), st.integers(0, 10**9 - 1))
def test_every_cut_and_choice_round_trips_through_text(sizes: list[int], packet: int) -> None:
    """Sizes may be sensible or not."""
    for action in (Cut(tuple(sizes)), Choose(packet)):
        assert CHEAT.read_action(CHEAT.write_action(action)) == action


@given(
    st.one_of(
        st.text(alphabet="0123456789AJQKTCDHS pasclde\u0663+_", max_size=12),
        st.text(alphabet="01,2 -", max_size=6).map("cut".__add__),
        st.text(alphabet="01,2 -", max_size=6).map("choose".__add__),
    )
)
def test_only_canonical_text_is_accepted(text: str) -> None:
    """Accepted text is the exact text of its action."""
    try:
        action = CHEAT.read_action(text)
    except NotationError:
        return
    assert CHEAT.write_action(action) == text


NO_TEXTS = [
    *["", " ", "2", "K", "2K ", "2K 7", "2K  7C", "02K 7C", "-1K", "1X 7C", "1K 7X", "Pass", "play", "1K\n", "٣K"],
    *["cut ", "cut 1,", "cut ,1", "cut 01", "cut -1", "cut 1, 2"],
    *["choose", "choose ", "choose 1,2", "choose -1", "Believe"],
]


@pytest.mark.parametrize("text", NO_TEXTS)
def test_other_text_is_refused(text: str) -> None:
    """The error quotes the text."""
    with pytest.raises(NotationError) as refused:
        CHEAT.read_action(text)

    assert refused.value.text == text


@pytest.mark.parametrize(
    "action",
    [Play(bytes([54]), 1, 0), Play(b"", 0, 14), Play(b"", 0, -1), Play(b"", -1, 0), Cut((3, -1)), Choose(-1)],
)
def test_action_without_a_text_is_refused(action: Action) -> None:
    """It is never written as something else."""
    with pytest.raises(NotationError):
        CHEAT.write_action(action)


def test_unknown_cards_and_ranks_have_a_text_too() -> None:
    """A refused action is recorded like any other."""
    made_up = Play(bytes([0, 53]), 2, 13)

    assert CHEAT.write_action(made_up) == "2? AC??"
    assert CHEAT.read_action("2? AC??") == made_up


def test_codes_follow_the_canonical_order() -> None:
    """Ranks A to K, suits C D H S, jokers last."""
    assert NAMES[:5] == ("AC", "AD", "AH", "AS", "2C")
    assert (read_card("KS"), read_card("JK")) == (51, 52)
    with pytest.raises(NotationError, match="'1C'"):
        read_cards(["AC", "1C"])


def test_game_is_narrated_in_words() -> None:
    """Every kind of event has its sentence."""
    driver = start_game("4D 5C", "QS 9D", "2C 7C", rank_next=[], sealed=True)
    driver.play(0, "4D", "K")
    driver.call(2, 1)
    driver.leave(2)
    driver.play(0, "4D 5C", "K")
    driver.close_window()

    assert [CHEAT.describe_event(event) for event in driver.events] == [
        "seat 0 claims 1 x K and lays 4D: a lie",
        "the trick ends, seat 0 leads the next",
        "seat 1 calls seat 0 rightly: 4D; seat 0 takes 1",
        "seat 2 called too, but a nearer call counted",
        "seat 2 leaves with 2C 7C and takes place 3",
        "seat 0 claims 2 x K and lays 4D 5C: a lie, its hand is empty",
        "the trick ends, seat 1 leads the next",
        "last chance to call the move of seat 0",
        "nobody calls",
        "seat 0 takes place 1",
        "seat 1 takes place 2",
    ]


def test_other_rulesets_are_narrated_in_words_too() -> None:
    """They add beliefs, checked hands, banished piles and open cards."""
    driver = start_game(
        "4D 5C 6C", "KS", "2C 7C", opening_face_up=True, believe=True, honest_win=True, banish_on_new_trick=True
    )
    driver.play(0, "4D", "4")
    driver.play(1, "KS", "3")
    driver.play(1, "KS", "K")

    assert [CHEAT.describe_event(event) for event in driver.events] == [
        "seat 0 opens with 1 x 4 and lays 4D: true",
        "seat 1 claims 1 x 3 and lays KS: a lie, its hand is empty",
        "the empty hand of seat 1 is checked: its last move was a lie, it takes 2",
        "the trick ends, seat 2 leads the next",
    ]
    believed = start_game(
        "4D 5C 6C", "KS QD", "2C 7C", believe=True, honest_win=True, banish_on_new_trick=True, rank_next=[]
    )
    believed.play(0, "5C", "K")
    believed.act(2, BELIEVE)
    believed.play(0, "4D", "4")
    believed.act(1, BELIEVE)
    believed.play(0, "6C", "6")
    assert [CHEAT.describe_event(event) for event in believed.events] == [
        "seat 0 claims 1 x K and lays 5C: a lie",
        "the trick ends, seat 0 leads the next",
        "seat 2 believes seat 0 wrongly: 5C; seat 2 takes 1",
        "seat 0 claims 1 x 4 and lays 4D: true",
        "the trick ends, seat 0 leads the next",
        "seat 1 believes seat 0 rightly: 4D; 1 are banished",
        "seat 0 claims 1 x 6 and lays 6C: true, its hand is empty",
        "the trick ends, seat 1 leads the next",
        "the empty hand of seat 0 is checked: its last move was true",
        "seat 0 takes place 1",
        "the pile is banished: 6C",
    ]
