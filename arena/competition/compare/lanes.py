"""Seating for a comparison of two programs: the same deals, seats and opponents for both.

A block is one deal, played at two tables for each seat. The first two tables compare the first seat: the candidate sits
in it at one table, and the baseline at the other. The candidate and the baseline have the same opponents in the same
seats. Two more tables compare the second seat, and so on. No process may meet a deal twice, so each table has processes
of its own. Such a table, with its processes, is a **lane**. A process stays in its lane from block to block. The
opponents of a lane rotate by one seat with each block.

    lane 0   candidate  field 1  field 2        block 2:  candidate  field 2  field 1
    lane 1   baseline   field 1  field 2                  baseline   field 2  field 1
    lane 2   field 1  candidate  field 2                  field 2  candidate  field 1
    ...

A block has all seats, since a hand that is good for one is bad for the others: the places that `honest` reaches from
the seats of one deal correlate by -0.07 to -0.26 (248 deals), so their mean varies less than that of different deals.

The numbers in the names are drawn by lot, so a name reveals neither role nor lane.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from arena.competition.compare.sequential import BATCH_BLOCKS
from arena.competition.formats.port import ScheduleSize
from arena.competition.league.field import Entry, Field
from arena.competition.league.lots import order_by_lots
from arena.competition.league.model import Block, BlockResult
from arena.errors import OptionError

CANDIDATE = "candidate"
BASELINE = "baseline"


@dataclass(frozen=True)
class Lanes:
    """The format of a comparison. It has no last round, because the run of the comparison decides when to stop."""

    opponents: tuple[str, ...]
    """Roles of the opponents, one for each seat that is not compared. Several opponents may have the same role."""
    seed: bytes
    """Seed of the lots that decide the names."""
    max_blocks: int | None = None
    """The largest number of blocks; None if there is no limit."""

    name = "comparison"

    @property
    def seats(self) -> int:
        return len(self.opponents) + 1

    @cached_property
    def names(self) -> Sequence[str]:
        """Return all names, lane by lane: the compared program (the candidate in even lanes), then its opponents."""
        total = 2 * self.seats**2
        return order_by_lots(self.seed, "lanes", [f"bot{number:0{len(str(total))}d}" for number in range(1, total + 1)])

    @cached_property
    def roles(self) -> dict[str, str]:
        """Return each name's role: candidate, baseline, or an opponent."""
        lanes = [(side, *self.opponents) for _ in range(self.seats) for side in (CANDIDATE, BASELINE)]
        return dict(zip(self.names, chain.from_iterable(lanes), strict=True))

    def table(self, lane: int, block: int) -> tuple[str, ...]:
        """Return the names by seat at a lane's table in a block."""
        first, *others = self.names[lane * self.seats : (lane + 1) * self.seats]
        turn = block % max(1, len(others))
        others = others[turn:] + others[:turn]
        return (*others[: lane // 2], first, *others[lane // 2 :])

    # ---- the methods of a league's format

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Return the blocks of a round, which form one batch."""
        first, lanes = 1 + (number - 1) * BATCH_BLOCKS, range(2 * self.seats)
        end = first + BATCH_BLOCKS if self.max_blocks is None else min(first + BATCH_BLOCKS, self.max_blocks + 1)
        return [Block(block, number, tuple(self.table(lane, block) for lane in lanes)) for block in range(first, end)]

    def depends_on_results(self, number: int, field: Field) -> bool:
        return False

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Return no reasons, because the comparison has already checked the field."""
        return []

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        return OptionError("entrant", entry.name, "nobody can join a comparison")

    def size(self, field: Field) -> ScheduleSize:
        """Return an unknown size, because the run of the comparison decides when to stop."""
        return ScheduleSize(None, None)
