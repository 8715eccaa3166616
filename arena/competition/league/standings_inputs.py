"""What a league's order and champion follow from: its results, those of its play-off, and how they are judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from arena.competition.league.accomplices import NO_ACCOMPLICES, Accomplices
from arena.competition.league.adjustment import Draw
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import BlockResult
from arena.competition.league.points import Tally
from arena.competition.league.ranking_measure import RankingMeasure
from arena.competition.league.tie_breaks import TieBreak, deciding_criterion, ranked_tie_break_keys


@dataclass(frozen=True, slots=True)
class PlayOffTerms:
    """Among whom a play-off decides, and for how long."""

    contenders: Sequence[str]
    """The entrants among whom it decides, best first."""
    rounds: int | None = None
    """The largest number of rounds; None for an old play-off of one round, whose points alone decide."""
    judgement: Judgement = Judgement.NEW

    @property
    def is_against_all(self) -> bool:
        """Whether a seat of each table belongs to the other entrants."""
        return self.rounds is not None and self.judgement.keeps_seats_free


@dataclass(frozen=True, slots=True)
class StandingsInputs:
    """The inputs from which the order and the champion follow."""

    results: Sequence[BlockResult]
    """Results of the league, in schedule order."""
    play_off: Sequence[BlockResult]
    """Results of the finished rounds of the play-off, in schedule order."""
    terms: PlayOffTerms | None
    """The terms of the play-off; None if there is none."""
    counted: Mapping[str, Tally]
    """Tallies over the blocks that count, by name."""
    scores: Sequence[Mapping[str, float]]
    """The score of each entrant in each block that counts, without what accomplices give."""
    measure: RankingMeasure
    draw: Draw | None
    """How the league draws opponents; None under the scores of release 0.1."""
    seed: bytes
    """The seed of the lots."""
    draw_count: int
    judgement: Judgement = Judgement.NEW
    """How the results are judged."""
    accomplices: Accomplices = field(default_factory=lambda: NO_ACCOMPLICES)
    """Those found in the results of the league, whose help is left out of the play-off too."""

    @property
    def is_by_rating(self) -> bool:
        return self.measure.estimates.bounds is None

    def break_ties(self, names: Sequence[str]) -> tuple[list[str], list[TieBreak]]:
        """Return the names ordered by the tie-breaks, and the criterion that puts each name above the next one."""
        if len(names) < 2:
            return list(names), []
        keys = ranked_tie_break_keys(names, self.results, self.counted, self.seed)
        order = list(keys)
        return order, [deciding_criterion(keys[one], keys[two]) for one, two in pairwise(order)]
