"""The compiled build and the sources are the same program. `make test-compiled` runs this on the compiled wheels."""

import copy
import dataclasses
import json
import pickle
import shutil
import subprocess
import sys
import traceback
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import arena
import cheatarena
from arena.compiled_build import read_compiled_build
from arena.games.cheat.rules.game import CHEAT
from cheatarena import Table, cheater
from cheatarena.cheat import facts
from cheatarena.cheat.knowledge import Knowledge
from cheatarena.cheat.options import TurnOptions
from tests.compiled.provocations import collect
from tests.support.commands import environment_of
from tools.studies.two_builds import ROOT, compare

COPY = Path(arena.__file__).parents[1]
"""The folder with the files of the compiled wheels."""

pytestmark = [
    pytest.mark.skipif(read_compiled_build() is None, reason="make test-compiled runs this on a compiled copy"),
    pytest.mark.timeout(600),
]


def run_python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program that imports from a folder: the checkout, or one with the files of both wheels."""
    command, environment = [sys.executable, "-P", *words], environment_of(folder)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a folder with the files of both wheels, which a test may change."""
    for name in ("arena", "cheatarena", "sample_bots"):
        shutil.copytree(COPY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for library in COPY.glob(f"*{EXTENSION_SUFFIXES[0]}"):
        shutil.copy(library, tmp_path)
    return tmp_path


def test_games_are_the_same_byte_for_byte():
    """Journals, messages to every viewer, replays and what bots knew; `make two-builds` plays 10 000 games."""
    assert compare(COPY, 120) == {}


def test_errors_have_the_same_class_and_text():
    done = run_python(ROOT, "-m", "tests.compiled.provocations")
    assert done.returncode == 0, done.stderr
    plain, compiled = json.loads(done.stdout), collect()

    assert len([text for text in plain.values() if not text.startswith("no error")]) > 150
    assert {name: text for name, text in compiled.items() if text != plain[name]} == {}
    assert compiled.keys() == plain.keys()


def test_traceback_through_compiled_code_names_file_and_line():
    for provoke, name in (
        (lambda: CHEAT.read_action("2K KS4"), "arena/games/cheat/rules/notation.py"),
        (lambda: Knowledge(0, [3, 3]).show([1]), "cheatarena/cheat/knowledge.py"),
    ):
        with pytest.raises(Exception, match=r"cannot read|were shown") as raised:
            provoke()
        place = traceback.extract_tb(raised.value.__traceback__)[-1]

        assert place.filename.endswith(name)
        source = (COPY / name).read_text(encoding="utf-8").splitlines()
        assert source[(place.lineno or 0) - 1].strip().startswith("raise ")


def test_installed_wheels_play_without_their_compiled_files(installed: Path):
    for library in installed.rglob(f"*{EXTENSION_SUFFIXES[0]}"):
        library.unlink()
    program = (
        "from arena.compiled_build import check_compiled_builds, describe_build; check_compiled_builds(); "
        "from arena.practice import play; from sample_bots.python.honest.bot import Honest; "
        "print(play([Honest] * 3, seed=1).places); print(describe_build())"
    )
    done = run_python(installed, "-c", program)
    compiled = run_python(COPY, "-c", program)

    assert done.returncode == 0, done.stderr
    places, build = done.stdout.splitlines()
    assert build.startswith("plain Python")
    assert compiled.stdout.startswith(f"{places}\ncompiled by mypyc")


@pytest.mark.parametrize("source", ["arena/games/cheat/rules/state.py", "cheatarena/cheat/state.py"])
def test_arena_refuses_compiled_files_of_other_sources(installed: Path, source: str):
    with (installed / source).open("a", encoding="utf-8") as file:
        file.write("\n")

    done = run_python(installed, "-c", "from arena.cli.main import main; main()", "match", "--help")

    assert done.returncode != 0
    assert f"{source} has changed. Build the wheel again" in " ".join((done.stdout + done.stderr).split())


def test_classes_that_authors_see_are_those_of_the_sources():
    """So they can be changed, pickled and inherited from as before."""
    seen = [value for module in (cheatarena, cheater, facts) for value in vars(module).values()]
    classes = {each for each in (*seen, TurnOptions, Table) if isinstance(each, type)}

    assert len(classes) > 80
    assert [each for each in classes if hasattr(each, "__mypyc_attrs__")] == []
    assert hasattr(Knowledge, "__mypyc_attrs__")


def test_values_of_the_sdk_keep_their_data_class_and_copies():
    play = cheatarena.Play.of("KS", "K")
    hand = cheatarena.Hand(cheatarena.cards("KS"))

    assert pickle.loads(pickle.dumps(play)) == dataclasses.replace(play) == play
    assert hash(dataclasses.replace(play)) == hash(play)
    assert repr(play) == "Play(cards=(KS,), rank=<Rank.KING: 12>, note='', count=None)"
    assert copy.deepcopy(hand) == hand
    with pytest.raises(dataclasses.FrozenInstanceError):
        play.note = "x"  # type: ignore[misc]  # the point of the test
