"""Checks for leaks: to a viewer, two matches that differ only in what it may not know must be equal to the byte.

    deal ──▶ twin A ──────── some decisions ────────▶ same decisions, by position ──▶ the viewer's bytes ┐
                │                                                                                       ├─ equal?
                └─▶ twin B: the same up to here, then all that the viewer cannot know is dealt anew ────▶ ┘

They run on together until something is lawfully shown that differs between them. What may lawfully be shown is stated
here anew, from the rules' text and the truth of both matches, and not asked of the code that decides it for the wire.
"""

from arena.secrecy.survey import SurveyedGame, TwinSurvey, run_survey

__all__ = ["SurveyedGame", "TwinSurvey", "run_survey"]
