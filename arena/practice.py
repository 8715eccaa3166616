"""`arena.practice.play`, as authors know it. The code is in `arena.author.practice`."""

from arena.author.practice import PracticeResult, play

__all__ = ["PracticeResult", "play"]
