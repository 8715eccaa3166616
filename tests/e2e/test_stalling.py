"""A candidate that plays badly and slowly: it never gains by deciding how many games are over when the budget ends.

It answers within the limits of turns, so it has no faults. The games are short and for two, and the bots wait more than
they think.
"""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.support.commands import CommandResult, run_arena
from tests.support.compared_bots import FOOL, SANE, bot

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")

WEAK: Final = FOOL.replace("options.largest_honest() or ", "")
"""It lies whenever it can, and calls whatever is claimed."""
STALLING: Final = WEAK.replace("from", "import asyncio\nfrom", 1).replace(
    "    def turn(self, table, options):\n",
    "    async def turn(self, table, options):\n        await asyncio.sleep(1)\n",
)
"""Each of its turns takes a second, far less than the limit, so that it has no faults on a busy machine either."""
STALLING_WHEN_AHEAD: Final = STALLING.replace("sleep(1)", "sleep(Sane.won > Sane.lost)").replace(
    "class Sane(Bot):\n",
    """\
class Sane(Bot):
    won = lost = 0

    def game_ended(self, table):
        Sane.won += table.places[table.seat] == 1
        Sane.lost += table.places[table.seat] > 1

""",
)
"""It chooses when a budget in time ends: it stalls from the moment on at which its process has won more than lost."""
FIRST_LOOK: Final = 48
"""Games at a table of two after which the test looks for the first time."""
GAMES: Final = 2 * FIRST_LOOK
"""A budget that is enough for a no."""


def compare(
    capsys: pytest.CaptureFixture[str], folder: Path, candidate: str, mode: str, budget: str, turns: int = 8
) -> CommandResult:
    """Compare a candidate with a bot that is far better, so that only a no is right."""
    bots = ("--candidate", bot(folder, "slow", candidate), "--baseline", bot(folder, "sane", SANE))
    table = ("--seats", 2, "--set", f"max_turns={turns}", "--turn-ms", 8000, "--field", "sample:honest", "--nodes", 1)
    test = ("--mode", mode, "--budget", budget, "--on-undecided", "pass", "--data", folder / "data", "--json")
    return run_arena(capsys, "compare", *bots, *table, *test)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["not-worse", pytest.param("better", marks=pytest.mark.long)])
def test_stalling_until_the_time_is_over_passes_nothing(capsys, tmp_path, mode):
    """No game of the candidate ends in time, so there is nothing to judge, and `--on-undecided pass` passes nothing."""
    ended = compare(capsys, tmp_path, STALLING, mode, "5s", turns=24)

    assert (ended.code, ended.json["code"], ended.json["games"]) == (2, "undecided", 0), ended
    assert ended.json["sentence"].startswith(f"too few games for a verdict (0 of {FIRST_LOOK})")
    assert not ended.json["is_verdict"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["not-worse", pytest.param("better", marks=pytest.mark.long)])
def test_stalling_within_a_budget_of_games_is_judged_by_the_games(capsys, tmp_path, mode):
    ended = compare(capsys, tmp_path, STALLING, mode, str(GAMES))

    assert (ended.code, ended.json["is_verdict"]) == (1, True), ended
    assert ended.json["games"] >= FIRST_LOOK


@pytest.mark.slow
@pytest.mark.parametrize("budget", ["8s", pytest.param(str(GAMES), marks=pytest.mark.long)])
def test_stalling_when_ahead_gains_nothing(capsys, tmp_path, budget):
    """Whether enough games are over in time or not, the answer is no or there is none."""
    ended = compare(capsys, tmp_path, STALLING_WHEN_AHEAD, "not-worse", budget)

    assert ended.code in ((1,) if budget == str(GAMES) else (1, 2)), ended
    assert (ended.code == 1) == ended.json["is_verdict"]
