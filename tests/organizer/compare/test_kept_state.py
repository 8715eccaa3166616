"""`arena compare --keep-state`: a bot that learns begins with the files that it wrote in the comparison before."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.competition.compare.lanes import Lanes
from arena.organizer.compare.lane_folders import Experience, KeptState, find_kept_state
from tests.support.commands import CommandResult, run_arena
from tests.support.compared_bots import QUICK, SANE, bot

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")

COUNTING = SANE.replace(
    "class Sane(Bot):\n",
    """\
from pathlib import Path

PLACES = [Path("games.txt"), Path.home() / "games.txt"]


def remembered(path):
    return int(path.read_text()) if path.exists() else 0


print("began with", *map(remembered, PLACES), flush=True)


class Sane(Bot):
    def match_ended(self, table):
        for path in PLACES:
            path.write_text(str(remembered(path) + 1))

""",
)
"""It counts its games in two files, one in its folder and one in its HOME, and says at its start how many it knows."""
LANES = 4
"""The lanes at a table of two, each with one process of the bot."""


def compare(capsys: pytest.CaptureFixture[str], folder: Path, candidate: Path, *more: object) -> CommandResult:
    """Compare the bot with its own copy, in 48 games."""
    words = ("--candidate", candidate, "--data", folder / "data", *QUICK, "--budget", 48, "--self-test", *more)
    return run_arena(capsys, "compare", *words)


def counts(folder: Path) -> Sequence[int]:
    """Return the counts in all files that the lanes have kept, sorted."""
    return sorted(int(path.read_text()) for path in (folder / "data" / "lanes").glob("kept-*/*/*/games.txt"))


@pytest.fixture
def counting(tmp_path: Path) -> Path:
    return bot(tmp_path, "counting", COUNTING)


@pytest.mark.slow
def test_next_comparison_begins_with_what_bots_learnt(capsys, tmp_path, counting: Path):
    first = compare(capsys, tmp_path, counting, "--keep-state", "--json").json
    learnt = counts(tmp_path)
    second = compare(capsys, tmp_path, counting, "--keep-state", "--margin", "0.3", "--markdown", tmp_path / "a.md")

    assert len(learnt) == 2 * LANES, "each process of the bot has two files, and those of sample:honest have none"
    assert first["state"]["games_before"] == 0
    assert sum(learnt) >= 2 * first["played_games"], "one of the two bots at a table writes in two places"
    kept = Path(first["state"]["folder"])
    assert kept.is_relative_to(tmp_path / "data" / "lanes")
    sentence = f"bots could remember {first['played_games']} games of 1 earlier comparison"
    for text in (second.out, (tmp_path / "a.md").read_text()):
        assert sentence in text
        assert "blocks depend on each other" in text
        assert f"{kept} (delete this folder to start afresh)" in text
    assert all(before < after for before, after in zip(learnt, counts(tmp_path), strict=True))


@pytest.mark.slow
@pytest.mark.long
def test_changed_bot_and_cleared_folder_begin_afresh(capsys, tmp_path, counting: Path):
    """A changed bot has state of its own. That of the former one stays, and is there if the change is undone."""
    first = compare(capsys, tmp_path, counting, "--keep-state", "--json").json["state"]
    (counting / "bot.py").write_text(COUNTING + "# changed\n")
    changed = compare(capsys, tmp_path, counting, "--keep-state", "--json").json["state"]
    (counting / "bot.py").write_text(COUNTING)
    shutil.rmtree(first["folder"])
    cleared = compare(capsys, tmp_path, counting, "--keep-state", "--json").json["state"]

    assert changed["folder"] != first["folder"] == cleared["folder"]
    assert (changed["comparisons_before"], cleared["comparisons_before"]) == (0, 0)
    assert len(counts(tmp_path)) == 4 * LANES


@pytest.mark.slow
@pytest.mark.long
def test_without_the_option_nothing_is_kept(capsys, tmp_path, counting: Path):
    answer = compare(capsys, tmp_path, counting, "--json").json

    assert answer["state"] is None
    assert counts(tmp_path) == []


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--seed", "one"), "--seed one: expected none: with --keep-state a bot may remember the seed's deals"),
        (("--nodes", "2"), "--nodes 2: expected 1: with --keep-state one process writes a lane's files"),
    ],
    ids=["seed", "nodes"],
)
def test_option_that_spoils_kept_files_is_refused(capsys, tmp_path, counting: Path, more, sentence):
    refused = compare(capsys, tmp_path, counting, "--keep-state", *more)

    assert (refused.code, sentence in refused.err) == (64, True), refused
    assert not (tmp_path / "data").exists()


def test_folders_of_lanes_stay_with_their_seats_and_tell_no_role(tmp_path):
    """Names of bots are drawn anew for each comparison, folders are not. The folders in order reveal nothing."""
    kept = KeptState(tmp_path / "kept-1", Experience(), "1")
    one, other = (Lanes(("field",), seed) for seed in (b"one", b"other"))

    first, second = kept.lane_folders(one), kept.lane_folders(other)

    assert one.names != other.names
    assert [first[name] for name in one.names] == [second[name] for name in other.names]
    assert [first[name] for name in one.names] != sorted(first.values())


def test_files_of_a_stopped_comparison_are_counted_and_its_temporary_ones_are_not_passed_on(tmp_path):
    """It plays on with all its files if nothing else has begun meanwhile."""

    def find(comparison: str) -> KeptState:
        kept = find_kept_state({"keep_state": True, "programs": {}, "opponents": [], "terms": {}}, tmp_path, comparison)
        assert kept is not None
        return kept

    stopped = find("stopped")
    stopped.begin_comparison()
    temporary = stopped.folder / "bot1" / "tmp" / "notes"
    temporary.parent.mkdir(parents=True)
    temporary.write_text("a hand")
    continued = find("stopped")
    continued.begin_comparison()
    assert (continued.before.describe(), temporary.exists()) == ("nothing", True)

    other = find("other")
    other.begin_comparison()
    assert (other.before.describe(), temporary.exists()) == ("games of 1 unfinished comparison", False)
    other.end_comparison(96)

    assert find("stopped").before == Experience(1, 96)
    find("stopped").end_comparison(48)
    assert find("third").before == Experience(2, 144)


def test_experience_that_an_earlier_release_wrote_counts(tmp_path):
    values = {"keep_state": True, "programs": {}, "opponents": [], "terms": {}}
    kept = find_kept_state(values, tmp_path, "one")
    assert kept is not None
    kept.folder.mkdir()
    (kept.folder / "experience.json").write_text('{"comparisons":1,"games":192}')

    again = find_kept_state(values, tmp_path, "one")

    assert again is not None
    assert again.before == Experience(1, 192)
