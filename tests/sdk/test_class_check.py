"""Bot classes that cannot be what their authors meant are refused before they connect."""

import re

import pytest

from cheatarena import Bot, BotClassError, Client, Decline, Settings
from cheatarena.cheater import CheaterBot

SETTINGS = Settings(address="localhost:1", token="secret")


class Plain(Bot):
    def turn(self, table, options):
        return options.smallest_lie()


def make_class(base: type, *names: str) -> type:
    """Return a bot class named Mine with methods of these names."""
    return type("Mine", (base,), {name: lambda self, table, options: None for name in names})


def refusal_of(bot_class: type) -> str:
    with pytest.raises(BotClassError) as caught:
        Client(bot_class, SETTINGS)
    assert caught.value.exit_code == 64
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("call_windows", "call_window"),
        ("callWindow", "call_window"),
        ("on_call_window", "call_window"),
        ("turns", "turn"),
        ("on_resfused", "on_refused"),
        ("game_start", "game_started"),
        ("match_end", "match_ended"),
        ("chose", "choose"),
        ("accept", "accepts"),
    ],
)
def test_misspelled_method_is_refused_with_the_nearest_name(name, meant):
    assert refusal_of(make_class(Plain, name)).startswith(f"Mine.{name}() is never called: did you mean {meant}()?")


@pytest.mark.parametrize(("name", "meant"), [("reactions", "reaction"), ("discards", "discard"), ("picks", "pick")])
def test_methods_of_the_other_game_are_checked_too(name, meant):
    assert f"did you mean {meant}()?" in refusal_of(make_class(CheaterBot, "act", name))


def test_misspelled_class_method_is_refused():
    class Choosy(Plain):
        @classmethod
        def acccepts(cls, offer):
            return False

    assert "Choosy.acccepts() is never called: did you mean accepts()?" in refusal_of(Choosy)


def test_every_misspelled_method_is_named():
    sentence = refusal_of(make_class(Plain, "call_windows", "match_start"))

    assert "call_windows()" in sentence
    assert "match_start()" in sentence


def test_misspelled_method_of_a_base_class_is_refused():
    class Derived(make_class(Plain, "call_windows")):  # type: ignore[misc]  # a class that is only known when it runs
        def call_window(self, table, claim):
            return Decline()

    assert "call_windows()" in refusal_of(Derived)


@pytest.mark.parametrize(
    "name",
    ["best_play", "estimate", "reset", "score", "turn_value", "pick_cards", "choose_lie", "_call_windows", "seen"],
)
def test_helper_is_not_questioned(name):
    Client(make_class(Plain, name), SETTINGS)


def test_helper_that_the_class_uses_is_not_questioned_however_it_is_called():
    class Clever(Plain):
        def call_window(self, table, claim):
            return next(self.call_windows(each) for each in (claim,))

        def call_windows(self, claim):
            return Decline()

    Client(Clever, SETTINGS)


@pytest.mark.parametrize(
    ("base", "names", "sentence"),
    [
        (Bot, (), "Mine has no turn(), which every Bot needs: define it"),
        (Bot, ("call_window",), "Mine has no turn(), which every Bot needs: define it"),
        (Bot, ("my_turn",), "Mine has no turn(), which every Bot needs: define it instead of my_turn()"),
        (CheaterBot, ("discard",), "Mine has no act(), which every CheaterBot needs: define it"),
    ],
)
def test_class_without_a_required_method_is_refused(base, names, sentence):
    assert refusal_of(make_class(base, *names)) == sentence


def test_misspelled_required_method_is_one_fault():
    assert refusal_of(make_class(Bot, "turns")) == (
        "Mine.turns() is never called: did you mean turn()? (If it is a helper, call it _turns.)"
    )


@pytest.mark.parametrize("value", [Plain(), object, "Mine", None])
def test_what_is_no_bot_class_is_refused(value):
    assert re.search("is no bot: expected a class that derives from Bot or CheaterBot$", refusal_of(value))
