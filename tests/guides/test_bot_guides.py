"""The guides of people who write bots on their own machine."""

import shutil

import pytest

from tests.guides.reader import ROOT, Reader

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SEEDED = {"--games 8": "--games 8 --seed 2", "--games 20": "--games 2 --seed 2", ".venv/bin/": ""}
"""With this seed, the bot of the first page comes last in a game."""
FEW_GAMES = "--budget 48 --seats 2 --set max_turns=20"
ANSWERS = range(3)
"""Yes, no and undecided: the bots' luck decides."""
LOST = "arena replay list --entrant mybot --lost"


def test_first_page(home):
    with Reader("README.md", home, SEEDED) as reader:
        reader.leave("make demo", "`make test` is what runs these tests, and one of them runs the demo")
        reader.enter_first_line()
        match_id = reader.ask(LOST)[0]["match_id"]
        assert match_id in reader.enter(ID=match_id)


def test_guide_of_the_samples(home):
    with Reader("sample_bots/README.md", home, SEEDED) as reader:
        reader.enter()
        assert reader.enter().startswith("[")
        match_id = reader.ask(LOST)[-1]["match_id"]
        reader.enter(ID=match_id)
        assert "CHEATARENA_TOKEN" in reader.start("CHEATARENA_TOKEN", ID=match_id)
        reader.leave("python -m cheatarena games", "the guide to joining a server has the same lines")
        reader.enter()
        reader.enter(ID=reader.ask("arena replay list")[0]["match_id"])
        reader.leave("arena serve", "the guide to a first server starts one")


@pytest.mark.long
def test_practice(home):
    short = {
        "--chaos  ": "--games 1 --chaos delay ",
        "--chaos drops,": "--games 1 --chaos drops,",
        "--lost": "--lost --games 1",
    }
    with Reader("docs/practice.md", home, short) as reader:
        reader.enter()
        reader.run("arena match --bot mybot.py --fill sample:honest --seats 4 --games 8 --seed 2")
        reader.enter(ID=reader.ask(LOST)[0]["match_id"])
        assert "def test_" in (home / "test_lesson.py").read_text()


def test_comparisons(home):
    for sample, name in {"honest": "mine", "gambler": "theirs", "counter": "bots/learner"}.items():
        shutil.copytree(ROOT / "sample_bots" / "python" / sample, home / name)
    shutil.copytree(home / "bots" / "learner", home / "bots" / "learner-old")
    with Reader("docs/compare.md", home, {".venv/bin/arena compare": f"arena compare {FEW_GAMES}"}) as reader:
        for _ in range(3):
            assert "places a game" in reader.enter(codes=ANSWERS)
        reader.leave("echo", "it takes wheels from a host of one's own")
