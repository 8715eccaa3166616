"""Every kind of hostile client at once, beside ten honest matches; `make fault-soak` measures it for longer."""

import pytest

from tests.faults.hostile import KINDS
from tests.faults.soak import Verdict, attacked_arena

pytestmark = pytest.mark.slow

SECONDS = 8.0
"""Long enough for each kind to begin while other tests run."""
SLOW = 5.0
"""How many times longer than wanted something may take on a machine that runs other tests too."""


@pytest.fixture(scope="module")
def tried(tmp_path_factory) -> Verdict:
    """Attack once for all tests of this file."""
    import asyncio  # noqa: PLC0415  the fixture outlives the loops of its tests

    async def attack() -> Verdict:
        async with attacked_arena(tmp_path_factory.mktemp("attacked"), think_ms=10) as arena:
            return await arena.attack(list(KINDS), SECONDS)

    return asyncio.run(attack())


def test_every_kind_attacks(tried: Verdict):
    """At least ten kinds; each has done something, and come back after it was thrown out."""
    assert len(KINDS) >= 10
    assert set(KINDS) <= tried.counts.keys()


def test_honest_bots_have_no_faults_beside_hostile_clients(tried: Verdict):
    assert tried.strikes == 0
    assert tried.complaints == []


def test_honest_matches_keep_their_rate_beside_hostile_clients(tried: Verdict):
    """80 % on a quiet machine."""
    assert tried.beside.rate > tried.alone.rate * 0.8 / SLOW


def test_new_bots_join_beside_hostile_clients(tried: Verdict):
    """Within 2 s on a quiet machine."""
    assert tried.beside.failed_joins == []
    assert 0 < max(tried.beside.joins_s) < 2 * SLOW


def test_memory_shrinks_after_an_attack(tried: Verdict):
    """To 1.1 times what it was, and 20 MB."""
    assert tried.memory_after <= tried.memory_goal


def test_hostile_clients_leave_no_error_in_the_log(tried: Verdict):
    """Whatever they do is their fault, and a server that logs a traceback for it can be filled with them."""
    assert tried.errors == []
