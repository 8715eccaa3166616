"""A late answer is told with its times, and a method that does not return shows where it is."""

import asyncio
import logging
import time
from collections.abc import Callable

import pytest

from cheatarena import Bot
from cheatarena.answer_watch import AnswerWatch, describe_seconds
from cheatarena.seat import Seat
from cheatarena.testing import Script
from tests.sdk.test_bots import FakeRuntime, tell

PATIENCE_S = 20.0
"""Seconds for which a test waits for a line; a busy machine needs some of them."""


@pytest.fixture
def lines(caplog) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, "cheatarena")
    return lambda: [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]


def ask(bot: Bot, time_s: float, runtime: FakeRuntime | None = None) -> Seat:
    """Ask a bot for a turn that is due in `time_s` seconds."""
    runtime = runtime or FakeRuntime()
    runtime.watch = AnswerWatch(runtime)
    runtime.clock.observe(0, time.monotonic())
    seat = Seat(1, 0, bot, runtime)
    story = Script(seats=3).deal("KC KD 2C").asks_turn("K")
    for message in story:
        for prompt in message.prompts:
            prompt.deadline_us = round(time_s * 1e6)
        tell(seat, message)
    return seat


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


class Stuck(Bot):
    """Does not return before a condition holds."""

    def __init__(self, condition: Callable[[], bool] = lambda: True) -> None:
        self._condition = condition

    def turn(self, table, options):
        return self._search(options)

    def _search(self, options):
        wait_for(self._condition)
        return options.largest_honest()


def test_answer_in_time_logs_nothing(lines):
    ask(Stuck(), 1000)

    assert lines() == []


def test_answer_without_a_deadline_logs_nothing(lines):
    started = time.monotonic()

    ask(Stuck(lambda: time.monotonic() > started + 0.5), 0)

    assert lines() == []


def test_late_answer_is_told_with_its_times(lines):
    ask(Stuck(lambda: bool(lines())), 0.3)

    took = lines()[-1]
    assert took.startswith("match 1 game 0 turn 0: turn() took ")
    assert took.endswith(" of 2.0 s") or ", and the question had waited " in took


def test_stuck_method_shows_its_stack_at_the_deadline(lines):
    """While it is still stuck."""
    ask(Stuck(lambda: bool(lines())), 0.3)

    line, *stack = lines()[0].splitlines()
    assert line.startswith("match 1: turn() has not returned at its deadline; it is at test_answer_watch.py:")
    assert "in turn" in stack[0]
    assert any("in _search" in each for each in stack)
    assert not any("bot_invoker" in each for each in stack)


def test_stuck_method_is_told_once(lines):
    started = time.monotonic()

    ask(Stuck(lambda: bool(lines()) and time.monotonic() > started + 1.5), 0.3)

    assert [line for line in lines() if "has not returned" in line] == lines()[:-1]
    assert len(lines()) == 2


def test_method_that_raises_too_late_is_told_too(lines):
    class Raising(Bot):
        def turn(self, table, options):
            wait_for(lambda: bool(lines()))
            raise ValueError

    ask(Raising(), 0.3)

    assert any(": turn() took " in line for line in lines())
    assert any("Raising.turn failed" in line for line in lines())


async def test_coroutine_that_never_awaits_shows_its_stack(lines):
    class Busy(Bot):
        async def turn(self, table, options):
            await asyncio.sleep(0)
            wait_for(lambda: bool(lines()))
            return options.largest_honest()

    ask(Busy(), 0.3)
    await asyncio.sleep(0.01)
    await asyncio.sleep(0.01)

    assert lines()[0].startswith("match 1: turn() has not returned at its deadline; it is at test_answer_watch.py:")


async def test_waiting_coroutine_is_told_with_its_place_when_its_prompt_closes(lines):
    class Waiting(Bot):
        async def turn(self, table, options):
            await asyncio.sleep(1000)
            return options.largest_honest()

    seat = ask(Waiting(), 0.3)
    await asyncio.sleep(0.6)
    assert lines() == []
    seat.close()
    await asyncio.sleep(0.01)

    assert len(lines()) == 1
    assert ": turn() took " in lines()[0]
    assert ", and was stopped at test_answer_watch.py:" in lines()[0]


@pytest.mark.slow
def test_thread_sleeps_while_no_question_comes_and_wakes_again():
    runtime = FakeRuntime()
    seen = []

    ask(Stuck(), 1000, runtime)
    wait_for(lambda: runtime.watch.is_asleep)
    seen.append(runtime.watch.is_asleep)
    runtime.watch.wake()
    seen.append(runtime.watch.is_asleep)
    wait_for(lambda: runtime.watch.is_asleep)
    seen.append(runtime.watch.is_asleep)

    assert seen == [True, False, True]


@pytest.mark.parametrize(("seconds", "text"), [(5.04, "5.0 s"), (1, "1.0 s"), (0.25, "250 ms"), (0.0004, "0 ms")])
def test_times_are_told_in_a_fitting_unit(seconds, text):
    assert describe_seconds(seconds) == text
