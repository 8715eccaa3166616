"""A knockout over tables: the better half of each goes on, until one table is left, the final."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.formats.apart import costs, spread
from arena.league.formats.blocks import Tables, named, numbered, several
from arena.league.formats.bracket import Stage, next_size, stages, table_count
from arena.league.formats.grouping import improved
from arena.league.formats.port import TABLES, Size
from arena.league.formats.record import Record
from arena.league.formats.refusals import below_one, is_settled, late, not_late, why_not_seated
from arena.league.lots import drawn
from arena.league.model import Block, BlockResult

FINAL = "final"


@dataclass(frozen=True, slots=True)
class Knockout:
    """Tables are drawn by lots in each round; those who have met before, and those of one owner, are kept apart.

    Who goes on, and who is better at a table, `bracket` says. Who does not fill a table goes on without a game:
    whoever did so least, by lots. Nobody can join late; withdrawn entrants are replaced by the best who were out.
    """

    games: int | None = None
    """Of a table in a round; None: as many as seats, so that each sits in each once."""
    tables: int = TABLES
    """Most of a block; 1: no deal is played twice. Three tables are one block rather than leave one alone."""

    name: ClassVar[str] = "knockout"

    def waits(self, number: int, field: Field) -> bool:
        """Tell whether this round is drawn from results: all are."""
        return True

    def why_not(self, field: Field) -> list[OptionError]:
        """Give every reason why this cannot be played with this field."""
        faults = [*why_not_seated(self.name, field), *below_one(games=self.games, tables=self.tables)]
        return [*faults, *(not_late(self.name, entry) for entry in late(field))]

    def why_not_late(self, field: Field, entry: Entry) -> OptionError | None:
        """Refuse everybody."""
        return not_late(self.name, entry)

    def round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round among those whom the one before it left."""
        record = Record(history, number)
        stage = next((each for each in stages(field, record) if each.number == number), None)
        if stage is None or len(stage.left) < field.seats:
            return ()
        label = FINAL if len(stage.left) == field.seats else ""
        games = several(self._tables(stage, field, record), self.games or field.seats, field.seed, f"round {number}")
        return numbered(games, record.next_number, number, label)

    def order(self, field: Field, history: Sequence[BlockResult]) -> list[str]:
        """Everybody, the best first: who is still in, or the final's order; then those who went out, the last first."""
        last = 1 + max((result.block.round for result in history), default=0)
        *_, stage = stages(field, Record(history, last))
        return [*stage.left, *stage.out]

    def size(self, field: Field) -> Size:
        """Count games and rounds."""
        counts = list(_table_counts(len(field.present(1)), field.seats))
        return Size(sum(counts) * (self.games or field.seats), len(counts), is_settled(field))

    def _tables(self, stage: Stage, field: Field, record: Record) -> list[Tables]:
        """Draw who rests, and who meets whom."""
        count, owners = table_count(len(stage.left), field.seats), field.owners()
        names = drawn(field.seed, f"round {stage.number}", stage.left)
        names.sort(key=lambda name: -stage.rests[name])
        playing = names[: count * field.seats]
        theirs = [owners[name] for name in playing]
        start = spread(range(len(playing)), (), count, self.tables, theirs)
        return named(improved(start, costs(theirs, record.meetings(playing))), playing)


def _table_counts(people: int, seats: int) -> Iterator[int]:
    while count := table_count(people, seats):
        yield count
        people = next_size(people, seats)
