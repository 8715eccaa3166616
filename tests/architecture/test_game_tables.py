"""What is told apart by game stands in the games' packs: nowhere else is a table, or a comparison, by a game's name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.games.catalogue import PACKS

ROOT = Path(__file__).resolve().parents[2]

ALLOWED = {
    "arena/match/referee/match_order.py": "the default of an order, as users of the client know it",
    "arena/verify/verify_deal.py": "runs without the arena, and so without its packs",
}
"""Files that may name games, and why. So may the packs, and modules and folders that are one game's own."""


def own_names(path: Path) -> set[str]:
    """Return the words of a path, without its room: `arena/games/cheat/wire/codec.py` is of `cheat`."""
    return {word for part in path.with_suffix("").parts[1:] for word in part.split("_")}


def named_games(tree: ast.AST, games: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and name wherever code takes a game by its name: as text outside of docstrings, or as its constant."""
    constants = {game.upper(): game for game in games}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text in games:
                yield node.lineno, text
            case ast.Name(id=name) if name in constants:
                yield node.lineno, constants[name]
            case ast.alias(name=name) if name in constants:
                yield node.lineno, constants[name]
            case _:
                pass


def why_refused(root: Path, games: set[str]) -> list[str]:
    """List every place in the arena that names a game and is not its own."""
    faults = []
    named = re.compile(rf"""["']({"|".join(games)})["']|\b({"|".join(games).upper()})\b""")
    for file in sorted((root / "arena").rglob("*.py")):
        path, text = file.relative_to(root), file.read_text(encoding="utf-8")
        if path.name == "pack.py" or str(path) in ALLOWED or not named.search(text):
            continue
        foreign = games - own_names(path)
        faults += [
            f"{path}:{line} names {game!r}: what depends on the game belongs into its pack"
            for line, game in named_games(ast.parse(text), games)
            if game in foreign
        ]
    return faults


def test_games_are_named_only_in_their_packs():
    assert why_refused(ROOT, set(PACKS)) == []


def test_every_exception_is_still_needed():
    """An entry that no longer allows anything is removed from the list."""
    for path in ALLOWED:
        assert list(named_games(ast.parse((ROOT / path).read_text(encoding="utf-8")), set(PACKS))), path


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("arena/organizer/report/a.py", 'COLUMNS = {"cheat": 1, "cheater": 2}', id="table"),
        pytest.param("arena/organizer/report/a.py", 'def f(game):\n    return game == "cheater"', id="comparison"),
        pytest.param("arena/cli/a.py", "from arena.games.cheat.rules.game import CHEAT", id="constant"),
        pytest.param("arena/games/cheat/wire/codec.py", 'OTHER = "cheater"', id="another-game-in-a-games-own-module"),
    ],
)
def test_planted_table_is_found(tmp_path, path, code):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(code, encoding="utf-8")

    assert why_refused(tmp_path, {"cheat", "cheater"})


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("arena/games/cheat/pack.py", 'NAME = "cheat"', id="pack"),
        pytest.param("arena/games/cheat/rules/game.py", 'name = "cheat"', id="folder-of-the-game"),
        pytest.param(
            "arena/games/cheat/wire/codec.py", "from arena.games.cheat.rules.game import CHEAT", id="module-of-the-game"
        ),
        pytest.param("arena/organizer/report/a.py", '"""As in cheat."""', id="prose"),
    ],
)
def test_code_of_a_game_may_name_it(tmp_path, path, code):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(code, encoding="utf-8")

    assert why_refused(tmp_path, {"cheat", "cheater"}) == []
