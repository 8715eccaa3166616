"""No array tells a seat what it cannot know: twin tables, which differ in that alone, give the same bytes."""

from collections import Counter

import pytest

from arena.games.catalogue import PACKS
from arena.games.cheat.arrays.observation import ObservationWriter
from arena.games.cheat.arrays.seat_arrays import CheatSeatArrays
from arena.games.cheat.arrays.seat_memory import SeatMemory
from arena.games.cheater.arrays.seat_arrays import CheaterSeatArrays
from tests.envs.array_twins import ArrayTwins

ENDINGS = {"over", "reveal", "parted", "length"}


def run_pairs(game, count, first=0):
    """Run pairs of twins. Return how they ended, and how many answers were compared."""
    endings, compared = Counter[str](), 0
    for seed in range(first, first + count):
        twins = ArrayTwins(game, seed)
        endings[twins.run()] += 1
        compared += twins.compared
    return endings, compared


@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=(pytest.mark.slow, pytest.mark.long))])
@pytest.mark.parametrize("game", list(PACKS))
def test_twins_cannot_be_told_apart(game, count):
    endings, compared = run_pairs(game, count)

    assert set(endings) <= ENDINGS
    assert compared > 2 * count


def leaks(game="cheat"):
    """Return whether one of many pairs finds a leak."""
    return any(ArrayTwins(game, seed).run() not in ENDINGS for seed in range(300))


@pytest.mark.replaces_code
def test_leak_of_a_taken_pile_is_found(monkeypatch):
    def take_pile(self, taker):
        self.pile_known = [self.pile] * self.seat_count
        take(self, taker)

    take = SeatMemory._take_pile
    monkeypatch.setattr(SeatMemory, "_take_pile", take_pile)
    assert leaks()


@pytest.mark.replaces_code
def test_leak_of_another_hand_is_found(monkeypatch):
    def write(self, state, seat, laying):
        found = write_own(self, state, seat, laying)
        return found[:-1] + bytes((self._memory.hands[(seat + 1) % self._seat_count] & 127,))

    write_own = ObservationWriter.write
    monkeypatch.setattr(ObservationWriter, "write", write)
    assert leaks()


@pytest.mark.replaces_code
def test_leak_of_an_answer_in_a_window_is_found(monkeypatch):
    def choose(self, action):
        if not self._in_turn:
            self.memory.record[0] = action
        return choose_action(self, action)

    choose_action = CheatSeatArrays.choose
    monkeypatch.setattr(CheatSeatArrays, "choose", choose)
    assert leaks()


@pytest.mark.replaces_code
def test_leak_of_the_cards_being_chosen_is_found(monkeypatch):
    """Each seat sees the number of the hiding cards of the seat that is asked."""

    def observe(self, state, seat):
        found = observe_own(self, state, seat)
        return found[:-1] + bytes((len(getattr(self._options, "hiding", b"")),))

    observe_own = CheaterSeatArrays.observe
    monkeypatch.setattr(CheaterSeatArrays, "observe", observe)
    assert leaks("cheater")
