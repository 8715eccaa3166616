"""Programs that cannot play as they are: each ends with one true sentence, before it plays."""

import ast
import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

import arena
import cheatarena
from cheatarena.testing import Script
from tests.sdk.fake_arena import Stream, of_match, read_to_end, run_fake_arena

BOT = """
from cheatarena import Bot, run

class Mine(Bot):
    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()

"""
CALL = "run(Mine)\n"
IN_A_LOOP = "import asyncio\nasync def main():\n    run(Mine)\nasyncio.run(main())\n"
IN_A_THREAD = "import threading\nthreading.Thread(target=run, args=(Mine,)).start()\n"
FORKING = BOT.replace("        return", "        import os; os.fork()\n        return")


def start(folder: Path, text: str, *, address: str = "127.0.0.1:1") -> tuple[int, str]:
    """Run a program that would dial an address, and return its exit code and what it wrote to stderr."""
    (folder / "bot.py").write_text(text)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("CHEATARENA_")}
    given = {"CHEATARENA_ADDRESS": address, "CHEATARENA_TOKEN": "cat_1", "CHEATARENA_PATIENCE": "0"}
    ended = subprocess.run(
        [sys.executable, folder / "bot.py"],
        env=inherited | given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.returncode, ended.stderr


@pytest.mark.parametrize(
    ("call", "code", "sentence"),
    [
        (IN_A_LOOP, 64, "run(Mine) was called in a running event loop, as a notebook or an async function has: use"),
        (IN_A_THREAD, 0, "run(Mine) was called outside the main thread, which alone gets signals: use `asyncio.run"),
    ],
    ids=["loop", "thread"],
)  # fmt: skip
def test_run_where_it_cannot_play_says_what_to_use_instead(tmp_path, call, code, sentence):
    ended, said = start(tmp_path, BOT + call)

    assert ended == code
    assert said.startswith(sentence)
    assert said.count("\n") == 1


@pytest.mark.parametrize("name", ["random", "token", "secrets", "grpc"])
def test_file_that_hides_a_needed_module_is_named(tmp_path, name):
    hiding = tmp_path / f"{name}.py"
    hiding.write_text("x = 1\n")

    code, said = start(tmp_path, BOT + CALL)

    what = f"the package {name}" if name == "grpc" else f"Python's own module {name}"
    assert (code, said) == (64, f"{hiding} hides {what}, which cheatarena needs: rename it\n")


@pytest.mark.parametrize("name", ["statistics", "cards"])
def test_file_that_hides_nothing_needed_is_nobody_s_business(tmp_path, name):
    (tmp_path / f"{name}.py").write_text("x = 1\n")

    code, said = start(tmp_path, BOT + CALL)

    assert code == 69, said


def test_package_that_is_installed_beside_the_bot_hides_nothing(tmp_path):
    """As `pip install --target` does."""
    for package in ("grpc", "google"):
        (tmp_path / package).symlink_to(Path(sys.modules[package].__path__[0]))

    assert start(tmp_path, BOT + CALL)[0] == 69


def test_script_of_python_itself_hides_nothing():
    lines = f"import sys; sys.path.insert(0, {os.path.dirname(os.__file__)!r}); import cheatarena"  # noqa: PTH120  as Python names it

    subprocess.run([sys.executable, "-c", lines], check=True, timeout=60)


@pytest.mark.parametrize(
    ("package", "modules"), [(cheatarena, ("__init__.py", "python_check.py")), (arena, ("__init__.py",))]
)
def test_old_python_is_told_which_one_is_needed(package, modules):
    """It reads these modules first, so they have syntax that it knows."""
    for module in modules:
        source = (Path(package.__file__).parent / module).read_text(encoding="ascii")
        ast.parse(source, feature_version=(3, 4))
    old = f"import sys; sys.version_info = (3, 8, 18, 'final', 0); import {package.__name__}"
    ended = subprocess.run([sys.executable, "-c", old], capture_output=True, text=True, timeout=60, check=False)

    assert ended.returncode == 64
    assert " needs Python 3.11 or newer, and " in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
async def test_fork_of_a_bot_ends_and_leaves_the_connection_to_the_first_process(tmp_path):
    story = Script(seats=3).deal("KC KD 2C")

    async def talk(stream: Stream) -> None:
        await stream.welcome()
        for match in (1, 2):
            await stream.send(*of_match(story.asks_turn("K") if match == 1 else story, match))
            assert len(await stream.decisions(1)) == 1
        await stream.farewell("GOODBYE")
        await read_to_end(stream)

    async with run_fake_arena(talk) as arena:
        code, said = await asyncio.to_thread(start, tmp_path, FORKING + CALL, address=arena.address)

    assert code == 0, said
    assert said.count("a bot forked its process: the match goes on in the first one, and the fork ends here") == 2
