"""Each row of an observation of Cheat says what the views of the rules say, and what a seat was shown."""

from random import Random

import pytest

from arena.envs.env_spec import resolve_spec
from arena.games.cheat.arrays.layout import ACTIONS, OBSERVATION
from arena.games.cheat.arrays.seat_memory import SeatMemory
from arena.games.cheat.arrays.words import describe_array_action
from arena.games.cheat.rules.cards import RANKS, cards_from_hand, hand_from_cards, read_cards
from arena.games.cheat.rules.events import Believed, Called, Dealt, HandChecked, Passed, PileBanished, Played
from arena.games.cheat.rules.ruleset import CheckMode
from arena.games.cheat.rules.state import Phase
from arena.games.cheat.rules.views import snapshot
from arena.match.game import Seat
from tests.support.env_rules import begin_table, draw_rules, play_on


def row(observation, name):
    """Return the values of a row as signed numbers."""
    return [value - 256 if value > 127 else value for value in observation[OBSERVATION.slice_of(name)]]


def by_rank(codes):
    """Return how many cards of each rank, and jokers, there are."""
    counts = [0] * 14
    for code in codes:
        counts[code >> 2] += 1
    return counts


def clockwise(values, seat, unused=0):
    """Return values by seat as the observer counts seats, in ten numbers."""
    turned = [*values[seat:], *values[:seat]]
    return turned + [unused] * (10 - len(turned))


def one_hot(size, index):
    return [int(each == index) for each in range(size)]


def seat_row(seat, observer, seats):
    return one_hot(10, None if seat is None else (seat - observer) % seats)


def claim_rows(observation, name):
    return row(observation, f"{name}_rank"), row(observation, f"{name}_count"), row(observation, f"{name}_seat")


def expected_claim(claim, observer, seats):
    if claim is None:
        return [0] * 13, [0], [0] * 10
    return one_hot(13, claim.rank), [claim.count], seat_row(claim.seat, observer, seats)


@pytest.mark.parametrize("seed", range(12))
def test_rows_agree_with_the_views_of_the_rules(seed):
    random = Random(seed)
    spec = resolve_spec(*draw_rules(random))
    table, seats = begin_table(spec, seed), spec.seats
    for _ in play_on(table, random):
        observer = Seat(random.randrange(seats))
        found, view, state = table.observe(observer), snapshot(table.state, observer), table.state
        hidden = [-1 if size is None else size for size in view.hand_sizes]
        assert row(found, "hand") == by_rank(cards_from_hand(view.hand or ()))
        assert row(found, "seats") == [seats]
        assert row(found, "sizes") == clockwise(hidden, observer)
        assert row(found, "places") == clockwise(list(view.places), observer)
        assert row(found, "passed") == clockwise([int(seat in view.passed) for seat in range(seats)], observer)
        assert row(found, "to_move") == seat_row(view.to_move, observer, seats)
        layers = [layer.laid or 0 for layer in view.pile]
        is_hidden = not spec.ruleset.sizes_visible
        assert row(found, "pile") == [-1 if is_hidden else sum(layers)]
        assert row(found, "banished") == [-1 if view.banished is None else view.banished]
        assert row(found, "pile_known") == by_rank(code for layer in view.pile for code in layer.cards or b"")
        assert claim_rows(found, "lead") == expected_claim(view.prev, observer, seats)
        assert claim_rows(found, "last") == expected_claim(view.last, observer, seats)
        assert row(found, "required_rank") == one_hot(13, view.required_rank)
        if table.seat != observer:
            phase = 0 if state.phase is Phase.TURN else 2 if state.closing else 1
            assert row(found, "phase") == one_hot(4, phase)


@pytest.mark.parametrize("seed", range(12))
def test_what_a_seat_knows_of_others_is_true(seed):
    """A seat knows at least so many cards: they are there, whatever the rules reveal."""
    random = Random(seed)
    spec = resolve_spec(*draw_rules(random))
    table = begin_table(spec, seed)
    for _ in play_on(table, random):
        state = table.state
        for observer in range(spec.seats):
            found = table.observe(observer)
            known = row(found, "known")
            for place in range(spec.seats - 1):
                held = by_rank(cards_from_hand(state.hands[(observer + place + 1) % spec.seats]))
                assert all(a <= b for a, b in zip(known[14 * place : 14 * place + 14], held, strict=True))
            banished = by_rank(cards_from_hand(state.banished))
            assert all(a <= b for a, b in zip(row(found, "banished_known"), banished, strict=True))


def played(seat, cards, rank, count=None, face_up=False, sizes_visible=True):
    codes = read_cards(cards.split())
    number = len(codes) if count is None else count
    return Played(Seat(seat), codes, RANKS.index(rank), number, False, None, face_up, sizes_visible)


def cards(text):
    return hand_from_cards(read_cards(text.split()))


def known(memory, observer, seat):
    """Return the cards that an observer knows to be with a seat, as text."""
    counts = memory.known[observer][(seat - observer) % memory.seat_count - 1]
    return "".join(rank * count for rank, count in zip(RANKS + "*", counts, strict=True))


def memory_of(*events):
    memory = SeatMemory(3)
    hands = ("AC 2C 3C KC KD KH", "4C 5C 6C 7C 8C JK", "9C 9D TC JC QC QD")
    memory.follow([Dealt(tuple(cards(hand) for hand in hands), Seat(0), Seat(2), True)])
    memory.follow(events)
    return memory


def called(check=CheckMode.PUBLIC, taker=1):
    """Seat 1 plays 4C on the KC and AC of seat 0, and seat 2 calls rightly."""
    return (
        played(0, "AC KC", "K"),
        played(1, "4C", "K"),
        Called(Seat(2), Seat(1), True, read_cards(["4C"]), check, Seat(taker), cards("AC KC 4C"), None, True),
    )


@pytest.mark.parametrize(
    ("check", "first", "last"),
    [
        (CheckMode.ARBITER, "AK", ""),
        (CheckMode.CALLER, "AK", "4"),
        (CheckMode.PUBLIC, "A4K", "4"),
        (CheckMode.PUBLIC_PLUS, "A4K", "A4K"),
    ],
)
def test_taken_pile_is_known_as_far_as_it_was_shown(check, first, last):
    """Seat 0 knows the cards that it laid, and seat 2, which called, what the check shows to callers."""
    memory = memory_of(*called(check))

    assert known(memory, 0, 1) == first
    assert known(memory, 2, 1) == last


def test_cards_laid_face_down_may_be_any_of_the_known_ones():
    memory = memory_of(*called(), played(1, "5C", "5"))

    assert known(memory, 0, 1) == ""

    memory = memory_of(*called(CheckMode.PUBLIC_PLUS), played(0, "KD KH", "K"), *called(CheckMode.PUBLIC_PLUS)[2:])
    assert known(memory, 2, 1) == "A4KKK"
    memory.follow([played(1, "5C", "5")])
    assert known(memory, 2, 1) == "KK"


def test_cards_laid_open_are_the_only_ones_that_are_gone():
    memory = memory_of(*called(), played(1, "4C", "4", face_up=True))

    assert known(memory, 0, 1) == "AK"


def test_nothing_is_sure_after_a_move_of_hidden_size():
    memory = memory_of(*called(), played(1, "5C", "5", sizes_visible=False))

    assert known(memory, 0, 1) == ""


def test_banished_pile_is_known_as_far_as_it_was_shown():
    pile = cards("AC KC 4C")
    believed = Believed(Seat(2), Seat(1), True, read_cards(["4C"]), CheckMode.PUBLIC, pile, None, True)

    memory = memory_of(*called()[:2], believed)
    assert memory.banished_size == 3
    assert [each.to_bytes(14, "little")[3] for each in memory.banished_known] == [1, 1, 1]
    assert [each.to_bytes(14, "little")[0] for each in memory.banished_known] == [1, 0, 0]

    memory = memory_of(*called()[:2], PileBanished(pile, True))
    assert [each.to_bytes(14, "little")[3] for each in memory.banished_known] == [0, 1, 0]


def test_moves_are_remembered_with_their_verdicts_newest_first():
    memory = memory_of(*called()[:2], Passed(Seat(2), None), *called()[2:])

    assert list(memory.move_seats[:4]) == [2, 1, 0, 255]
    assert list(memory.move_ranks[:4]) == [0, 13, 13, 0]
    assert list(memory.move_callers[:3]) == [255, 2, 255]
    assert list(memory.move_verdicts[:3]) == [0, 2, 0]
    assert list(memory.record) == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]


def test_checked_hand_counts_as_a_verdict():
    memory = memory_of(played(0, "AC", "K"), HandChecked(Seat(0), False, cards("AC"), True))

    assert memory.move_verdicts[0] == 7
    assert list(memory.record[:4]) == [1, 0, 0, 0]


def test_actions_have_words():
    texts = [describe_array_action("steps", action) for action in range(ACTIONS["steps"].size)]
    assert texts[:6] == ["pass", "call", "believe", "decline", "claim 0 x A", "claim 1 x A"]
    assert texts[-3:] == ["lay one K", "lay a joker", "done"]
    assert describe_array_action("macro", 4 + 45 + 5) == "claim 2 x 2, 2 of them true"
    assert len({describe_array_action("macro", action) for action in range(589)}) == 589
