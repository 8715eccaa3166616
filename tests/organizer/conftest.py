"""A league that was played, for tests of what may be done with it afterwards."""

import shutil
from pathlib import Path

import pytest

from tests.organizer.leagues import league, write_league


@pytest.fixture(scope="session")
def _league_of_four(tmp_path_factory) -> Path:
    """Play a league of four games, once for all tests, and return its folder."""
    folder: Path = tmp_path_factory.mktemp("played")
    file = write_league(folder / "bots", bots=6, games=4)
    assert league("run", file, "--data", folder / "data", "--nodes", 1) == 0
    return folder


@pytest.fixture
def played(_league_of_four, tmp_path) -> tuple[Path, Path]:
    """Return the file and the data of a finished league of four, which the test may change."""
    shutil.copytree(_league_of_four, tmp_path, dirs_exist_ok=True)
    return tmp_path / "bots" / "league.toml", tmp_path / "data"
