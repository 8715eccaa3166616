"""The kinds of trouble as they are typed."""

import pytest

from arena.author.trouble.trouble import DESCRIPTIONS, KINDS, Trouble, parse_kinds
from arena.errors import OptionError, UnknownNameError


def test_kinds_are_played_in_their_own_order():
    assert parse_kinds("drops, delay,drops") == [Trouble.DELAY, Trouble.DROPS]


def test_all_means_every_kind_but_the_quiet_one():
    assert parse_kinds("all") == KINDS
    assert Trouble.QUIET not in KINDS


def test_misspelled_kind_is_refused_with_a_hint():
    with pytest.raises(UnknownNameError, match="did you mean restarts"):
        parse_kinds("delay,restart")


def test_an_empty_list_is_refused():
    with pytest.raises(OptionError, match="delay, jitter"):
        parse_kinds(",")


def test_every_kind_is_described():
    assert set(DESCRIPTIONS) == set(Trouble)
