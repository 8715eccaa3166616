"""Bots copy tables to try moves out, and use numbers of other packages. Both builds allow the same."""

import copy
import dataclasses

import pytest

from cheatarena import Rank
from cheatarena.cheater import CheaterBot
from cheatarena.testing import CheaterScript, Rehearsal, Script
from tests.sdk.stories import Onlooker, last_claim, table_after


class Number:
    """A number like those of numpy: an index, but no int."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def known_kings() -> Script:
    """Return a story after which seat 1 certainly holds KD and KH."""
    return Script(seats=3, jokers=0).deal("KC 2C 3C 4C").plays(2, "K", 2).calls(1, lie=False, shown="KD KH")


def test_copy_of_a_table_knows_the_same():
    table = table_after(known_kings().asks_turn("2 K", (1, 2)))

    copied = copy.deepcopy(table)

    assert copied.describe() == table.describe()
    assert copied.known_cards(1) == table.known_cards(1) != ()
    assert copied.explain_refusal(None, "NOT_IN_HAND") == table.explain_refusal(None, "NOT_IN_HAND") != ""


def test_copy_of_a_table_changes_alone():
    table = table_after(known_kings())

    copied = copy.deepcopy(table)
    copied.hand.remove([next(iter(copied.hand))])

    assert (len(copied.hand), len(table.hand)) == (3, 4)


def test_copy_of_a_table_learns_nothing_further():
    rehearsal, story = Rehearsal(Onlooker), known_kings()
    for message in story:
        rehearsal.take(message)
    before = rehearsal.table.describe()

    copied = copy.deepcopy(rehearsal.table)
    rehearsal.take(story.plays(1, "A", 1).messages[-1])

    assert copied.describe() == before != rehearsal.table.describe()


def test_copy_of_a_table_of_cheater_knows_the_same():
    rehearsal = Rehearsal(CheaterBot)
    for message in CheaterScript(3).deal("RC RH RE RE RA YC TAKE").rolls(0).takes_top(1, "BT"):
        rehearsal.take(message)

    copied = copy.deepcopy(rehearsal.table)

    assert copied.describe() == rehearsal.table.describe()
    assert copied.known_cards(1) == rehearsal.table.known_cards(1) != ()


def test_numbers_of_other_packages_are_seats_and_ranks():
    table = table_after(known_kings())
    seat, king = Number(1), Number(int(Rank.KING))

    assert table.known_cards(seat) == table.known_cards(1) != ()  # type: ignore[arg-type]  # as bots may do
    assert table.seen_cards(seat) == table.seen_cards(1) != ()  # type: ignore[arg-type]  # as bots may do
    assert table.unseen(king) == table.unseen(Rank.KING)  # type: ignore[arg-type]  # as bots may do


def test_bots_may_put_anything_into_a_claim():
    """Errors have the same class and text in both builds."""
    table = table_after(Script(seats=3, jokers=0).deal("KC KD KH 2C").plays(1, "K", 2))
    claim = last_claim(table)

    assert table.is_impossible(dataclasses.replace(claim, count=2.0, laid=2.0))  # type: ignore[arg-type]  # as bots may do
    with pytest.raises(TypeError, match="list indices must be integers or slices, not str"):
        table.is_impossible(dataclasses.replace(claim, rank="K"))  # type: ignore[arg-type]  # as bots may do
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'cards'"):
        table.is_impossible(None)  # type: ignore[arg-type]  # as bots may do
