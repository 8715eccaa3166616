"""The table at one instant, as a plain value that a terminal and a web page can show without knowing any rules.

All texts are safe to print: names are escaped, and no text contains control characters. A page must still escape them
for HTML.
"""

from enum import Enum

from arena.match.value_class import value_class


class MatchPhase(Enum):
    """How far a match has progressed."""

    WAITING = "waiting"
    """The match has not begun."""
    PLAYING = "playing"
    """A game is running."""
    BREAK = "break"
    """A game is over and the next one has not begun. The drawing still shows how the last game ended."""
    OVER = "over"
    """The match is over. The drawing shows how its last game ended."""


@value_class()
class CardFace:
    """How a card looks face up."""

    title: str
    """The large text, such as `10`, `E` or `TAKE`."""
    symbol: str = ""
    """The sign below it, such as `♥`."""
    colour: str = "black"
    """`black`, `red`, `yellow`, `purple` or `blue`."""


@value_class()
class DrawnCards:
    """Cards that lie together: some face up, some face down."""

    faces: tuple[str, ...] = ()
    """The text of each card that everybody sees, such as `4C` in Cheat or `RE` and `HIDE` in CHEATER."""
    back_count: int | None = 0
    """Number of cards face down whose faces are not drawn; None if the ruleset hides it."""
    own_faces: tuple[str, ...] = ()
    """The text of each card that only `seat` sees, drawn in a replay; none while a match is watched."""
    seat: int | None = None
    """The seat that has laid the cards, or that holds `own_faces`; None if that is no matter."""
    claim: str = ""
    """What was claimed of the cards, such as `2 x K`; empty if nothing was."""
    is_lie: bool = False
    """Whether the cards are drawn and differ from the claim."""

    @property
    def count(self) -> int | None:
        """Number of all these cards; None if the ruleset hides it."""
        return None if self.back_count is None else len(self.faces) + len(self.own_faces) + self.back_count


@value_class()
class DrawnRow:
    """Something in the centre of the table, or something that has just been revealed there."""

    label: str
    """What it is, in one or two words, such as `pile`. It is the same in every drawing of the game."""
    text: str
    """The whole content in words, with names in place of seat numbers."""
    cards: tuple[DrawnCards, ...] = ()
    """The cards that the text is about, for pages that draw cards. The text alone is complete."""
    dice: tuple[int, ...] = ()
    """The dice that the text is about, each from 1 to 6."""


@value_class()
class DrawnSeat:
    """A seat and the entrant that sits there."""

    seat: int
    """0-based, clockwise."""
    name: str
    """The entrant's name; unique at the table. In an anonymous match it is `entrant 0` and so on."""
    hand: DrawnCards
    is_to_move: bool = False
    """Whether it is this seat's turn."""
    is_asked: bool = False
    """Whether the seat is asked something now, as far as everybody knows: for a move, or whether it calls or hides.

    During a window, the seats that may call are asked, and the seat to move is not, unless it may call too.
    """
    badges: tuple[str, ...] = ()
    """Short notes, such as `passed` or `CHEATER`."""
    place: int = 0
    """The place of a seat that is out, or of each seat when the game is over; 1 is best. 0 while the seat plays."""

    @property
    def turn_note(self) -> str:
        """Whether the seat has to do something, in words; empty if not."""
        if self.is_to_move:
            return "to move" if self.is_asked else "in turn"
        return "asked" if self.is_asked else ""


@value_class()
class DrawnScore:
    """How an entrant stands in the match."""

    name: str
    """As in `DrawnSeat`."""
    place_sum: int
    """Sum of the places in the finished games; lower is better."""
    win_count: int
    """Number of finished games with place 1, shared or not."""


@value_class()
class Drawing:
    """The table at one instant, as spectators may know it."""

    phase: MatchPhase = MatchPhase.WAITING
    rules: str = ""
    """Game and preset, such as `cheat standard`; empty while the match is waiting."""
    game: int | None = None
    """0-based number of the game that is shown; None if there is none yet."""
    game_count: int = 0
    """Number of games of the match."""
    games_ended: int = 0
    turn: int = 0
    """Number of moves and passes in this game so far; in CHEATER, of turns that have begun."""
    seats: tuple[DrawnSeat, ...] = ()
    """In the order of the seats. Empty before the first game, and between games for a spectator that has just come."""
    centre: tuple[DrawnRow, ...] = ()
    """What lies between the seats, in a fixed order."""
    verdict: DrawnRow | None = None
    """The last call or attack of this game and what came of it. None if there was none yet, or none since this
    spectator came: a snapshot does not contain it."""
    scores: tuple[DrawnScore, ...] = ()
    """In the order of the entrants, which stays the same in all games."""
    termination: str = ""
    """Why the match is over, such as `finished`; empty before its end."""
