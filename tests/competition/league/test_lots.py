"""Lots: bytes written out by hand, and an order that depends on nothing else."""

import hashlib

from arena.competition.league.lots import draw_lot, order_by_lots


def test_lot_is_a_hash_over_seed_label_and_name():
    written = b"\0\0\0\x07lots-v1" + b"\0\0\0\x02\x01\x02" + b"\0\0\0\x07round 1" + b"\0\0\0\x06\xc5\xbdofie"

    assert draw_lot(b"\x01\x02", "round 1", "Žofie") == hashlib.sha256(written).digest()


def test_smallest_lot_comes_first():
    names = [f"b{index}" for index in range(9)]

    order = order_by_lots(b"seed", "round 1", names)

    assert [draw_lot(b"seed", "round 1", name) for name in order] == sorted(
        draw_lot(b"seed", "round 1", name) for name in names
    )


def test_withdrawal_keeps_the_order_of_the_others():
    names = [f"b{index}" for index in range(9)]

    with_all, without = order_by_lots(b"seed", "field", names), order_by_lots(b"seed", "field", names[1:])

    assert [name for name in with_all if name != "b0"] == without
