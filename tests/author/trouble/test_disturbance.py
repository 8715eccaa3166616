"""Trouble comes after messages, as often as it should, and stops with its task."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random

import pytest

from arena.author.trouble.proxy import Proxy, Reception
from arena.author.trouble.trouble import DELAY_S, DROP_GAP, JITTER_S, RESTART_GAP, RESTARTS_A_GAME, Disturbance, Trouble


class Scene:
    """A line without connections, whose messages the test counts by hand, and what is restarted."""

    def __init__(self, trouble: Trouble, game_count: int = 2) -> None:
        self.line = Proxy("127.0.0.1:1")
        self.restarted: list[str] = []
        self.can_end = self.can_start = True
        """Whether what is restarted ends, and whether it starts again. Otherwise the restart takes forever."""
        self.disturbance = Disturbance(
            trouble, self.line, Random(1), partial(self.restart, "bot"), partial(self.restart, "server"), game_count
        )

    async def restart(self, what: str, count: Callable[[], None]) -> None:
        await self.pass_or_wait(self.can_end)
        count()
        await self.pass_or_wait(self.can_start)
        self.restarted.append(what)

    async def pass_or_wait(self, can_pass: bool) -> None:
        if not can_pass:
            await asyncio.Event().wait()

    async def pass_messages(self, count: int) -> None:
        """Let messages come, more slowly than the trouble follows them."""
        task = asyncio.ensure_future(self.disturbance.run())
        try:
            for _ in range(count // 10):
                await asyncio.sleep(0.012)
                self.line.down.chunk_count += 10
            await asyncio.sleep(0.5)
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@pytest.mark.parametrize(("trouble", "restarted"), [(Trouble.RESTARTS, "bot"), (Trouble.SERVER, "server")])
async def test_restarts_come_after_messages_and_not_too_often(trouble, restarted):
    scene = Scene(trouble, game_count=1)

    await scene.pass_messages(4 * RESTART_GAP[1])

    assert scene.restarted == [restarted] * RESTARTS_A_GAME
    assert dict(scene.disturbance.counts) == {f"restarts of the {restarted}": RESTARTS_A_GAME}


@pytest.mark.parametrize(("can_end", "can_start", "count"), [(False, True, 0), (True, False, 1)])
async def test_a_restart_counts_from_the_moment_the_bot_is_gone(can_end, can_start, count):
    """The match may end before that, or before the bot is back."""
    scene = Scene(Trouble.RESTARTS)
    scene.can_end, scene.can_start = can_end, can_start

    await scene.pass_messages(2 * RESTART_GAP[1])

    assert scene.disturbance.counts["restarts of the bot"] == count
    assert scene.restarted == []


async def test_nothing_happens_before_enough_messages_came():
    scene = Scene(Trouble.RESTARTS)

    await scene.pass_messages(RESTART_GAP[0] - 10)

    assert scene.restarted == []


async def test_drops_cut_the_line_again_and_again(monkeypatch):
    scene, cuts = Scene(Trouble.DROPS), list[bool]()
    monkeypatch.setattr(scene.line, "cut", lambda *, refuses=False: cuts.append(refuses))

    await scene.pass_messages(10 * DROP_GAP[1])

    assert scene.disturbance.counts["cuts"] >= 2
    assert cuts[:4] == [True, False, True, False], "each cut refuses new connections for a moment"


async def test_handshakes_are_broken_in_each_way(monkeypatch):
    scene, receptions = Scene(Trouble.TLS), list[Reception]()
    monkeypatch.setattr(scene.line, "turn_away", receptions.append)

    await scene.pass_messages(30 * DROP_GAP[1])

    assert receptions[:6:2] == [Reception.CUT, Reception.SILENT, Reception.PAGE]
    assert set(receptions[1:6:2]) == {Reception.FORWARDED}


async def test_late_messages_are_counted_and_both_directions_are_slow():
    scene = Scene(Trouble.DELAY)

    await scene.pass_messages(50)

    assert scene.line.up.delay_s == scene.line.down.delay_s == DELAY_S
    assert scene.disturbance.counts["late messages"] == 50


async def test_jitter_varies_and_delays_nothing_for_certain():
    scene = Scene(Trouble.JITTER)

    await scene.pass_messages(50)

    assert (scene.line.up.jitter_s, scene.line.down.jitter_s, scene.line.up.delay_s) == (JITTER_S, JITTER_S, 0)


async def test_a_quiet_phase_is_quiet():
    scene = Scene(Trouble.QUIET)

    await scene.pass_messages(500)

    assert scene.restarted == []
    assert not scene.disturbance.counts
    assert scene.line.down.delay_s == 0
