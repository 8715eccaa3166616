"""The study that compares both builds notices a difference."""

from pathlib import Path

import pytest

from tools.studies import two_builds


def test_game_that_differs_is_named(monkeypatch: pytest.MonkeyPatch):
    def play_games(folder: Path, first: int, count: int) -> list[str]:
        return [
            "other" if folder != two_builds.ROOT and game == 7 else str(game) for game in range(first, first + count)
        ]

    monkeypatch.setattr(two_builds, "play_games", play_games)

    assert two_builds.compare(Path("compiled"), 11) == {7: ("7", "other")}
    assert two_builds.compare(two_builds.ROOT, 11) == {}


def test_same_game_has_the_same_digest_and_another_game_another():
    first, again, other = (two_builds.digest_game(number) for number in (0, 0, 1))

    assert first == again != other
