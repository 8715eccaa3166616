"""The door of the Cheat family: its rules behind the contract that every game keeps."""

from collections.abc import Iterable, Mapping, Sequence

from arena.rules.cheat import (
    cutting,
    dealing,
    leaving,
    legality,
    notation,
    parts,
    questions,
    telling,
    transition,
    views,
)
from arena.rules.cheat.actions import Action, Believe, Call, Decline
from arena.rules.cheat.automatic import automatic
from arena.rules.cheat.events import Event
from arena.rules.cheat.law import law_of
from arena.rules.cheat.options import read_ruleset, refuse_seats, write_ruleset
from arena.rules.cheat.presets import PRESETS
from arena.rules.cheat.ruleset import Ruleset
from arena.rules.cheat.state import State
from arena.rules.cheat.tally import tally
from arena.rules.game import Chance, GameSetup, Group, Outcome, Redacted, Seat, Step, Style


class CheatGame:
    """Cheat with house rules. Implements `arena.rules.game.Game`, where each method is described."""

    name = "cheat"
    version = "1"
    presets: Sequence[str] = tuple(PRESETS)

    def ruleset(self, preset: str, options: Mapping[str, object]) -> Ruleset:
        """Build a checked ruleset. Raises UnknownNameError for the preset, OptionsError naming every refused option."""
        return read_ruleset(preset, options)

    def describe(self, ruleset: Ruleset) -> Mapping[str, object]:
        """Give all options as plain values; `ruleset` reads them back."""
        return write_ruleset(ruleset)

    def check_seats(self, ruleset: Ruleset, seat_count: int, style: Style) -> None:  # noqa: ARG002  either style plays
        """Raise OptionsError for more or fewer seats than the ruleset allows."""
        refuse_seats(ruleset, seat_count)

    def new(self, ruleset: Ruleset, setup: GameSetup) -> State:
        """Make the state before the deal."""
        return dealing.new(law_of(ruleset, setup.style, setup.seat_count), setup.deal_moves)

    def chance(self, state: State) -> Chance | None:
        """Want the order of the deck, then the first mover if it is drawn."""
        return dealing.chance(state)

    def draw(self, state: State, values: Sequence[int]) -> Step:
        """Apply the drawn values."""
        return dealing.draw(state, values)

    def groups(self, state: State) -> tuple[Group, ...]:
        """List the open questions: cut, choice, turn, window, or in the live style the last two together."""
        return questions.groups(state)

    def why_illegal(self, state: State, seat: Seat, action: Action, kind: str | None = None) -> str | None:
        """Give the rule code that forbids this action now, or None."""
        return legality.why_illegal(state, seat, action, kind)

    def settles(self, action: Action) -> bool:
        """Everything but a decline settles."""
        return not isinstance(action, Decline)

    def is_move(self, action: Action) -> bool:
        """A play, a pass, a cut or a choice; what is said of another's move is none (spec A11)."""
        return not isinstance(action, Call | Believe | Decline)

    def resolve(self, state: State, kind: str, answers: Mapping[Seat, Action]) -> Step:
        """Settle a group with the legal answers given."""
        return transition.resolve(state, kind, answers)

    def automatic(self, state: State, seat: Seat, kind: str) -> Action:
        """Choose the action for a seat that does not answer."""
        return automatic(state, seat, kind)

    def leave(self, state: State, seat: Seat) -> Step:
        """Take a seat out of the game at once."""
        return cutting.leave(state, seat) if state.phase in cutting.CUTTING else leaving.leave(state, seat)

    def redact(self, event: Event) -> Redacted:
        """Split an event by who may see what."""
        return views.redact(event)

    def snapshot(self, state: State, viewer: Seat | None) -> parts.Snapshot:
        """Everything that the viewer (None: a spectator) may know."""
        return views.snapshot(state, viewer)

    def outcome(self, state: State) -> Outcome | None:
        """Places by seat and why the game ended; None while it goes on."""
        return None if state.ended is None else Outcome(state.places, state.ended.value)

    def write_action(self, action: Action) -> str:
        """Text form of an action, exact."""
        return notation.write_action(action)

    def read_action(self, text: str) -> Action:
        """Read `write_action`'s text. Raises NotationError."""
        return notation.read_action(text)

    def tally(self, event: Event) -> Iterable[tuple[Seat, str]]:
        """Count turns, lies, calls and beliefs."""
        return tally(event)

    def tell(self, event: Event) -> str:
        """The event in the words of the table."""
        return telling.tell(event)


CHEAT = CheatGame()
"""The one instance; it holds no state."""
