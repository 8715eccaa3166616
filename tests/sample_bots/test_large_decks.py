"""Every sample plays with few and with thousands of cards, and would lose no decision to the default clock."""

import itertools
import time
from typing import Any

import pytest

from arena.match.referee.pace import Pace
from arena.practice import play
from tests.sample_bots.samples import load

PACE = Pace.sealed_defaults()
CHEAT = ("counter", "honest", "gambler", "random_legal", "planner", "modeller", "search")
CHEATER = ("forecaster", "set_chaser", "denier", "cautious")


class LateDecisions:
    """Finds the decisions that would have been strikes for a late answer.

    It counts only the time that a bot computes, so that a busy machine makes no decision late.
    """

    def __init__(self) -> None:
        self.count = 0
        """Number of decisions."""
        self.late: list[str] = []
        """The late ones: the bot's name and the method."""

    def timed(self, name: str) -> type[Any]:
        """Return the class of a sample whose answers are timed."""
        sample: Any = load(name)
        limits_ms = {"turn": PACE.turn_ms, "call_window": PACE.call_ms, "act": PACE.turn_ms, "reaction": PACE.call_ms}
        methods = {
            method: self._time_method(getattr(sample, method), f"{name}.{method}", limit_ms)
            for method, limit_ms in limits_ms.items()
            if hasattr(sample, method)
        }
        return type(sample.__name__, (sample,), methods)

    def _time_method(self, method: Any, title: str, limit_ms: int) -> Any:
        def timed(*args: Any) -> Any:
            start_s = time.thread_time()
            answer = method(*args)
            self.count += 1
            if (time.thread_time() - start_s) * 1000 > limit_ms:
                self.late.append(title)
            return answer

        return timed


@pytest.mark.slow
@pytest.mark.parametrize("seats", range(2, 11))
@pytest.mark.parametrize("decks", [1, 10, 251])
def test_no_sample_is_late_whatever_the_number_of_cards(decks, seats):
    """Each sample sits at each size of table: small tables are played several times, with different samples."""
    decisions = LateDecisions()
    for first in range(0, len(CHEAT), seats):
        names = itertools.islice(itertools.cycle(CHEAT), first, first + seats)
        result = play(
            [decisions.timed(name) for name in names], options={"decks": decks, "max_turns": 30}, games=1, seed=decks
        )

        assert not any(sum(strikes.values()) for strikes in result.strikes)

    assert decisions.count > 60
    assert not decisions.late


@pytest.mark.parametrize("seats", range(2, 11))
def test_no_sample_of_cheater_is_late_at_any_table(seats):
    decisions = LateDecisions()
    names = itertools.islice(itertools.cycle(CHEATER), seats)

    play([decisions.timed(name) for name in names], options={"max_turns": 60}, games=1, seed=seats)

    assert decisions.count > 15
    assert not decisions.late


def test_counters_among_themselves_are_not_late():
    """Two seats hold all cards of the largest deck, so each compares plays of more than a thousand cards."""
    decisions = LateDecisions()

    play([decisions.timed("counter")] * 2, options={"decks": 251, "max_turns": 40}, games=1, seed=2)

    assert decisions.count > 60
    assert not decisions.late
