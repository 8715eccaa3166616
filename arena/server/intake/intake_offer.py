"""What a server that takes submissions says of it to other processes."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.bots.submissions.submission_settings import SubmissionSettings


@dataclass(frozen=True, slots=True)
class IntakeOffer:
    """By which rules a server takes submissions, and for which pools."""

    settings: SubmissionSettings
    pools: Mapping[str, str]
    """The game of each pool, by the pool's name."""
