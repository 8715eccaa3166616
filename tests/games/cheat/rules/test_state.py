"""Properties of the state."""

from dataclasses import fields

from arena.games.cheat.rules.cards import hand_from_cards, read_cards
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.state import State
from tests.games.cheat.rules.game_driver import lay, start_game


def test_draft_copies_every_field() -> None:
    """The step advances by one, and lazily computed values are left out."""
    driver = start_game("KS 4D", "QS 9D", "2C 7C", pile="5C", passing="pass_turn")
    driver.play(0, "KS", "K")
    CHEAT.open_groups(driver.state)

    draft = driver.state.draft()

    names = {field.name for field in fields(State)}
    copied = {name for name in names if getattr(draft, name) is getattr(driver.state, name)}
    assert names - copied == {"step", "options", "groups"}
    assert draft.step == driver.state.step + 1


def test_groups_are_computed_once() -> None:
    """A second access returns the same object."""
    state = start_game("KS 4D", "QS 9D").state

    assert CHEAT.open_groups(state) is CHEAT.open_groups(state)


def test_tall_pile_is_taken_whole() -> None:
    """Thousands of layers, most of them empty, neither overflow nor get lost."""
    driver = start_game("KS KD", "QS QD")
    driver.play(0, "KS", "K")
    for turn in range(1, 1990):
        assert driver.act(turn % 2, lay("", "K")) is None

    driver.call(1990 % 2)

    assert driver.state.hands[0] == hand_from_cards(read_cards(["KD", "KS"]))
    assert driver.facts["pile"] == []


def test_cards_of_a_play_may_come_in_any_order() -> None:
    """The event lists them in ascending order."""
    driver = start_game("KS 4D 2C", "QS 9D")
    move = lay("KS 4D", "K")
    backwards = type(move)(move.cards[::-1], move.count, move.rank)

    assert CHEAT.resolve(driver.state, "turn", {driver.state.turn: backwards}).events == (
        CHEAT.resolve(driver.state, "turn", {driver.state.turn: move}).events
    )
