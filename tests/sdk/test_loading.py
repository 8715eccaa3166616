"""`load_bot` and `is_same_decision`, with which a test is written for a bot's file."""

import pytest

from cheatarena import Bot, Call, Decline, Play
from cheatarena.errors import SettingsError
from cheatarena.testing import Script, is_same_decision, load_bot, play_through

BOT = """
from cheatarena import Bot, Call, Decline, run
from helper import LIMIT

class {name}(Bot):
    def turn(self, table, options):
        return options.smallest_lie()

    def call_window(self, table, claim):
        return Call() if claim.count > LIMIT else Decline()

if __name__ == "__main__":
    run({name})
"""


def test_bot_of_a_file_is_loaded_without_being_started(tmp_path):
    (tmp_path / "helper.py").write_text("LIMIT = 2\n")
    (tmp_path / "mine.py").write_text(BOT.format(name="Mine"))

    bot = load_bot(tmp_path / "mine.py")

    story = Script(seats=3, seat=0).deal("KS 2C").plays(1, "K", 3).asks_window()
    assert bot.__name__ == "Mine"
    assert [type(answer) for answer in play_through(bot, story)] == [Call]


def test_name_chooses_among_several_bots(tmp_path):
    (tmp_path / "helper.py").write_text("LIMIT = 2\n")
    (tmp_path / "two.py").write_text(BOT.format(name="One") + BOT.format(name="Two"))

    assert load_bot(tmp_path / "two.py", "One").__name__ == "One"
    with pytest.raises(SettingsError, match="defines One, Two: expected one bot, or a name that says which"):
        load_bot(tmp_path / "two.py")
    with pytest.raises(SettingsError, match="defines One, Two: expected a bot 'Three'"):
        load_bot(tmp_path / "two.py", "Three")


def test_class_from_which_another_derives_need_not_be_named(tmp_path):
    (tmp_path / "helper.py").write_text("LIMIT = 2\n")
    (tmp_path / "two.py").write_text(BOT.format(name="Base") + "\nclass Final(Base):\n    pass\n")

    assert load_bot(tmp_path / "two.py").__name__ == "Final"


@pytest.mark.parametrize(("name", "text"), [("nothing.py", None), ("empty.py", ""), ("bot.txt", "")])
def test_file_without_bot_is_refused(tmp_path, name, text):
    if text is not None:
        (tmp_path / name).write_text(text)

    with pytest.raises(SettingsError, match=name):
        load_bot(tmp_path / name)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (Call(), Call("sure"), True),
        (Call(), Decline(), False),
        (None, Call(), False),
        (Play.of("KS", "K"), Play.of("KD", "K"), True),
        (Play.of("KS", "K"), Play.of("KD", "Q"), False),
        (Play.of("KS", "K"), Play.of("2D", "K"), False),
        (Play.of("KS KD", "K"), Play.of("KD", "K"), False),
        (Play.of("2S 3D", "K", count=1), Play.of("2S", "K", count=1), False),
    ],
)
def test_same_decision(one, other, is_same):
    assert is_same_decision(one, other) is is_same


def test_script_says_who_moves_next_and_who_has_finished():
    story = Script(seats=3, seat=0).deal("KS 2C", sizes=[2, 1, 2])
    story.plays(1, "K", 1, to_move=0).asks_window().opens_final_window(1).closes_window(to_move=2).finishes(1, 1)

    seen = []

    class Watcher(Bot):
        def turn(self, table, options):
            return options.smallest_lie()

        def call_window(self, table, claim):
            return Decline()

        def saw(self, table, event):
            seen.append((table.to_move, table.places))

    play_through(Watcher, story)
    assert seen[-1] == (2, (0, 1, 0))
