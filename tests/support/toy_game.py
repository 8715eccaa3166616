"""Raid: the smallest game that uses all of the game interface, and a model for people who add a game.

Two to four seats sit round a table. Each has a few coins, and a die hidden under a cup. The seat in turn aims at
another seat. If the target blocks, the turn is over. Otherwise a die is rolled, and the raider may take as many of the
target's coins as the die shows. After the agreed number of rounds, the cups are lifted: the seat with the highest sum
of its coins and its die wins.

    chance: cups ──▶ aim ──▶ reaction ──▶ chance: die ──▶ take ──▶ aim of the next seat … ──▶ over
                      ▲          │ blocked
                      └──────────┘

Raid has chance at the start (a secret die for each seat) and during the game (the die of a raid), a choice in two steps
(aim and take, two questions of a turn), a question to another seat (the reaction), secrets (the cups), seats that
leave, an outcome with shared places, and memory of earlier games (the last of one game begins the next).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeAlias, assert_never

from arena.errors import NotationError, OptionError, OptionsError, UnknownNameError
from arena.match.game import (
    ChanceRequest,
    ClosingRule,
    GameSetup,
    Outcome,
    Question,
    QuestionGroup,
    RedactedEvent,
    Seat,
    Style,
    TimeLimit,
    Transition,
)

FACES = 6
TURN = "turn"
REACTION = "reaction"


# ---- ruleset


@dataclass(frozen=True, slots=True)
class RaidRules:
    """The options of Raid."""

    rounds: int = 3
    """Turns of each seat, 1 to 50."""
    coins: int = 5
    """Coins of each seat at the start, 1 to 20."""


_RANGES = {"rounds": (1, 50), "coins": (1, 20)}


def why_option_refused(name: str, value: object) -> str | None:
    if name not in _RANGES:
        return "unknown option; known: " + ", ".join(_RANGES)
    low, high = _RANGES[name]
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return None
    return f"a whole number from {low} to {high}"


# ---- actions


@dataclass(frozen=True, slots=True)
class Aim:
    """Choose the seat to raid."""

    target: Seat


@dataclass(frozen=True, slots=True)
class Take:
    """Take coins of the target."""

    count: int


@dataclass(frozen=True, slots=True)
class React:
    """Block the raid or let it pass."""

    blocks: bool


Action: TypeAlias = Aim | Take | React

BLOCK = React(blocks=True)
ALLOW = React(blocks=False)


# ---- the options of each question


@dataclass(frozen=True, slots=True)
class AimOptions:
    """Seats that can be raided."""

    targets: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class TakeOptions:
    """Coins that can be taken: 0 to `most`."""

    most: int


@dataclass(frozen=True, slots=True)
class ReactOptions:
    """The seat that raids."""

    raider: Seat


# ---- events, with all secrets


@dataclass(frozen=True, slots=True)
class CupsFilled:
    """Every seat has a die under its cup, 1 to 6 by seat."""

    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Aimed:
    """A raid begins."""

    seat: Seat
    target: Seat


@dataclass(frozen=True, slots=True)
class Reacted:
    """The target has blocked the raid or let it pass."""

    seat: Seat
    blocks: bool


@dataclass(frozen=True, slots=True)
class DieRolled:
    """The raid's die, 1 to 6."""

    value: int


@dataclass(frozen=True, slots=True)
class Taken:
    """Coins changed hands."""

    seat: Seat
    target: Seat
    count: int


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat is gone with its coins."""

    seat: Seat
    place: int


@dataclass(frozen=True, slots=True)
class CupsLifted:
    """The end of the game, with the points by seat; 0 for a seat that left."""

    points: tuple[int, ...]


Event: TypeAlias = CupsFilled | Aimed | Reacted | DieRolled | Taken | SeatLeft | CupsLifted


# ---- what viewers see instead of an event with secrets


@dataclass(frozen=True, slots=True)
class CupsCovered:
    """Every seat has a die under its cup."""

    seat_count: int


@dataclass(frozen=True, slots=True)
class OwnCup:
    """The die under one's own cup."""

    value: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table as one viewer knows it."""

    coins: tuple[int, ...]
    places: tuple[int, ...]
    turn: Seat
    target: Seat | None
    die: int
    own_cup: int | None
    """None for spectators and before the dice are rolled."""


# ---- state


class Phase(Enum):
    """What the game waits for."""

    CUPS = "cups"
    AIM = "aim"
    REACTION = "reaction"
    DIE = "die"
    TAKE = "take"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class State:
    """All facts of a game, including secret ones."""

    rules: RaidRules
    coins: tuple[int, ...]
    turn: Seat
    turns_left: int
    cups: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    """Places by seat; 0 while a seat has none."""
    phase: Phase = Phase.CUPS
    target: Seat | None = None
    die: int = 0
    step: int = 0
    asked: int = 0
    """Step at which the open question was asked."""

    def after(self, **changes: Any) -> "State":
        """Return the state after a transition with these changes."""
        step = self.step + 1
        asked = step if "phase" in changes else self.asked
        return replace(self, step=step, asked=asked, **changes)

    def others(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the other seats that still play, clockwise."""
        count = len(self.coins)
        ring = [Seat((seat + distance) % count) for distance in range(1, count)]
        return tuple(other for other in ring if not self.places[other])


def _next_turn(state: State, **changes: Any) -> Transition:
    """End the turn: the next seat aims, or the cups are lifted."""
    after = state.after(**changes, phase=Phase.AIM, target=None, die=0, turns_left=state.turns_left - 1)
    others = after.others(after.turn)
    if after.turns_left and (len(others) > 1 or (others and not after.places[after.turn])):
        return Transition(replace(after, turn=others[0]), ())
    return _lift_cups(after)


def _lift_cups(state: State) -> Transition:
    """End the game: the seats that stayed are placed by the sum of their coins and their die; ties share a place."""
    pairs = list(zip(state.coins, state.cups, state.places, strict=True))
    points = tuple(0 if place else coins + cup for coins, cup, place in pairs)
    places = tuple(
        place or 1 + sum(other > mine for other in points) for mine, place in zip(points, state.places, strict=True)
    )
    return Transition(replace(state, phase=Phase.OVER, places=places), (CupsLifted(points),))


# ---- the game


class RaidGame:
    """Implements `arena.match.game.Game`, where each method is described."""

    name = "raid"
    version = "1"
    presets: Sequence[str] = ("plain", "short")

    def build_ruleset(self, preset: str, options: Mapping[str, Any]) -> RaidRules:
        """Build a checked ruleset."""
        if preset not in self.presets:
            raise UnknownNameError("preset", preset, self.presets)
        faults = [OptionError(n, v, why) for n, v in options.items() if (why := why_option_refused(n, v)) is not None]
        if faults:
            raise OptionsError(faults)
        return replace(RaidRules(rounds=1) if preset == "short" else RaidRules(), **options)

    def ruleset_options(self, ruleset: RaidRules) -> Mapping[str, object]:
        """Return all options as plain values."""
        return {"rounds": ruleset.rounds, "coins": ruleset.coins}

    def check_seats(self, ruleset: RaidRules, seat_count: int, style: Style) -> None:
        """Refuse any number of seats but two to four."""
        if not 2 <= seat_count <= 4:
            raise OptionError("entrants", seat_count, "raid is played by 2 to 4")

    def initial_state(self, ruleset: RaidRules, setup: GameSetup) -> State:
        """Return the state before the dice: seat 0 begins the first game, the last of a game begins the next one."""
        count = setup.seat_count
        first = 0
        if setup.history:
            places = setup.history[-1].places
            first = places.index(max(places))
        nobody = (0,) * count
        return State(ruleset, (ruleset.coins,) * count, Seat(first), ruleset.rounds * count, nobody, nobody)

    def chance_request(self, state: State) -> ChanceRequest | None:
        """Ask for the dice of the cups at the start, and later for the die of a raid."""
        if state.phase is Phase.CUPS:
            return ChanceRequest("cups", 0, 0, count=len(state.coins), faces=FACES)
        if state.phase is Phase.DIE:
            return ChanceRequest("die", state.turns_left, 0, count=1, faces=FACES)
        return None

    def apply_chance(self, state: State, values: Sequence[int]) -> Transition:
        """Apply the dice."""
        dice = tuple(value + 1 for value in values)
        if state.phase is Phase.CUPS:
            return Transition(state.after(phase=Phase.AIM, cups=dice), (CupsFilled(dice),))
        if state.phase is Phase.DIE:
            return Transition(state.after(phase=Phase.TAKE, die=dice[0]), (DieRolled(dice[0]),))
        raise ValueError("no chance is wanted")

    def open_groups(self, state: State) -> tuple[QuestionGroup, ...]:
        """Return the only open question. It stays open if a seat leaves that is neither raider nor target."""
        turn, target = state.turn, state.target
        if state.phase is Phase.AIM:
            return (self._turn(state, AimOptions(state.others(turn))),)
        if state.phase is Phase.TAKE:
            return (self._turn(state, TakeOptions(_max_take(state))),)
        if state.phase is Phase.REACTION and target is not None:
            question = Question(target, ReactOptions(turn))
            return (
                QuestionGroup(
                    REACTION, state.asked, (question,), ClosingRule.ALL, TimeLimit.REACTION, clock=state.asked
                ),
            )
        return ()

    def _turn(self, state: State, options: AimOptions | TakeOptions) -> QuestionGroup:
        question = Question(state.turn, options)
        return QuestionGroup(TURN, state.asked, (question,), ClosingRule.FIRST, TimeLimit.TURN, clock=state.asked)

    def why_illegal(self, state: State, seat: Seat, action: Action, kind: str | None = None) -> str | None:
        """Return why an action is illegal: `game_over`, `not_your_turn`, `bad_target`, `too_many` or `not_asked`."""
        if state.phase is Phase.OVER:
            return "game_over"
        match action:
            case React():
                return None if state.phase is Phase.REACTION and seat == state.target else "not_asked"
            case Aim(target):
                if state.phase is not Phase.AIM or seat != state.turn:
                    return "not_your_turn"
                return None if target in state.others(seat) else "bad_target"
            case Take(count):
                if state.phase is not Phase.TAKE or seat != state.turn:
                    return "not_your_turn"
                return None if 0 <= count <= _max_take(state) else "too_many"
            case _:
                assert_never(action)

    def is_settling(self, action: Action) -> bool:
        """Return True: every answer settles its question."""
        return True

    def is_move(self, action: Action) -> bool:
        """Return whether an action is a move: all but reactions are."""
        return not isinstance(action, React)

    def resolve(self, state: State, kind: str, answers: Mapping[Seat, Action]) -> Transition:
        """Settle the open question; without a reaction, the raid is allowed."""
        if state.phase is Phase.REACTION and state.target is not None:
            return _react(state, state.target, answers.get(state.target, ALLOW))
        action = answers[state.turn]
        if isinstance(action, Aim):
            aimed = Aimed(state.turn, action.target)
            return Transition(state.after(phase=Phase.REACTION, target=action.target), (aimed,))
        if isinstance(action, Take) and state.target is not None:
            return _take(state, state.target, action.count)
        raise ValueError(f"{action!r} settles nothing here")

    def automatic_action(self, state: State, seat: Seat, kind: str) -> Action:
        """Return the automatic action: aim at the next seat, take nothing, or allow."""
        if kind == REACTION:
            return ALLOW
        return Aim(state.others(seat)[0]) if state.phase is Phase.AIM else Take(0)

    def leave(self, state: State, seat: Seat) -> Transition:
        """Remove a seat. A raid by it or against it ends the turn; another raid goes on."""
        if state.phase in (Phase.CUPS, Phase.DIE):
            raise ValueError("a seat cannot leave while dice roll")
        if state.places[seat]:
            return Transition(state, ())
        place = max(set(range(1, len(state.coins) + 1)) - set(state.places))
        changes = {"coins": _with_value(state.coins, seat, 0), "places": _with_value(state.places, seat, place)}
        left = SeatLeft(seat, place)
        if seat in (state.turn, state.target) or len(state.others(seat)) < 2:
            after, events = _next_turn(state, **changes)
            return Transition(after, (left, *events))
        return Transition(state.after(**changes), (left,))

    def redact(self, event: Event) -> RedactedEvent:
        """Hide the cups of other seats until they are lifted; all else is public."""
        if isinstance(event, CupsFilled):
            own = {Seat(seat): (OwnCup(value),) for seat, value in enumerate(event.dice)}
            return RedactedEvent(CupsCovered(len(event.dice)), own)
        return RedactedEvent(event, {})

    def snapshot(self, state: State, viewer: Seat | None) -> Snapshot:
        """Return everything public, and the viewer's own cup."""
        own = None if viewer is None or state.phase is Phase.CUPS else state.cups[viewer]
        return Snapshot(state.coins, state.places, state.turn, state.target, state.die, own)

    def outcome(self, state: State) -> Outcome | None:
        """Return the places, with the winner's points as the detail that later games remember."""
        if state.phase is not Phase.OVER:
            return None
        points = zip(state.coins, state.cups, state.places, strict=True)
        best = max(coins + cup for coins, cup, place in points if place == 1)
        return Outcome(state.places, "cups_lifted", detail=best)

    def write_action(self, action: Action) -> str:
        """Return the text of an action: `aim 2`, `take 3`, `block` or `allow`."""
        match action:
            case Aim(target):
                return f"aim {target}"
            case Take(count):
                return f"take {count}"
            case React(blocks):
                return "block" if blocks else "allow"
            case _:
                assert_never(action)

    def read_action(self, text: str) -> Action:
        """Return the action of a text of `write_action`."""
        verb, _, number = text.partition(" ")
        if text in ("block", "allow"):
            return BLOCK if text == "block" else ALLOW
        if verb in ("aim", "take") and number.isascii() and number.isdigit() and str(int(number)) == number:
            return Aim(Seat(int(number))) if verb == "aim" else Take(int(number))
        raise NotationError(text, "aim SEAT, take COUNT, block or allow")

    def event_statistics(self, event: Event) -> Iterable[tuple[Seat, str]]:
        """Count turns, blocks and coins taken."""
        if isinstance(event, Aimed):
            yield event.seat, "turns"
        elif isinstance(event, Reacted) and event.blocks:
            yield event.seat, "blocks"
        elif isinstance(event, Taken):
            yield from [(event.seat, "coins")] * event.count

    def describe_event(self, event: Event) -> str:
        """Return an event as a sentence."""
        match event:
            case CupsFilled(dice):
                return "dice under the cups: " + " ".join(map(str, dice))
            case Aimed(seat, target):
                return f"seat {seat} raids seat {target}"
            case Reacted(seat, blocks):
                return f"seat {seat} {'blocks' if blocks else 'lets it pass'}"
            case DieRolled(value):
                return f"the die shows {value}"
            case Taken(seat, target, count):
                return f"seat {seat} takes {count} of seat {target}"
            case SeatLeft(seat, place):
                return f"seat {seat} leaves, place {place}"
            case CupsLifted(points):
                return "points: " + " ".join(map(str, points))
            case _:
                assert_never(event)


def _max_take(state: State) -> int:
    return 0 if state.target is None else min(state.die, state.coins[state.target])


def _with_value(values: tuple[int, ...], seat: Seat, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def _react(state: State, target: Seat, action: Action) -> Transition:
    blocks = action == BLOCK
    reacted = Reacted(target, blocks)
    if not blocks:
        return Transition(state.after(phase=Phase.DIE), (reacted,))
    after, events = _next_turn(state)
    return Transition(after, (reacted, *events))


def _take(state: State, target: Seat, count: int) -> Transition:
    coins = _with_value(state.coins, target, state.coins[target] - count)
    after, events = _next_turn(state, coins=_with_value(coins, state.turn, state.coins[state.turn] + count))
    return Transition(after, (Taken(state.turn, target, count), *events))


RAID = RaidGame()
"""The one instance; it holds no state."""
