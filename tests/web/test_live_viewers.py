"""The study of viewers still works, in small, and what it promises holds even then."""

import asyncio

import pytest

from tools.studies.live_viewers import connect, match_waits, measure_cost, memory_of, open_crowd, open_site


@pytest.fixture(autouse=True)
def _without_server(monkeypatch):
    for name in ("ARENA_TOKEN", "ARENA_DATA"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.slow
@pytest.mark.long
async def test_viewers_are_measured(tmp_path):
    """Every viewer is admitted and updated, and every move reaches the one who came last."""
    async with open_site(tmp_path, 0.1, has_load=False) as site:
        site.table.begin()
        figures = await measure_cost(site, viewers=40, rounds=1, seconds=2.0)

    assert figures.fewest_events > 3
    assert len(figures.waits) > 3
    assert figures.rates[0] > 0


@pytest.mark.slow
@pytest.mark.long
async def test_viewer_that_sleeps_takes_bounded_memory_and_no_time_of_others(tmp_path):
    """It is cut after its time, or has missed updates; the others have had all of them."""
    async with open_site(tmp_path, 0.02, has_load=False) as site, open_crowd() as crowd:
        site.table.begin()
        before = memory_of(site.web_pid)
        probe = await connect(site.url, site.match_id, 1000, is_noting=True)
        await crowd.ask(site.url, site.match_id, 40, asleep=30)
        begun = len(site.table.decided)
        async with asyncio.timeout(60):
            while len(match_waits(site.table.decided[begun:], probe.seen)) < 50:
                await asyncio.sleep(0.1)

        said = await crowd.ask(site.url, site.match_id, 40)
        assert (said["admitted"], said["most_events"] > 10) == (40, True)
        assert said["fewest_events"] * 3 < said["most_events"]  # a sleeper has what came with the answer
        assert memory_of(site.web_pid) - before < 40 * (96 + 64) * 1024 + 20e6


def test_moves_and_their_lines_are_in_the_same_order():
    assert match_waits([1.0, 2.0, 3.0], [0.5, 1.25, 3.5, 4.0]) == [0.25, 1.5, 1.0]
