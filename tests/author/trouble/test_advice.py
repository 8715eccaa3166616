"""The sentence about a phase names what the author has to do, and nothing if there is nothing to do."""

from dataclasses import replace
from typing import Any

import pytest

from arena.author.trouble.costs import Cost
from arena.author.trouble.phases import PhaseResult, advise
from arena.author.trouble.trouble import Trouble
from arena.match.referee.match_order import MatchReport
from arena.match.referee.pace import Pace
from arena.match.referee.ports import MatchId

QUIET = Cost(
    strike_count=0,
    own_strike_count=0,
    automatic_move_count=0,
    places=(2, 2),
    unplayed_count=0,
    decision_s=(0.01,),
    lost_count=0,
    return_count=0,
    away_s=0.0,
    longest_away_s=0.0,
    is_gone=False,
)
"""What a phase costs that costs nothing."""


def advice(trouble: Trouble = Trouble.DROPS, count: int = 3, end: str = "", **cost: Any) -> str:
    """Return the advice on a phase with other costs than a quiet one; a turn may take 2 s."""
    report = MatchReport(MatchId("M"), "ended", (), "finished", (), ())
    result = PhaseResult(trouble, {"cuts": count}, replace(QUIET, **cost), report, {}, end)
    return advise(result, QUIET, Pace.sealed_defaults())


@pytest.mark.parametrize(
    ("phase", "start"),
    [
        ({}, "nothing to do"),
        ({"count": 0}, "it did not happen"),
        (
            {"end": "ended with exit code 1"},
            "it ended with exit code 1 and lost its seat: keep running, and dial again",
        ),
        ({"longest_away_s": 12.0, "strike_count": 3}, "it was away for 12.0 s at a time: dial again"),
        ({"trouble": Trouble.RESTARTS, "longest_away_s": 12.0}, "it was away for 12.0 s at a time: start faster"),
        ({"strike_count": 2, "own_strike_count": 1}, "it had 1 fault of its own while connected"),
        ({"strike_count": 2}, "2 faults came from the trouble itself"),
        ({"decision_s": (1.5,)}, "1 % of its decisions took more than 1.5 s of 2 s: decide faster"),
        ({"places": (3, 3)}, "no fault, but worse places"),
        ({"trouble": Trouble.NEIGHBOURS, "places": (4, 4)}, "nothing to do"),
    ],
)
def test_each_cost_has_its_sentence(phase, start):
    assert advice(**phase).startswith(start)


def test_a_quiet_phase_needs_no_trouble():
    assert advice(Trouble.QUIET, count=0) == "nothing to do"
