"""No exit code depends on the encoding of stdout or stderr, and what an encoding does not have is replaced."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sample_bots
from tests.support.commands import ARENA

CODE_PAGES = ("cp437", "cp850", "cp932", "ascii")
C_LOCALE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
"""Not only the streams but also the names of files are in ASCII."""
BOT = Path(next(iter(sample_bots.__path__))) / "python" / "honest" / "bot.py"
NAMES = ("Zoë", "Ωμέγα", "李雷")
"""Each code page lacks a letter of one of them."""
MATCH = ("match", "--bot", "Zoë", "--bot", "Ωμέγα", "--bot", "李雷", "--set", "max_turns=12", "--data", "played")


def run_in(folder: Path, words: tuple[str, ...], variables: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    known = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG"))}
    return subprocess.run(words, cwd=folder, env=known | variables, capture_output=True, timeout=100, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with three bots, a league of theirs, and a data folder `played` with one match."""
    path = tmp_path_factory.mktemp("encodings")
    for name in NAMES:
        (path / name).mkdir()
        shutil.copy(BOT, path / name)
        (path / name / "bot.toml").write_text(f'name = "{name}"\nversion = "1"\ngames = ["cheat"]\n', encoding="utf-8")
    entrants = "".join(f'[[entrants]]\nbot = "{name}"\n' for name in NAMES)
    settings = 'name = "Größe"\ngames = 6\nseats = 3\npreset = "standard"\n'
    (path / "league.toml").write_text(settings + entrants, encoding="utf-8")
    assert run_in(path, (*ARENA, *MATCH), {"PYTHONUTF8": "1"}).returncode == 0
    assert run_in(path, (*ARENA, "owner", "add", "Müller", "--data", "owners"), {"PYTHONUTF8": "1"}).returncode == 0
    match = json.loads(run_in(path, (*ARENA, "replay", "list", "--data", "played", "--json"), {}).stdout)
    (path / "match").write_text(match[0]["match_id"], encoding="ascii")
    return path


@pytest.mark.slow
def test_match_is_played_and_told_in_a_code_page(folder):
    ended = run_in(folder, (*ARENA, *MATCH), {"PYTHONIOENCODING": "cp437"})
    assert ended.returncode == 0, ended.stderr
    assert "Zoë" in ended.stdout.decode("cp437")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", CODE_PAGES)
def test_names_are_shown_with_the_letters_that_a_code_page_has(folder, encoding):
    ended = run_in(folder, (*ARENA, "replay", "list", "--data", "played"), {"PYTHONIOENCODING": encoding})
    assert ended.returncode == 0, ended.stderr
    shown = ended.stdout.decode(encoding)
    assert all(name.encode(encoding, "replace").decode(encoding) in shown for name in NAMES)


@pytest.mark.slow
def test_match_is_played_where_names_of_files_are_in_ascii(folder):
    ended = run_in(folder, (*ARENA, *MATCH), C_LOCALE)
    assert ended.returncode == 0, ended.stderr


COMMANDS = {
    "replay list --data played": 0,
    "replay show MATCH --data played": 0,
    "replay show MATCH --seat 1 --data played": 0,
    "replay lessons MATCH --entrant 李雷 --data played": 0,
    "replay html MATCH --data played --to página.html": 0,
    "league games league.toml --data league": 64,
    "pack 李雷": 0,
    "owner add Jürgen --contact 李雷 --data owners": 0,
    "owner list --data owners": 0,
    "token create watch --owner Müller --data owners": 0,
    "token list --data owners": 0,
    "match --bot 雷李 --bot Zoë": 3,
    "league plan 李雷.toml": 64,
}
"""Commands that tell names, and the exit code of each."""


@pytest.mark.slow
@pytest.mark.parametrize(("command", "code"), COMMANDS.items())
def test_command_ends_as_ever_in_ascii(folder, command, code):
    words = command.replace("MATCH", (folder / "match").read_text(encoding="ascii")).split()
    ended = run_in(folder, (*ARENA, *words), {"PYTHONIOENCODING": "ascii"})
    assert ended.returncode == code, ended.stderr
    assert (ended.stdout + ended.stderr).isascii()


@pytest.mark.slow
@pytest.mark.long
def test_league_is_played_in_ascii(folder):
    for command in ("run", "status"):
        words = ("league", command, "league.toml", "--data", "league")
        ended = run_in(folder, (*ARENA, *words), {"PYTHONIOENCODING": "ascii"})
        assert ended.returncode == 0, ended.stderr


@pytest.mark.slow
@pytest.mark.long
def test_verdict_of_a_comparison_is_its_exit_code_in_ascii(folder):
    words = "compare --candidate Zoë --baseline Ωμέγα --field 李雷 --seats 3 --budget 72 --set max_turns=12"
    ended = run_in(folder, (*ARENA, *words.split(), "--data", "compared"), {"PYTHONIOENCODING": "ascii"})
    assert ended.returncode in {0, 1, 2}, ended.stderr


@pytest.mark.slow
def test_json_keeps_every_letter_in_any_encoding(folder):
    words = (*ARENA, "replay", "list", "--data", "played", "--json")
    in_ascii, in_utf8 = (run_in(folder, words, {"PYTHONIOENCODING": each}).stdout for each in ("ascii", "utf-8"))
    assert json.loads(in_ascii) == json.loads(in_utf8)
    assert "李雷" in in_utf8.decode()


def test_signs_of_the_arena_have_ascii_forms(tmp_path):
    code = "from arena.cli.console import prepare_streams\nprepare_streams()\nprint('0.1 ± 0.2 a…')"
    ended = run_in(tmp_path, (sys.executable, "-c", code), {"PYTHONIOENCODING": "ascii"})
    assert ended.stdout.decode().strip() == "0.1 +- 0.2 a~"


def test_program_of_the_sdk_writes_a_bot_in_ascii(tmp_path):
    (tmp_path / "Łódź").mkdir()
    ended = run_in(tmp_path, (sys.executable, "-m", "cheatarena", "new", "Łódź/bot"), {"PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "Łódź" / "bot" / "bot.py").is_file()


@pytest.mark.slow
def test_bot_prints_what_it_likes_in_ascii(folder):
    bot = folder / "printer"
    bot.mkdir()
    honest = BOT.read_text(encoding="utf-8")
    program = honest.replace("        return options", "        print('Zoë: ♠')\n        return options")
    assert program != honest
    (bot / "bot.py").write_text(program, encoding="utf-8")
    manifest = 'name = "printer"\nenvironment = { PYTHONIOENCODING = "ascii" }\n'
    (bot / "bot.toml").write_text(manifest, encoding="utf-8")
    words = "match --bot printer --fill Zoë --seats 3 --set max_turns=12 --data printed"
    ended = run_in(folder, (*ARENA, *words.split()), {})
    assert ended.returncode == 0, ended.stderr
    assert "Zo?: ?" in (folder / "printed" / "bots" / "printer.log").read_text(encoding="utf-8")
