"""A program that ends by itself is explained in one clause."""

import sys
from pathlib import Path

import pytest

from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess, find_python_error
from arena.bots.launch.programs import BotProgram, find_bot

NO_RUN = "ended at once; is `run(YourBot)` its last line?"


@pytest.fixture
def launcher(tmp_path):
    with Launcher(tmp_path / "logs") as opened:
        yield opened


def end_of(launcher: Launcher, program: BotProgram) -> BotProcess:
    process = launcher.start(program, address="127.0.0.1:1", token="secret", instance="1")
    assert process.wait(30)
    return process


@pytest.mark.parametrize(
    ("code", "early", "late"),
    [
        ("x = 1\n", NO_RUN, "ended with exit code 0"),
        ("raise SystemExit(64)\n", "ended with exit code 64", "ended with exit code 64"),
        (
            "import numpyy\n",
            "ended with exit code 1: ModuleNotFoundError: No module named 'numpyy' (mybot.py:1)",
            "ended with exit code 1: ModuleNotFoundError: No module named 'numpyy' (mybot.py:1)",
        ),
        (
            "x = 1\nprint(x\n",
            "ended with exit code 1: SyntaxError: '(' was never closed (mybot.py:2)",
            "ended with exit code 1: SyntaxError: '(' was never closed (mybot.py:2)",
        ),
        (
            "import decimal\n\ndecimal.Decimal('x')\n",
            "ended with exit code 1: decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>] (mybot.py:3)",
            None,
        ),
        ("raise KeyboardInterrupt\n", "was killed by SIGINT", "was killed by SIGINT"),
    ],
)
def test_end_of_a_script_is_explained(launcher, tmp_path, code, early, late):
    script = tmp_path / "mybot.py"
    script.write_text(code)
    program = find_bot(str(script))
    assert isinstance(program, BotProgram)

    process = end_of(launcher, program)

    assert process.describe_end(is_early=True) == early
    assert process.describe_end(is_early=False) == (early if late is None else late)


def test_program_in_another_language_is_not_asked_for_run(launcher, tmp_path):
    program = BotProgram("bot", (sys.executable, "-c", "pass"), tmp_path)

    assert end_of(launcher, program).describe_end(is_early=True) == "ended with exit code 0, before it connected"


def test_running_program_is_not_explained(launcher, tmp_path):
    program = BotProgram("bot", (sys.executable, "-c", "import time; time.sleep(60)"), tmp_path)

    process = launcher.start(program, address="127.0.0.1:1", token="secret", instance="1")

    assert process.describe_end(is_early=True) == "is still running"


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["about to fail"],
        ["ValueError: no traceback"],
        ['  File "mybot.py", line 3, in turn', "    return x"],
    ],
)
def test_without_a_traceback_there_is_no_error(lines):
    assert find_python_error(lines, Path("/bots")) == ""


def test_last_traceback_counts():
    lines = [
        "Traceback (most recent call last):",
        '  File "/bots/mybot.py", line 1, in <module>',
        "KeyError: 'a'",
        "During handling of the above exception, another exception occurred:",
        "Traceback (most recent call last):",
        '  File "/bots/mybot.py", line 7, in <module>',
        '  File "/elsewhere/library.py", line 90, in load',
        "    raise ValueError",
        "ValueError",
    ]

    assert find_python_error(lines, Path("/bots")) == "ValueError (mybot.py:7)"
    assert find_python_error(lines, Path("/other")) == "ValueError (library.py:90)"
