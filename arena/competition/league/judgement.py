"""The two ways in which leagues have been judged. A league keeps the one that it was sealed with."""

from enum import Enum


class Judgement(Enum):
    """How results become ratings, a play-off and a champion. The properties say in what the two differ."""

    OLD = "old"
    """That of leagues sealed before the form `judgement-v2` (`arena.organizer.seal.seal`)."""
    NEW = "new"

    @property
    def halves_last_tie(self) -> bool:
        """Whether those who share the last place count as half winners against each other in ratings.

        Otherwise a shared last place tells nothing, and `ONE_SIDED_FACTOR` widens intervals.
        """
        return self is Judgement.OLD

    @property
    def keeps_seats_free(self) -> bool:
        """Whether a seat of each table of a play-off in rounds belongs to others than the contenders."""
        return self is Judgement.NEW

    @property
    def crowns_withdrawn(self) -> bool:
        """Whether an entrant that has withdrawn can be champion. If so, it pays to leave as soon as one leads."""
        return self is Judgement.OLD

    @property
    def lowers_results(self) -> bool:
        """Whether `lower_result` holds for a block played again after an attempt that was void for a bot."""
        return self is Judgement.NEW

    @property
    def leaves_out_help(self) -> bool:
        """Whether games beside an entrant that is flagged for coming last there can only lower a score or rating."""
        return self is Judgement.NEW

    @property
    def has_doubts(self) -> bool:
        """Whether the title does without the games of pairs that are in doubt (`doubts.py`)."""
        return self is Judgement.NEW
