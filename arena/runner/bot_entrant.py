"""A bot that is to play: its name at the table, and the program that it is."""

from dataclasses import dataclass

from arena.launch.programs import BotProgram, RemoteBot


@dataclass(frozen=True, slots=True)
class BotEntrant:
    """A bot that is to play."""

    name: str
    """At the table; two of one program are told apart by numbers."""
    program: BotProgram | RemoteBot

    @property
    def is_remote(self) -> bool:
        """Whether somebody else starts it."""
        return isinstance(self.program, RemoteBot)
