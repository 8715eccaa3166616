"""Something that may happen only so often within a period, for each key."""

from arena.server.node.period_limit import PeriodLimit

MINUTE_US = 60_000_000


def test_each_key_has_its_own_limit_within_any_minute():
    limit = PeriodLimit(2)

    assert [limit.admit("ann", at) for at in (0, 10, 20)] == [True, True, False]
    assert limit.admit("bob", 20)
    assert not limit.admit("ann", MINUTE_US - 1)
    assert limit.admit("ann", MINUTE_US)
    assert not limit.admit("ann", MINUTE_US + 9)
    assert limit.admit("ann", MINUTE_US + 10)


def test_refused_attempts_do_not_prolong_the_wait():
    limit = PeriodLimit(1)
    limit.admit("ann", 0)

    for at in range(0, MINUTE_US, MINUTE_US // 10):
        assert not limit.admit("ann", at)

    assert limit.admit("ann", MINUTE_US)


def test_keys_are_forgotten_after_a_minute():
    """A caller with many addresses takes no memory for long."""
    limit = PeriodLimit(3)
    for number in range(1000):
        limit.admit(f"address {number}", number)

    limit.admit("last", MINUTE_US + 2000)

    assert len(limit._events) == 1


def test_period_may_be_longer():
    limit = PeriodLimit(1, 60 * MINUTE_US)
    limit.admit("ann", 0)

    assert not limit.admit("ann", 60 * MINUTE_US - 1)
    assert limit.admit("ann", 60 * MINUTE_US)
