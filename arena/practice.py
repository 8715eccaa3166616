"""`arena.practice.play`, as authors know it. The code is in `arena.author.practice.play`."""

from arena.author.practice.play import PracticeResult, play

__all__ = ["PracticeResult", "play"]
