"""Declares for how long the journals of old matches are kept, and how."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval

from arena.errors import OptionError, OptionsError


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """Journals are packed once all of their matches are over for so long. Results stay in the store for ever."""

    enabled: bool = True
    """Whether the server packs journals. `arena journals pack` does it in any case."""
    pack_after_days: Annotated[int, Interval(ge=0, le=36_500)] = 30
    """Days after the last match of a journal."""
    drop_after_days: Annotated[int, Interval(ge=1, le=36_500)] | None = None
    """Days after which a packed journal is dropped: its matches cannot be replayed any more. None: never."""

    def __post_init__(self) -> None:
        """Raise OptionsError if journals would be dropped before they are packed."""
        if self.drop_after_days is not None and self.drop_after_days < self.pack_after_days:
            most = f"expected at least pack_after_days, {self.pack_after_days}"
            raise OptionsError([OptionError("retention.drop_after_days", self.drop_after_days, most)])
