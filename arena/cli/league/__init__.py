"""`arena league`: plans, seals, plays, shows and publishes a league that is described in one file."""

from arena.cli.league.commands import app

__all__ = ["app"]
