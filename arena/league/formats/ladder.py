"""A ladder: round after round those play of whom least is known, against others who seem as strong."""

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import ClassVar

import numpy as np

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.formats.apart import costs
from arena.league.formats.blocks import cut, named, numbered, several
from arena.league.formats.grouping import Costs, Numbers, block_count, improved
from arena.league.formats.port import TABLES, Size
from arena.league.formats.record import Record
from arena.league.formats.refusals import below_one, is_settled, why_not_first, why_not_seated
from arena.league.formats.strength import Strength, Strengths
from arena.league.lots import drawn
from arena.league.model import Block, BlockResult

_RECENT = 2
"""Rounds in which to have met counts against meeting again."""
_AGAIN = 0.5
"""What to have met in one of them counts, as a gap between strengths."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """In each round about half of the field plays: those whose strength is least certain, the closest together.

    Somebody late begins as the least certain; whoever is withdrawn is seated no more.
    """

    rounds: int | None = None
    """None: it goes on until its time is over, or somebody ends it."""
    games: int | None = None
    """Of a table in a round; None: as many as seats, so that each sits in each once."""
    tables: int = TABLES
    """Most of a block; 1: no deal is played twice. Three tables are one block rather than leave one alone."""
    budget_s: float | None = None
    """Seconds from the first game after which no round begins; None: that is no matter."""
    _strengths: Strengths = dataclass_field(default_factory=Strengths, init=False, repr=False, compare=False)

    name: ClassVar[str] = "ladder"

    def waits(self, number: int, field: Field) -> bool:
        """Tell whether this round is drawn from results: all are."""
        return True

    def why_not(self, field: Field) -> list[OptionError]:
        """Give every reason why this cannot be played with this field."""
        counts = below_one(rounds=self.rounds, games=self.games, tables=self.tables)
        return [*why_not_seated(self.name, field), *counts]

    def why_not_late(self, field: Field, entry: Entry) -> OptionError | None:
        """Take everybody."""
        return why_not_first(entry)

    def round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round from the strengths after those before it."""
        names = drawn(field.seed, f"round {number}", field.present(number))
        count = _table_count(len(names), field.seats)
        if not count or (self.rounds is not None and number > self.rounds):
            return ()
        record = Record(history, number)
        known = self._strengths.after(record.results)
        strengths = {name: known.get(name, Strength()) for name in names}
        playing = sorted(names, key=lambda name: -strengths[name].deviation)[: count * field.seats]
        playing.sort(key=lambda name: -strengths[name].mean)
        start = cut(range(len(playing)), field.seats, block_count(count, self.tables))
        found = improved(start, _costs(playing, strengths, field, record.meetings(playing, max(1, number - _RECENT))))
        games = several(named(found, playing), self.games or field.seats, field.seed, f"round {number}")
        return numbered(games, record.next_number, number)

    def size(self, field: Field) -> Size:
        """Count games and rounds, where rounds are given."""
        if self.rounds is None:
            return Size(None, None, budget_s=self.budget_s)
        tables = _table_count(len(field.entered(1)), field.seats)
        return Size(self.rounds * tables * (self.games or field.seats), self.rounds, is_settled(field))


def _table_count(people: int, seats: int) -> int:
    """Half of the tables that could be filled, but two where they can be."""
    full = people // seats
    return max(-(-full // 2), min(2, full))


def _costs(playing: Sequence[str], strengths: dict[str, Strength], field: Field, recent: Numbers) -> Costs:
    """The squares of gaps, in millionths; to have met lately counts like a gap."""
    gaps = [[strengths[one].gap(strengths[other]) for other in playing] for one in playing]
    squares = np.rint((np.array(gaps) ** 2 + recent * _AGAIN**2) * 1e6).astype(np.int64)
    owners = field.owners()
    return costs([owners[name] for name in playing], squares)
