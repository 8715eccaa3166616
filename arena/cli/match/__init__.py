"""`arena match`: plays a few games between named bots and shows the results."""

from arena.cli.match.command import app

__all__ = ["app"]
