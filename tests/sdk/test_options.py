"""The options of a turn, and the ready-made answers."""

import random

import pytest

from cheatarena import Pass, Play, Rank, TurnOptions, cards
from cheatarena.cheat.legal import read_turn
from cheatarena.testing import Script, TurnRights
from cheatarena.v1 import cheat_pb2
from tests.sdk.stories import table_after, text


def options(hand: str, ranks: str = "A K", counts=(1, 4), **fields) -> TurnOptions:
    """Return the options of a turn with this hand; all other arguments are fields of CheatTurn."""
    known = bytes(sorted(Rank.of(rank) for rank in ranks.split()))
    turn = cheat_pb2.CheatTurn(ranks=known, counts=counts, **fields)
    return TurnOptions(read_turn(turn), table_after(Script(seats=3).deal(hand)))


def test_ranks_and_counts_read_as_lists():
    offered = options("KC KD", counts=(1, 3, 5, 6), zero=True)

    assert offered.ranks == (Rank.ACE, Rank.KING)
    assert offered.counts == (1, 2, 3, 5, 6)
    assert [count for count in range(8) if offered.allows(count)] == [0, 1, 2, 3, 5, 6]
    assert not offered.starts_trick


def test_honest_plays_are_one_per_rank_and_count_natural_cards_first():
    plays = options("AS KC KD JK 2C").honest_plays()

    assert [str(play) for play in plays] == ["AS as A", "AS JK as A", "KC as K", "KC KD as K", "KC KD JK as K"]
    assert all(play.is_honest for play in plays)


@pytest.mark.parametrize(
    ("hand", "counts", "jokers", "expected"),
    [
        ("AS KC KD 2C", (1, 4), True, "KC KD as K"),
        ("AS KC KD JK", (1, 4), True, "KC KD JK as K"),
        ("AS KC KD JK", (1, 4), False, "KC KD as K"),
        ("AS AC KC KD", (1, 4), True, "AC AS as A"),
        ("AS KC KD KH", (1, 2), True, "KC KD as K"),
        ("KC KD KH 2C", (1, 1, 4, 4), True, "KC as K"),
        ("KC KD JK 2C", (3, 3), True, "KC KD JK as K"),
        ("JK 2C 3C 4C", (1, 4), True, "JK as A"),
    ],
)
def test_largest_honest_play(hand, counts, jokers, expected):
    assert str(options(hand, counts=counts).largest_honest(jokers=jokers)) == expected


@pytest.mark.parametrize(("hand", "counts"), [("2C 3C 4C", (1, 4)), ("KC 2C 3C", (2, 3))])
def test_there_may_be_no_honest_play(hand, counts):
    assert options(hand, counts=counts).largest_honest() is None
    assert options(hand, counts=counts).honest_plays() == []


@pytest.mark.parametrize(
    ("hand", "counts", "expected"),
    [
        ("2C 3C 3D 4C 4D", (1, 4), "2C as A"),
        ("3C 3D 4C KC KD", (2, 4), "3C 4C as K"),
        ("KC KD 3C JK", (1, 1), "3C as K"),
        ("KC JK", (2, 2), "KC JK as K"),
    ],
)
def test_smallest_lie_is_small_and_lays_the_least_useful_cards(hand, counts, expected):
    assert str(options(hand, counts=counts).smallest_lie()) == expected


def test_smallest_lie_lays_no_cards_where_none_may_be_laid():
    assert options("2C", counts=(), zero=True).smallest_lie() == Play((), Rank.ACE)
    assert options("2C", counts=(), can_pass=True).smallest_lie() == Pass()


def test_pass_and_zero_play_are_offered_only_where_legal():
    assert options("2C").pass_() is None
    assert options("2C").zero_play() is None
    assert options("2C", can_pass=True).pass_() == Pass()
    assert options("2C", zero=True).zero_play(Rank.KING) == Play((), Rank.KING)


def test_plays_of_given_cards_are_one_per_rank():
    plays = options("2C 3C").plays_of(cards("2C 3C"))

    assert [str(play) for play in plays] == ["2C 3C as A", "2C 3C as K"]
    assert options("2C 3C", counts=(1, 1)).plays_of(cards("2C 3C")) == []


def test_random_plays_are_legal_and_repeatable():
    offered = options("2C 3C 4C KD JK", counts=(2, 3), zero=True)
    rng = random.Random(5)
    plays = [offered.random_play(rng) for _ in range(50)]

    assert {len(play.cards) for play in plays if isinstance(play, Play)} == {0, 2, 3}
    assert all(isinstance(play, Play) and offered.hand.has(play.cards) for play in plays)
    assert offered.random_play(random.Random(7)) == offered.random_play(random.Random(7))


def test_hand_of_several_packs_lists_equal_cards_separately():
    story = Script(seats=3, decks=2).deal("KC KC KD JK")
    hand = table_after(story).hand

    assert text(hand.of(Rank.KING)) == "KC KC KD"
    assert (hand.count(Rank.KING), hand.copies(cards("KC")[0]), hand.jokers, len(hand)) == (3, 2, 1, 4)
    assert hand.has(cards("KC KC"))
    assert not hand.has(cards("KC KC KC"))
    assert not hand.has((53,))


# ---- a turn in a script


def test_script_can_ask_every_kind_of_turn():
    """The message has two fields that are arguments of their own: ranks and numbers."""
    fields = {field.name for field in cheat_pb2.CheatTurn.DESCRIPTOR.fields}
    story = Script(seats=3).deal("KS KD").asks_turn("A K", [1, 2], zero=True, laid=[1, 3], can_pass=True, can_call=True)

    assert TurnRights.__annotations__.keys() == fields - {"ranks", "counts"}
    assert story.messages[-1].prompts[0].cheat_turn == cheat_pb2.CheatTurn(
        ranks=bytes([0, 12]), counts=[1, 2], zero=True, laid=[1, 3], can_pass=True, can_call=True
    )


def test_script_refuses_a_right_that_no_turn_has():
    with pytest.raises(TypeError, match=r"asks_turn\(\) has no 'can_fly', expected zero, can_pass, opens, "):
        Script(seats=3).deal("KS").asks_turn(can_fly=True)  # type: ignore[call-arg]  # such a mistake is the test


# ---- what is legal instead


@pytest.mark.parametrize(
    ("fields", "play", "why"),
    [
        ({}, Play.of("KS", "K"), ""),
        ({}, Play.of("KS", "2"), "2 may not be claimed, only A or K"),
        ({"ranks": "A 2 3"}, Play.of("KS", "K"), "K may not be claimed, only A or 2 or 3"),
        ({"counts": (2, 3)}, Play.of("KS", "K"), "1 card may not be claimed, only 2 to 3"),
        ({"counts": (1, 1, 3, 3), "zero": True}, Play.of("KS KD", "K"), "2 cards may not be claimed, only 0 or 1 or 3"),
        ({}, Play.of("KS", "K", count=2), "it claims 2 cards and lays 1, but must lay as many as it claims"),
        ({"laid": (2, 2)}, Play.of("KS", "K"), "1 card may not be laid, only 2 cards"),
        ({"laid": (1, 1)}, Play.of("KS KD", "K"), "2 cards may not be laid, only 1 card"),
        ({"laid": (2, 3)}, Play.of("KS", "K"), "1 card may not be laid, only 2 to 3 cards"),
        ({"face_up": True}, Play.of("2C", "K"), "the cards lie face up and must be true: lay K or jokers"),
        ({}, Play.of("KS KS", "K"), "your hand does not have KS; it has 2C KD KS"),
    ],
)
def test_illegal_play_is_told_what_is_legal_instead(fields, play, why):
    assert options("KS KD 2C", **fields).why_illegal(play) == why


def test_large_hand_is_not_repeated():
    hand = " ".join(f"{rank}{suit}" for rank in "A23456" for suit in "CDHS")

    assert options(hand).why_illegal(Play.of("KS", "K")) == "your hand does not have KS"


def test_jokers_alone_may_not_lie_face_up_beside_other_cards():
    offered = options("JK JK 2C", face_up=True)

    assert offered.why_illegal(Play.of("JK", "K")) == (
        "the cards lie face up and must be true: lay K or jokers, and jokers alone only if the hand has no other cards"
    )


@pytest.mark.parametrize("seed", range(20))
def test_every_ready_made_play_is_legal(seed):
    rng = random.Random(seed)
    offered = options("KS KD 2C JK", zero=True, laid=rng.choice([(), (1, 3)]))
    made = [offered.random_play(rng), offered.smallest_lie(), *offered.honest_plays(), *offered.plausible_lies()]
    plays = [play for play in made if isinstance(play, Play)]

    assert len(plays) > 2
    assert {offered.why_illegal(play) for play in plays} == {""}
