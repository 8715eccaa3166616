"""The sentences about the champion."""

import pytest

from arena.competition.league.accomplice_screen import AccompliceEvidence
from arena.competition.league.champion import Champion
from arena.competition.league.judgement import Judgement
from arena.competition.league.tie_breaks import TieBreak
from arena.organizer.report.standings_text import describe_champion

LUCK = "This may be luck: its score cannot be told apart from those of"
BEST = "The probability that it is the best is"


@pytest.mark.parametrize(
    ("champion", "sentence"),
    [
        (
            Champion("ann", "clear lead", ("ann",), 0.9999),
            f"ann has won clearly: its score can be told apart from every other one. {BEST} more than 99 %.",
        ),
        (
            Champion("ann", TieBreak.LOTS, ("ann", "bob"), 0.5),
            f"ann has won by lots between equal scores. {LUCK} bob. {BEST} 50 %.",
        ),
        (Champion("ann", "score", ("ann", "bob", "cid")), f"ann has won by the highest score. {LUCK} bob, cid."),
        (
            Champion("bob", "play-off", ("ann", "bob"), 0.97, ("bob",)),
            f"bob has won by the play-off among those whose scores could not be told apart: bob, ann. {BEST} 97 %.",
        ),
        (
            Champion("bob", "play-off", ("ann", "bob"), 0.6, ("bob", "ann")),
            (
                "bob has won by the play-off among those whose scores could not be told apart: bob, ann."
                f" This may be luck: even the play-off does not tell it apart from ann. {BEST} 60 %."
            ),
        ),
        (Champion("ann", "bracket", ("ann",)), "ann has won the knockout."),
        (
            Champion("ann", "bracket", ("ann",), withdrawn=("bob", "cid")),
            "ann has won the knockout. Higher in the table, and no champion because withdrawn: bob, cid.",
        ),
        (
            Champion("ann", "clear lead", ("ann",), doubted=("bob", "ann")),
            (
                "ann has won clearly: its score can be told apart from every other one. Without games that may have"
                " been help (doubts.csv), as the title counts them, the score is lower of: bob, ann."
            ),
        ),
        (None, ""),
    ],
)
def test_champion_is_described_with_reason_and_certainty(champion, sentence):
    assert describe_champion(champion, is_over=True) == sentence


def test_many_contenders_are_counted_and_not_listed():
    names = tuple(f"bot{number}" for number in range(200))

    words = describe_champion(Champion("bot0", "score", names, 0.004), is_over=False)

    assert "bot1, bot2, bot3, bot4, bot5, bot6 and 193 others" in words
    assert words.startswith("bot0 leads by the highest score.")
    assert words.endswith("less than 1 %.")


def test_who_is_flagged_for_coming_last_beside_the_champion_is_named():
    flags = [
        AccompliceEvidence(name, other, 40, 40, 12.0, 60, 15, 0.001) for name, other in (("mule", "ann"), ("x", "y"))
    ]
    said = describe_champion(Champion("ann", "clear lead", ("ann",)), is_over=True, accomplices=flags)
    assert said.endswith(
        "Flagged for coming last beside it: mule. ann's score is the lower of those with and without these games."
        " Look at their games."
    )
    said = describe_champion(Champion("ann", "clear lead", ("ann",)), True, flags, Judgement.OLD)
    assert said.endswith("Flagged for coming last beside it: mule. Look at their games.")
    assert describe_champion(Champion("bob", "score", ("bob",)), is_over=True, accomplices=flags).count("Flagged") == 0
