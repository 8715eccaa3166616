"""Ranks that may be claimed (spec A4). The tables are worked out on paper from the spec's wording."""

import pytest

from arena.games.cheat.rules.actions import Play
from arena.games.cheat.rules.cards import RANKS, read_cards
from arena.games.cheat.rules.legality import turn_options
from arena.games.cheat.rules.scenario_adapter import expectable_facts
from tests.games.cheat.rules.game_driver import start_game

AFTER = [
    # step, after this rank, these may follow
    ("same", "7", "7"),
    ("same", "K", "K"),
    ("up1", "A", "2"),
    ("up1", "9", "T"),
    ("up1", "Q", "K"),
    ("up1", "K", ""),
    ("up1_wrap", "K", "A"),
    ("up1_wrap", "Q", ""),
    ("up1_wrap", "A", ""),
    ("down1", "K", "Q"),
    ("down1", "2", "A"),
    ("down1", "A", ""),
    ("down1_wrap", "A", "K"),
    ("down1_wrap", "2", ""),
    ("up2", "A", "3"),
    ("up2", "J", "K"),
    ("up2", "Q", ""),
    ("up2", "K", ""),
    ("up2_wrap", "Q", "A"),
    ("up2_wrap", "K", "2"),
    ("up2_wrap", "J", ""),
    ("down2", "3", "A"),
    ("down2", "2", ""),
    ("down2", "A", ""),
    ("down2_wrap", "A", "Q"),
    ("down2_wrap", "2", "K"),
    ("down2_wrap", "3", ""),
    ("others", "7", "A234TJQK"),
    ("others", "A", "456789TJ"),
    ("others", "K", "3456789T"),
    ("others", "2", "56789TJQ"),
]


@pytest.mark.parametrize(("step", "rank", "following"), AFTER)
def test_each_step_alone_allows_its_ranks(step: str, rank: str, following: str) -> None:
    """With a single step enabled, exactly its ranks follow; where none does, the trick ends."""
    driver = start_game("KS 4D", "QS 9D", "2C 7C", rank_next=[step])

    assert driver.play(0, "KS", rank) is None

    assert driver.facts["trick_start"] is (following == "")
    if following:
        assert driver.facts["legal"]["ranks"] == list(following)


def test_steps_add_up() -> None:
    """Several steps allow the ranks of each."""
    driver = start_game("KS 4D", "QS 9D", rank_next=["same", "up2", "down1_wrap", "others"])

    driver.play(0, "KS", "A")

    assert driver.facts["legal"]["ranks"] == list("A3456789TJK")


@pytest.mark.parametrize(
    ("starts", "ranks"),
    [
        (["A"], "A"),
        (["K"], "K"),
        (["others"], "23456789TJQ"),
        (["K", "A"], "AK"),
        ([], RANKS),
    ],
)
def test_trick_starts_with_the_enabled_ranks(starts: list[str], ranks: str) -> None:
    """If none is enabled, all are."""
    driver = start_game("KS 4D", "QS 9D", rank_start=starts)

    assert driver.facts["legal"]["ranks"] == list(ranks)


@pytest.mark.parametrize("rank", [-1, 13, 255, 256, 1000])
def test_nonexistent_rank_is_illegal(rank: int) -> None:
    """No number outside ace to king is a rank, however large."""
    driver = start_game("KS 4D", "QS 9D")

    assert driver.act(0, Play(read_cards(["KS"]), 1, rank)) == "illegal_rank"
    assert turn_options(driver.state).ranks == bytes(range(13))


def test_claim_stays_the_reference_after_a_call() -> None:
    """The next rank is measured even against a lie that was called."""
    driver = start_game("4D KS", "QS 9D", "2C 7C")
    driver.play(0, "4D", "K")

    driver.call(1)

    assert driver.facts["legal"]["ranks"] == list("AQK")
    assert expectable_facts(driver.state, ())["prev"] == {"rank": "K", "count": 1, "seat": 0}
