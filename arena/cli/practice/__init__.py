"""`arena practice`: plays a bot against sample bots, and with `--chaos` under trouble."""

from arena.cli.practice.command import app

__all__ = ["app"]
