"""A bot that takes part in a match: its name at the table and its program."""

from dataclasses import dataclass

from arena.bots.launch.programs import BotProgram, RemoteBot


@dataclass(frozen=True, slots=True)
class BotEntrant:
    name: str
    """Name at the table. A number tells copies of one program apart."""
    program: BotProgram | RemoteBot

    @property
    def is_remote(self) -> bool:
        return isinstance(self.program, RemoteBot)

    @property
    def own_program(self) -> BotProgram:
        """The bot must not be remote."""
        assert isinstance(self.program, BotProgram), "a remote bot is started elsewhere"
        return self.program

    @property
    def is_submitted(self) -> bool:
        """Whether an owner handed the bot in, and so has its name."""
        return isinstance(self.program, BotProgram) and self.program.is_submitted

    @property
    def is_boxed(self) -> bool:
        return isinstance(self.program, BotProgram) and self.program.is_boxed
