"""The effect of each option's facts and prompts on a table and a bot, worked out by hand from the rules."""

from typing import Any

import pytest

from cheatarena import Believe, Bot, BotError, Call, Choose, Cut, Decline, Pass, Play, Rank
from cheatarena.testing import Script, play_through
from tests.sdk.stories import Onlooker, last_claim, table_after, text
from tests.sdk.test_options import options

HIDDEN = {"count_lies": True, "sizes_visible": False}


def started_story(**rules: Any) -> Script:
    """Deal seat 0 of three a hand; every other seat gets the same number of cards."""
    return Script(seats=3, jokers=0, rules=rules).deal("AS 2S 3S 4S")


# ---- numbers


def test_hidden_sizes_are_none_except_the_own_one():
    table = table_after(started_story(**HIDDEN).plays(1, "K", 3, count=1))

    assert table.hand_sizes == (4, None, None)
    assert (table.pile_size, table.pile_claimed, table.banished_size) == (None, 1, None)
    assert last_claim(table).laid is None


def test_empty_hand_is_never_hidden():
    assert table_after(started_story(**HIDDEN).plays(1, "K", 4, count=1)).hand_sizes == (4, 0, None)


def test_claim_of_another_number_than_laid_is_never_true():
    story = started_story(count_lies=True).plays(1, "K", 2, count=1)

    assert table_after(story).is_impossible(last_claim(table_after(story)))


def test_own_count_lies_are_known():
    table = table_after(started_story(**HIDDEN).plays(0, "A", "AS 2S", count=1))

    assert (table.hand_sizes[0], table.pile_size, last_claim(table).laid) == (2, 2, 2)


# ---- public cards and banished cards


def test_face_up_cards_are_known():
    table = table_after(started_story(opening_face_up=True).plays(1, "K", "KC KD", face_up=True))

    assert text(table.known_pile) == text(last_claim(table).cards or ()) == "KC KD"
    assert table.unseen(Rank.KING) == 2


def test_believed_true_move_removes_the_pile_from_the_game():
    table = table_after(
        started_story(believe=True).plays(0, "A", "AS").plays(1, "A", 1).believes(2, lie=False, shown="AC")
    )

    assert text(table.known_banished) == "AC AS"
    assert (table.pile_size, table.banished_size, table.hand_sizes) == (0, 2, (3, 3, 4))


def test_believer_of_a_lie_takes_the_pile():
    table = table_after(started_story(believe=True).plays(1, "A", 1).believes(0, lie=True, shown="7C", taken="7C"))

    assert text(table.hand) == "AS 2S 3S 4S 7C"
    assert table.hand_sizes == (5, 3, 4)


def test_pile_of_a_finished_trick_leaves_the_game():
    table = table_after(started_story(banish_on_new_trick=True).plays(0, "A", "AS").plays(1, "A", 1).banishes())

    assert (text(table.known_banished), table.banished_size, table.claims) == ("AS", 2, ())


@pytest.mark.parametrize(("lie", "sizes"), [(True, (4, 4, 4)), (False, (4, 0, 4))])
def test_liar_whose_hand_was_checked_takes_the_pile(lie, sizes):
    assert table_after(started_story(honest_win=True).plays(1, "K", 4).checks_hand(lie=lie)).hand_sizes == sizes


def test_required_rank_rotates():
    story = started_story(rank_mode="rotation")
    after_king = started_story(rank_mode="rotation").plays(1, "K", 1)

    assert table_after(story).required_rank == Rank.ACE
    assert table_after(after_king).required_rank == Rank.ACE
    assert table_after(started_story()).required_rank is None


# ---- questions


def test_deck_is_cut_evenly_and_the_thinnest_packet_taken():
    story = Script(seats=3).asks_cut(3, 52).cuts(1, (10, 20, 22)).chooses(2, 0).asks_choose((10, 20, 22), (1, 2))
    table = table_after(story)

    assert play_through(Onlooker, story) == [Cut((17, 17, 18)), Choose(1)]
    assert [(each.size, each.taker) for each in table.packets] == [(10, 2), (20, None), (22, None)]
    assert table.dealer == 1


class Careful(Bot):
    """Calls moves of one card, and believes moves of two if that is legal."""

    def turn(self, table, options):
        return options.pass_() or options.smallest_lie()

    def call_window(self, table, claim):
        if claim.count == 1:
            return Call()
        return Believe() if table.can_believe else Decline()


class Unhurried(Careful):
    """Does the same with asynchronous methods."""

    async def turn(self, table, options):
        return super().turn(table, options)

    async def call_window(self, table, claim):
        return super().call_window(table, claim)


@pytest.mark.parametrize("bot", [Careful, Unhurried])
@pytest.mark.parametrize(
    ("count", "can_believe", "answer"), [(1, False, Call()), (2, True, Believe()), (2, False, Pass())]
)
def test_call_method_is_asked_first_where_a_turn_may_call(bot, count, can_believe, answer):
    story = started_story().plays(1, "K", count).asks_turn("K", can_pass=True, can_call=True, can_believe=can_believe)

    assert play_through(bot, story) == [answer]


def test_turn_may_itself_call():
    class Alone(Bot):
        def turn(self, table, options):
            return Call() if options.can_call else options.smallest_lie()

    assert play_through(Alone, started_story().plays(1, "K", 1).asks_turn("K", can_call=True)) == [Call()]


@pytest.mark.parametrize("asked", [lambda s: s.asks_turn("K"), lambda s: s.asks_window()], ids=["turn", "window"])
def test_answer_that_is_not_offered_is_refused(asked):
    class Believer(Bot):
        def turn(self, table, options):
            return Believe()

        def call_window(self, table, claim):
            return Believe()

    with pytest.raises(BotError, match=r"returned Believe.*, expected (Play or Pass|Call or Decline)"):
        play_through(Believer, asked(started_story().plays(1, "K", 2)))


# ---- ready-made choices


def test_face_up_openings_are_true_sets_with_a_natural_card():
    offered = options("KC KD 2C JK", "A 2 K", (1, 3), face_up=True)

    assert [str(play) for play in offered.honest_plays()] == [
        "2C as 2", "2C JK as 2", "KC as K", "KC KD as K", "KC KD JK as K",
    ]  # fmt: skip
    assert str(offered.smallest_lie()) == "2C as 2"
    assert offered.plays_of((52,)) == []
    assert str(options("JK JK", "A 2", (1, 2), face_up=True).largest_honest()) == "JK JK as A"


def test_count_lies_stay_within_what_may_be_laid():
    offered = options("2C 3C 4C", "K", (3, 4), laid=(2, 3))

    assert str(offered.smallest_lie()) == "2C 3C 4C as K"
    assert [str(play) for play in offered.plays_of((4, 8))] == ["2C 3C as 3 x K", "2C 3C as 4 x K"]
    assert offered.plays_of((4,)) == []
    assert Play.of("2C 3C", "K", count=3).claimed == 3
