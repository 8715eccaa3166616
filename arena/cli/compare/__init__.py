"""`arena compare`: is the candidate better than the baseline? The answer is the exit code."""

from arena.cli.compare.command import app

__all__ = ["app"]
