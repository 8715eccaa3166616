"""Random streams: unbiased, repeatable, labelled, and checked by an independent implementation of the description."""

import hashlib
import hmac
import itertools
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from arena.match.deal.stream import SeededChance, entrant_seed, new_seed
from arena.match.game import ChanceRequest
from arena.match.referee.ports import ChanceSource

SEED = bytes(range(32))
MATCH = "01JZ8QK3T5V7X9B2D4F6H8M0NP"


def reference_words(label: str, width: int) -> Iterator[int]:
    """The stream's words as the module's docstring describes them, one at a time."""
    key = hmac.new(SEED, MATCH.encode(), hashlib.sha256).digest()
    for position in itertools.count(1):
        data = hashlib.shake_256(key + label.encode()).digest(position * width)
        yield int.from_bytes(data[-width:], "big")


def reference_below(words: Iterator[int], bound: int, width: int) -> int:
    """An unbiased value below a bound."""
    space = 256**width
    while (word := next(words)) >= space // bound * bound:
        pass
    return word % bound


def reference_shuffle(label: str, count: int, width: int = 2) -> list[int]:
    """Return a permutation, computed from the description."""
    words, order = reference_words(label, width), list(range(count))
    for i in reversed(range(1, count)):
        j = reference_below(words, i + 1, width)
        order[i], order[j] = order[j], order[i]
    return order


def chance(count: int, faces: int = 0, purpose: str = "deck", turn: int = 0, index: int = 0) -> ChanceRequest:
    return ChanceRequest(purpose, turn, index, count, faces)


@pytest.fixture
def source() -> ChanceSource:
    """The draws of one match; the annotation has the type checker compare it with the port."""
    return SeededChance(SEED, MATCH)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 54, 108, 300])
def test_independent_program_repeats_every_shuffle(source: ChanceSource, count):
    assert list(source.draw(3, chance(count, turn=7, index=2))) == reference_shuffle("deck|3|7|2", count)


@pytest.mark.parametrize(
    ("faces", "width"), [(1, 2), (2, 2), (6, 2), (40_000, 2), (65_536, 2), (65_537, 4), (10**9, 4)]
)
def test_independent_program_repeats_every_roll(source: ChanceSource, faces, width):
    """40 000 and three thousand million skip every third word or so; 65 537 needs longer words."""
    words = reference_words("dice|0|12|1", width)

    expected = [reference_below(words, faces, width) for _ in range(60)]

    assert list(source.draw(0, chance(60, faces, "dice", 12, 1))) == expected


def test_known_draws_stay_unchanged(source: ChanceSource):
    """Replays of old matches depend on these streams. A separate program computed the values."""
    assert source.draw(0, chance(10)) == (9, 6, 2, 1, 3, 8, 5, 7, 0, 4)
    assert source.draw(1, chance(8, faces=6, purpose="dice", turn=4)) == (0, 1, 0, 3, 5, 1, 4, 2)
    assert entrant_seed(SEED, MATCH, 2).hex() == "4fede5df22fdf9d825911fbfa928c477985ebe1de51dc4fe9b4cb7565b5f4f05"


def test_rolls_fall_evenly(source: ChanceSource):
    """Chi-square over 60 000 rolls of a die: one run in a thousand exceeds 20.5 with 5 degrees of freedom (tables)."""
    counts = Counter(source.draw(0, chance(60_000, faces=6)))

    assert set(counts) == set(range(6))
    assert sum((seen - 10_000) ** 2 / 10_000 for seen in counts.values()) < 20.5


def test_all_orders_of_four_cards_fall_evenly(source: ChanceSource):
    """24 orders, 24 000 shuffles: one run in a thousand exceeds 49.7 with 23 degrees of freedom (tables)."""
    counts = Counter(source.draw(game, chance(4)) for game in range(24_000))

    assert len(counts) == 24
    assert sum((seen - 1_000) ** 2 / 1_000 for seen in counts.values()) < 49.7


def test_every_card_reaches_every_place_of_a_pack(source: ChanceSource):
    """First place over 5 400 shuffles of 54: one run in a thousand exceeds 90.6 with 53 degrees of freedom (tables)."""
    counts = Counter(source.draw(game, chance(54))[0] for game in range(5_400))

    assert sum((counts[card] - 100) ** 2 / 100 for card in range(54)) < 90.6


def test_draw_does_not_depend_on_earlier_draws(source: ChanceSource):
    alone = SeededChance(SEED, MATCH).draw(2, chance(54, turn=5))

    for turn in range(5):
        source.draw(2, chance(54, turn=turn))

    assert source.draw(2, chance(54, turn=5)) == alone
    assert source.draw(2, chance(54, turn=5)) == alone


def test_each_part_of_the_label_and_each_secret_changes_the_draw():
    """Games, turns, purposes, matches and seeds share no draws."""
    plain = chance(54)

    draws = [
        SeededChance(SEED, MATCH).draw(0, plain),
        SeededChance(SEED, MATCH).draw(1, plain),
        SeededChance(SEED, MATCH).draw(0, chance(54, turn=1)),
        SeededChance(SEED, MATCH).draw(0, chance(54, index=1)),
        SeededChance(SEED, MATCH).draw(0, chance(54, purpose="reshuffle")),
        SeededChance(SEED, MATCH[:-1] + "Q").draw(0, plain),
        SeededChance(bytes(32), MATCH).draw(0, plain),
    ]

    assert len(set(draws)) == len(draws)


def test_numbers_of_a_label_do_not_run_together(source: ChanceSource):
    assert source.draw(1, chance(54, turn=11)) != source.draw(11, chance(54, turn=1))


def test_entrants_have_seeds_separate_from_the_deck():
    key = hmac.new(SEED, MATCH.encode(), hashlib.sha256).digest()

    seeds = {entrant_seed(SEED, MATCH, entrant) for entrant in range(8)}

    assert len(seeds | {key, SEED}) == 10
    assert {len(seed) for seed in seeds} == {32}
    assert entrant_seed(SEED, MATCH, 1) == hmac.new(SEED, f"entrant|{MATCH}|1".encode(), hashlib.sha256).digest()


def test_seed_is_32_bytes_of_the_given_source():
    assert len(new_seed(os.urandom)) == 32
    assert new_seed(lambda size: bytes([7]) * size) == bytes([7]) * 32
    with pytest.raises(ValueError, match="16 bytes"):
        new_seed(lambda _: bytes(16))


@pytest.mark.parametrize("wrong", [chance(-1), chance(3, -6), chance(3, purpose="a|b"), chance(3, 2**32 + 1)], ids=str)
def test_impossible_draws_are_refused(source: ChanceSource, wrong):
    with pytest.raises(ValueError, match="cannot draw"):
        source.draw(0, wrong)


@pytest.mark.parametrize(("seed", "match_id"), [(bytes(31), MATCH), (SEED, ""), (SEED, "entrant|x")])
def test_short_seed_and_match_id_with_a_bar_are_refused(seed, match_id):
    with pytest.raises(ValueError, match="invalid"):
        SeededChance(seed, match_id)
    with pytest.raises(ValueError, match="invalid"):
        entrant_seed(seed, match_id, 0)


def best_s(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest processor time of several runs, in seconds: the cost of the work without disturbance."""
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return min(times)


def test_shuffles_are_cheap(source: ChanceSource):
    """A pack takes less than 60 us, 251 packs less than 15 ms."""
    assert best_s(lambda: source.draw(0, chance(54)), 200) < 60e-6
    assert best_s(lambda: source.draw(0, chance(13_554)), 20) < 15e-3
