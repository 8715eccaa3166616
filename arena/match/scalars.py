"""The whole numbers of a match by what they count, so that one is not taken for another."""

from typing import NewType

Instant = NewType("Instant", int)
"""Microseconds on the node's clock."""
EntrantIndex = NewType("EntrantIndex", int)
"""0-based place of an entrant in the terms; the same in every game, whichever seat it has."""
PromptId = NewType("PromptId", int)
"""Number of a group of prompts within its match, from 1; 0 = none."""
StreamSequence = NewType("StreamSequence", int)
"""Number of a message within the stream of one viewer of a match, from 1."""
