"""`arena check`: checks whether a bot follows the protocol."""

from arena.cli.check.command import app

__all__ = ["app"]
