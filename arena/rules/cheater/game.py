"""The door of CHEATER: its rules behind the contract that every game keeps."""

from collections.abc import Iterable, Mapping, Sequence

from arena.rules.cheater import dealing, leaving, legality, notation, questions, telling, transition, views, winning
from arena.rules.cheater.actions import Action, Allow, Hide
from arena.rules.cheater.automatic import automatic
from arena.rules.cheater.events import Event
from arena.rules.cheater.options import read_ruleset, refuse_seats, write_ruleset
from arena.rules.cheater.presets import PRESETS
from arena.rules.cheater.ruleset import Ruleset
from arena.rules.cheater.state import State
from arena.rules.cheater.tally import tally
from arena.rules.game import Chance, GameSetup, Group, Outcome, Redacted, Seat, Step, Style


class CheaterGame:
    """CHEATER. Implements `arena.rules.game.Game`, where each method is described. Both styles play alike."""

    name = "cheater"
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
        return dealing.new(ruleset, setup)

    def chance(self, state: State) -> Chance | None:
        """Want the order of the cards, dice, or a shuffle."""
        return dealing.chance(state)

    def draw(self, state: State, values: Sequence[int]) -> Step:
        """Apply the drawn values."""
        return dealing.draw(state, values)

    def groups(self, state: State) -> tuple[Group, ...]:
        """List the open question."""
        return questions.groups(state)

    def why_illegal(self, state: State, seat: Seat, action: Action, kind: str | None = None) -> str | None:
        """Give the rule code that forbids this action now, or None."""
        return legality.why_illegal(state, seat, action, kind)

    def settles(self, action: Action) -> bool:  # noqa: ARG002  one seat is asked at a time
        """Every answer settles its question."""
        return True

    def is_move(self, action: Action) -> bool:
        """Everything but the answer to an attack."""
        return not isinstance(action, Allow | Hide)

    def resolve(self, state: State, kind: str, answers: Mapping[Seat, Action]) -> Step:
        """Settle the open question with the legal answer given."""
        return transition.resolve(state, kind, answers)

    def automatic(self, state: State, seat: Seat, kind: str) -> Action:
        """Choose the action for a seat that does not answer."""
        return automatic(state, seat, kind)

    def leave(self, state: State, seat: Seat) -> Step:
        """Take a seat out of the game at once."""
        return leaving.leave(state, seat)

    def redact(self, event: Event) -> Redacted:
        """Split an event by who may see what."""
        return views.redact(event)

    def snapshot(self, state: State, viewer: Seat | None) -> views.Snapshot:
        """Everything that the viewer (None: a spectator) may know."""
        return views.snapshot(state, viewer)

    def outcome(self, state: State) -> Outcome | None:
        """Places by seat, why the game ended, and a win's colour and titles; None while it goes on."""
        return winning.outcome(state)

    def write_action(self, action: Action) -> str:
        """Text form of an action, exact."""
        return notation.write_action(action)

    def read_action(self, text: str) -> Action:
        """Read `write_action`'s text. Raises NotationError."""
        return notation.read_action(text)

    def tally(self, event: Event) -> Iterable[tuple[Seat, str]]:
        """Count turns, markers, attacks and hides."""
        return tally(event)

    def tell(self, event: Event) -> str:
        """The event in the words of the table."""
        return telling.tell(event)


CHEATER = CheaterGame()
"""The one instance; it holds no state."""
