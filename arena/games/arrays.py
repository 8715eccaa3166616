"""The part of a game that learning environments need: what a seat sees and may do, as arrays of small numbers.

An observation is a fixed number of int8 values, and an action is one index. Two tables say what each of them means, and
are the only place for it: the code takes its offsets from them, and the guide and the tests their rows.

An observation is what one seat may know now, by what it was shown. It is no information state: it does not contain the
whole history of the game.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from arena.errors import OptionError
from arena.match.game import Question, Seat

if TYPE_CHECKING:
    from cheatarena.player import Player


class LayoutRow(NamedTuple):
    """Values that belong together, in the order of an array."""

    name: str
    size: int
    meaning: str


class Layout:
    """What each index of an array means.

    >>> layout = Layout([LayoutRow("hand", 14, "own cards"), LayoutRow("pile", 1, "cards on the pile")])
    >>> layout.size, layout.starts["pile"], layout.slice_of("hand")
    (15, 14, slice(0, 14, None))
    """

    def __init__(self, rows: Sequence[LayoutRow]) -> None:
        self.rows = tuple(rows)
        starts: dict[str, int] = {}
        size = 0
        for row in self.rows:
            starts[row.name] = size
            size += row.size
        self.size = size
        self.starts: Mapping[str, int] = starts
        """The index of the first value of each row, by name."""

    def slice_of(self, name: str) -> slice:
        """Return the indexes of a row."""
        row = next(row for row in self.rows if row.name == name)
        return slice(self.starts[name], self.starts[name] + row.size)

    def locate(self, index: int) -> tuple[str, int]:
        """Return the row that an index belongs to, and its position in that row. Raises IndexError."""
        for row in self.rows:
            position = index - self.starts[row.name]
            if 0 <= position < row.size:
                return row.name, position
        raise IndexError(index)


class SeatArrays(Protocol):
    """What the seats of one table see and may do. It is told of every transition, and of every question in turn.

    It knows the cards of all seats. `observe` depends on what its seat may know alone, and twin runs check that.
    """

    def begin(self) -> None:
        """Forget the last game."""

    def follow(self, events: Sequence[Any]) -> None:
        """Update what each seat knows after a transition."""

    def ask(self, state: Any, question: Question) -> None:
        """Put a question to a seat. It stays open until `choose` returns an action."""

    def mask(self) -> bytes:
        """Return for each action of the table 1 if the seat that is asked may choose it now, otherwise 0."""

    def choose(self, action: int) -> Any | None:
        """Take an action that the mask allows. Return an action of the rules; None if the seat must choose again."""

    def observe(self, state: Any, seat: Seat) -> bytes:
        """Return the observation of any seat, as int8 values."""


class SeenArrays(Protocol):
    """The arrays of one seat in one game, for a bot that sees the facts and the table of the SDK, and nothing else.

    They are made by the same code as those of an environment, from a state without what the seat does not see.
    """

    bot_class: "ClassVar[type[Player]]"
    """The class of the SDK from which bots of the game derive."""

    def __init__(self, table: Any, encoding: str) -> None:
        """Begin a game of a bot's table."""

    @staticmethod
    def read_ruleset(seen: Any) -> Any:
        """Return a ruleset of the SDK as one of the rules."""

    @property
    def arrays(self) -> SeatArrays:
        """What the bot's seat sees and may do. It says nothing of other seats."""

    def saw(self, fact: Any) -> None:
        """Update what the seat knows after a fact."""

    def ask(self, table: Any) -> Any:
        """Put the question of a bot's table to `arrays`. Return the state, as far as the seat sees it."""

    def answer(self, action: Any) -> Any:
        """Return an action of the rules as the answer of a bot."""


@dataclass(frozen=True, slots=True)
class GameArrays:
    """The arrays of one game."""

    observation: Layout
    """What the values of an observation mean."""
    encodings: Mapping[str, Layout]
    """What the actions mean, by the name of the encoding. The first one is the default."""
    check: Callable[[Any, int, str], None]
    """Takes ruleset, number of seats and encoding. Raises OptionError if the arrays cannot hold such a game."""
    seat_arrays: Callable[[Any, int, str], SeatArrays]
    """Takes the same, which was checked. Returns the arrays of a table."""
    describe_action: Callable[[str, int], str]
    """Takes an encoding and an action. Returns the action in words, such as `claim 2 x K`."""
    load_seen_arrays: Callable[[], type[SeenArrays]]
    """Returns what makes the same arrays for a bot. It imports the SDK."""

    def read_encoding(self, name: str) -> str:
        """Return the name of an encoding, by default the first one. Raises OptionError for an unknown name."""
        if name and name not in self.encodings:
            raise OptionError("encoding", name, f"expected {' or '.join(self.encodings)}")
        return name or next(iter(self.encodings))
