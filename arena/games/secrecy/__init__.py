"""Checks for leaks: two matches that differ only in what a viewer may not know must send that viewer the same bytes.

    deal ──▶ twin A ──────── some decisions ────────▶ same decisions, by position ──▶ the viewer's bytes ┐
                │                                                                                       ├─ equal?
                └─▶ twin B: the same up to here, then all that the viewer cannot know is redealt ────▶ ┘

Both twins continue until something that differs between them is lawfully revealed. The code that writes messages
decides what to reveal. This package decides the same question independently, from the text of the rules and the true
state of both matches.

Decisions name cards by position, since the hands may differ. Where a ruleset hides the sizes of hands, the other seats
may even play different numbers of cards in the twins.
"""

from arena.games.secrecy.survey import SurveyedGame, TwinSurvey, run_survey

__all__ = ["SurveyedGame", "TwinSurvey", "run_survey"]
