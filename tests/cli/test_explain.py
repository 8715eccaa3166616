"""`arena explain`: one page for the author of a bot: proof, seating, times and strikes, and no secret of anybody."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from tests.support.commands import CommandResult, run_arena
from tests.support.pool_data import ENDED, SPOKEN, make_pool_data
from tests.support.web_data import RUNNING, SHARED, TWO_GAMES, make_web_data


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return make_web_data(tmp_path_factory.mktemp("explained"))


def explain(capsys, data: Path, match: str, bot: str = "Ann", *more: str) -> CommandResult:
    return run_arena(capsys, "explain", match, "--bot", bot, "--data", data, *more)


def test_page_proves_the_match_and_explains_times_and_strikes(capsys, data):
    page = explain(capsys, data, TWO_GAMES)

    assert page.code == ExitCode.YES
    assert "yes  results, events and strikes follow from the 197 records of its journal" in page.out
    assert "yes  every hand, play and reveal follows from the inputs by the rules of cheat" in page.out
    assert "an organizer or an author asked for this table by name" in page.out
    assert "61 answers, 13.0 ms each on average" in page.out
    assert "game 0, turn 4: it gave no answer to the question" in page.out


def test_result_that_does_not_follow_from_the_journal_is_found(capsys, data, tmp_path):
    edited = shutil.copytree(data, tmp_path / "edited")
    with sqlite3.connect(edited / "arena.db") as store:
        store.execute("update game set places = '[3, 1, 2]' where match_id = ? and game = 0", (TWO_GAMES,))

    page = explain(capsys, edited, TWO_GAMES)

    assert page.code == ExitCode.NO
    assert "NO   game 0: " in page.out


@pytest.mark.parametrize(
    ("match", "bot", "said"),
    [
        (RUNNING, "Ann", "has not ended"),
        (SHARED, "Ann", "shares its cards with other games"),
        (TWO_GAMES, "nobody", "Ann, Bob, Cid"),
        ("01AAAAAAAAAAAAAAAAAAAAAAAA", "Ann", "unknown match"),
    ],
)
def test_what_cannot_be_explained_is_refused_in_a_sentence(capsys, data, match, bot, said):
    refused = explain(capsys, data, match, bot)

    assert refused.code == ExitCode.USAGE
    assert said in refused.err
    assert refused.err.count("\n") == 1


def test_page_of_a_pools_match_checks_the_seating_and_tells_no_note(capsys, tmp_path):
    """The inputs of this round are made up, so its seating does not follow from them."""
    make_pool_data(tmp_path)

    page = explain(capsys, tmp_path, ENDED, "Bob")

    assert page.code == ExitCode.NO
    assert "the inputs of its round" in page.out
    assert SPOKEN not in page.out
    assert page.out.count("game 0, turn") == 1  # Ann has a strike too
