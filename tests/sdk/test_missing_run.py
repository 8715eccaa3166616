"""A script that defines a bot and ends without playing it says so, and nothing else does."""

import subprocess
import sys

import pytest

BOT = "from cheatarena import Bot, run\n\n\nclass Mine(Bot):\n    def turn(self, table, options):\n        ...\n\n\n"
TESTED = (
    "from cheatarena.testing import Script, play_through\n"
    "story = Script().deal('KS').passes(0)\n"
    "play_through(Mine, story)\n"
)
NEVER = "mybot.py defines the bot {0} but never calls run({0}): add run({0}) as its last line\n"
BEFORE = "mybot.py defines the bot Mine but ended before it called run(Mine): check the condition above that call\n"


def run_python(folder, *words, typed=""):
    command = [sys.executable, *words]
    environment = {"PATH": "", "HOME": str(folder)}
    return subprocess.run(
        command, cwd=folder, input=typed, capture_output=True, text=True, timeout=100, check=False, env=environment
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (BOT, NEVER.format("Mine")),
        (BOT + "class Better(Mine):\n    ...\n", NEVER.format("Better")),
        (BOT + "bot = Mine()\n", NEVER.format("Mine")),
        (BOT + "if __name__ == 'main':\n    run(Mine)\n", BEFORE),
    ],
    ids=["no run", "the class that derives last", "an object is not played", "a wrong condition"],
)
def test_script_that_does_not_play_its_bot_says_so(tmp_path, text, told):
    (tmp_path / "mybot.py").write_text(text)

    done = run_python(tmp_path, "mybot.py")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", told)


@pytest.mark.parametrize(
    ("text", "words", "typed"),
    [
        (BOT, ["-c", "import mybot"], ""),
        (BOT, ["-c", "from cheatarena.testing import load_bot\nload_bot('mybot.py')"], ""),
        (BOT, ["-i", "mybot.py"], "pass\n"),
        (BOT, ["-"], BOT),
        (BOT + TESTED, ["mybot.py"], ""),
        (BOT + "import sys\nsys.exit(len(sys.argv) - 2)\nrun(Mine)\n", ["mybot.py", "--help"], ""),
        ("from cheatarena import Bot, run\n", ["mybot.py"], ""),
    ],
    ids=["import", "load_bot", "interactive", "stdin", "its own test", "an argument", "no bot"],
)
def test_nothing_is_said_where_nobody_expects_a_bot_to_play(tmp_path, text, words, typed):
    (tmp_path / "mybot.py").write_text(text)

    done = run_python(tmp_path, *words, typed=typed)

    assert done.returncode == 0, done.stderr
    assert "mybot.py" not in done.stdout + done.stderr


def test_script_that_raises_shows_only_its_traceback(tmp_path):
    (tmp_path / "mybot.py").write_text(BOT + "1 / 0\n")

    done = run_python(tmp_path, "mybot.py")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_script_that_calls_run_shows_only_why_it_cannot_play(tmp_path):
    (tmp_path / "mybot.py").write_text(BOT + "run(Mine)\n")

    done = run_python(tmp_path, "mybot.py")

    assert done.returncode == 64
    assert done.stderr.startswith("no server is named")
    assert len(done.stderr.splitlines()) == 1
