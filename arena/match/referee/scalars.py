"""Distinct types for the whole numbers of a match, so that none is mistaken for another; and the key of a session."""

from typing import NewType, TypeAlias

Instant = NewType("Instant", int)
"""Microseconds on the node's clock."""
EntrantIndex = NewType("EntrantIndex", int)
"""0-based position of an entrant in the terms; the same in every game, whatever seat the entrant has."""
PromptId = NewType("PromptId", int)
"""Number of a group of prompts within its match, from 1; 0 stands for no prompt."""
StreamSequence = NewType("StreamSequence", int)
"""Number of a message within the stream of one viewer of a match, from 1."""
SessionKey: TypeAlias = tuple[str, str]
"""The name of a bot and its instance; together they identify a session on a node."""
