"""Checks for leaks: a viewer must receive the same bytes from two matches that differ only in what it may not know.

    deal ──▶ twin A ──────── some decisions ────────▶ same decisions, by position ──▶ the viewer's bytes ┐
                │                                                                                       ├─ equal?
                └─▶ twin B: the same up to here, then all that the viewer cannot know is redealt ────▶ ┘

Both continue until something that differs between them is lawfully revealed. What may be revealed is stated here a
second time, from the rules' text and the true state of both matches, independently of the code that decides it for the
wire.
"""

from arena.secrecy.survey import SurveyedGame, TwinSurvey, run_survey

__all__ = ["SurveyedGame", "TwinSurvey", "run_survey"]
