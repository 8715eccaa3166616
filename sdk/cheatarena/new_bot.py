"""Writes the first files of a new bot: the bot, its manifest and its test."""

import re
from pathlib import Path

from cheatarena.errors import SettingsError

NAME = re.compile(r"[a-z](?:[a-z0-9_-]{0,30}[a-z0-9])?")

BOT = '''\
"""{name}: lays true cards when it can, and calls only claims that cannot be true."""

from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Table, TurnOptions, run


class {bot_class}(Bot):
    def turn(self, table: Table, options: TurnOptions) -> Move:
        return options.largest_honest() or options.pass_() or options.smallest_lie()

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        return Call() if table.is_impossible(claim) else Decline()


if __name__ == "__main__":
    run({bot_class})
'''

MANIFEST = """\
name = "{name}"  # its name at the table
version = "0.1"
# pools = ["standard"]  # where it plays after `python -m cheatarena submit`; the organizer says which pools there are
# command = "python -u bot.py"  # by default, bot.py runs with the Python of the folder's .venv, else with the arena's
"""

TEST = '''\
"""Asks {name} questions without a server."""

from pathlib import Path

from cheatarena.testing import Script, load_bot, play_through

{bot_class} = load_bot(Path(__file__).with_name("bot.py"))


def test_it_calls_a_claim_that_cannot_be_true():
    """It holds three of the four kings, there are no jokers, and seat 1 claims two."""
    story = Script(seats=3, seat=0, jokers=0).deal("KS KD KH 2C").plays(1, "K", 2).asks_window()

    assert [str(answer) for answer in play_through({bot_class}, story)] == ["call"]


def test_it_plays_its_true_cards():
    story = Script(seats=3, seat=0).deal("KS KD KH 2C").asks_turn("2 K")

    assert [str(answer) for answer in play_through({bot_class}, story)] == ["KD KH KS as K"]
'''


def write_new_bot(folder: Path) -> tuple[Path, ...]:
    """Write bot.py, bot.toml and test_bot.py in a new folder, whose name becomes the bot's, and return their paths.

    Raises SettingsError if the name is invalid, if the folder exists, or if it cannot be written.
    """
    name = folder.name
    if not NAME.fullmatch(name):
        raise SettingsError(
            f"{name!r} is no name for a bot: expected up to 32 of a-z, 0-9, - and _, a letter first"
            " and a letter or digit last"
        )
    words = {"name": name, "bot_class": "".join(word.capitalize() for word in re.split("[-_]", name))}
    texts = {"bot.py": BOT, "bot.toml": MANIFEST, "test_bot.py": TEST}
    try:
        folder.mkdir()
        for file, text in texts.items():
            (folder / file).write_text(text.format(**words), encoding="utf-8")
    except FileExistsError as error:
        raise SettingsError(f"{folder} exists already: choose another name, or remove it first") from error
    except OSError as error:
        raise SettingsError(f"{folder} cannot be written: {error.strerror}") from error
    return tuple(folder / file for file in texts)
