"""The pack of Raid, with all parts of a new game. Its rules are in `toy_game`, its codec in `toy_wire`."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from arena.errors import NotationError, OptionError
from arena.games.pack import CheckedRules, CheckRules, FigureColumn, GamePack, RulesetSource
from arena.games.scenarios import COMMON_PACE_OPTIONS, ScenarioAdapter
from arena.games.secrecy.knowledge_model import DecisionRule, DrawnValues
from arena.match.game import ChanceRequest, Game, Question, Seat
from arena.match.referee.terms import Terms
from arena.replays.analytics.bot_figures import CommonFigures, Ratio, common_figures
from arena.replays.analytics.counts import Counts, SeatAnalytics
from arena.replays.analytics.game_analytics import GameAnalytics
from arena.replays.narration.phrasing import PlainPhrasing
from arena.replays.watch.drawing import CardFace, DrawnCards, DrawnRow, DrawnSeat
from tests.support import toy_game
from tests.support.toy_bot import RAID_VALUES
from tests.support.toy_game import RAID, Aim, AimOptions, Phase, RaidRules, React, State, Take, TakeOptions
from tests.support.toy_wire import RAID_WIRE

# ---- what recorded games say about the bots


class RaidAnalyzer:
    """Counts turns and blocks."""

    def __init__(self, terms: Mapping[str, Any]) -> None:
        self._counts = [Counter[str](games=1) for _ in terms["entrants"]]

    def apply_event(self, name: str, fields: Mapping[str, Any]) -> None:
        """Count the next event."""
        if name == "Aimed":
            self._counts[fields["seat"]]["turns"] += 1
        elif name == "Reacted":
            self._counts[fields["seat"]]["raids_suffered"] += 1
            self._counts[fields["seat"]]["blocks"] += fields["blocks"]

    def seat_analytics(self) -> tuple[SeatAnalytics, ...]:
        """Return the counts by seat."""
        return tuple(SeatAnalytics({name: [count] for name, count in counts.items()}) for counts in self._counts)


@dataclass(frozen=True, slots=True)
class RaidFigures:
    """How a bot blocks."""

    play: CommonFigures
    blocks: Ratio
    """Share of the raids against it that it blocked."""


def raid_figures(counts: Counts) -> RaidFigures:
    """Return the figures of a bot, computed from its sums."""
    return RaidFigures(
        common_figures(counts), Ratio(sum(counts.get("blocks", [])), sum(counts.get("raids_suffered", [])))
    )


# ---- what spectators see of the table


class RaidDrawing:
    """Implements `arena.replays.watch.game_drawing.GameDrawing`."""

    def follow(self, terms: Terms, state: toy_game.Snapshot, part: Any) -> toy_game.Snapshot:
        """Return the state after an event. A turn lasts until the next raid."""
        match part:
            case toy_game.Aimed(seat, target):
                return replace(state, turn=seat, target=target, die=0)
            case toy_game.DieRolled(value):
                return replace(state, die=value)
            case toy_game.Taken(seat, target, count):
                coins = list(state.coins)
                coins[seat] += count
                coins[target] -= count
                return replace(state, coins=tuple(coins))
            case _:
                return state

    def count_turns(self, state: toy_game.Snapshot) -> int:
        """Return 0: the table does not tell."""
        return 0

    @property
    def faces(self) -> Mapping[str, CardFace]:
        """Return nothing: there are no cards."""
        return {}

    def draw_seats(
        self, terms: Terms, state: toy_game.Snapshot, seen: Mapping[Seat, toy_game.Snapshot]
    ) -> Sequence[DrawnSeat]:
        """Return the seats with their coins."""
        return [
            DrawnSeat(seat, "", DrawnCards(), is_to_move=seat == state.turn, badges=(f"{coins} coins",))
            for seat, coins in enumerate(state.coins)
        ]

    def draw_centre(
        self, terms: Terms, state: toy_game.Snapshot, seen: Mapping[Seat, toy_game.Snapshot]
    ) -> Sequence[DrawnRow]:
        """Return the raid."""
        return [DrawnRow("raid", "none" if state.target is None else f"at seat {state.target}, die {state.die}")]

    def follow_verdict(self, verdict: DrawnRow | None, part: Any) -> DrawnRow | None:
        """Return None: nothing is judged."""
        return None


# ---- what viewers may know


class RaidTracker:
    """Tracks what a viewer knows: its own cup, as nothing else is secret."""

    def __init__(self, viewer: Seat | None) -> None:
        self._viewer = viewer

    def follow(self, event: Any) -> None:
        """Do nothing: the cups stay hidden until the end."""

    def redeal_unknown(self, state: State, random: Random) -> State:
        """Return the state with other dice under the cups of other seats."""
        cups = [cup if seat == self._viewer else random.randint(1, 6) for seat, cup in enumerate(state.cups)]
        return replace(state, cups=tuple(cups))

    def visible_part(self, event: Any) -> Any:
        """Return the whole event, without the cups of other seats."""
        if isinstance(event, toy_game.CupsFilled):
            return None if self._viewer is None else event.dice[self._viewer]
        return event


class RaidKnowledgeModel:
    """Implements `arena.games.secrecy.knowledge_model.KnowledgeModel`."""

    game: Game = RAID

    def draw_ruleset(self, random: Random) -> tuple[str, Mapping[str, object], int]:
        """Draw a preset and a number of seats."""
        return random.choice(RAID.presets), {}, random.randint(2, 4)

    def draw_for_twin(
        self,
        ruleset: RaidRules,
        seat_count: int,
        viewer: Seat | None,
        chance: ChanceRequest,
        values: DrawnValues,
        random: Random,
    ) -> DrawnValues:
        """Draw other dice for the cups of other seats; a raid's die is public and stays."""
        if chance.purpose != "cups":
            return values
        return [value if seat == viewer else random.randrange(6) for seat, value in enumerate(values)]

    def build_tracker(self, ruleset: RaidRules, seat_count: int, viewer: Seat | None) -> RaidTracker:
        """Return a tracker for a viewer."""
        return RaidTracker(viewer)

    def draw_decision(self, state: State, kind: str, question: Question, random: Random) -> DecisionRule:
        """Draw a legal answer."""
        options = question.options
        action: toy_game.Action = React(random.random() < 0.5)
        if isinstance(options, AimOptions):
            action = Aim(random.choice(options.targets))
        elif isinstance(options, TakeOptions):
            action = Take(random.randint(0, options.most))
        return lambda _: action

    def may_diverge(self, state: State, kind: str, question: Question) -> bool:
        """Return False: what is legal follows from public facts."""
        return False


# ---- its options, and scenario files


def _read_option(name: str, value: object) -> object:
    reason = toy_game.why_option_refused(name, value)
    if reason is not None:
        raise OptionError(name, value, reason)
    return value


def _explain_rules(rules: RaidRules) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield f"Everybody has {rules.rounds} turns.", ("rounds",)
    yield f"Everybody begins with {rules.coins} coins.", ("coins",)


def _position_from_case(case: Mapping[str, Any]) -> State:
    """Set up a case: its `hands` are the dice under the cups."""
    count = len(case["hands"])
    rules = RAID.build_ruleset(case["preset"], case.get("options", {}))
    cups, nobody = tuple(hand[0] for hand in case["hands"]), (0,) * count
    start = Seat(case["start"])
    coins = (rules.coins,) * count
    return State(rules, coins, start, rules.rounds * count, cups, nobody, Phase.AIM)


def _action_from_step(step: Mapping[str, Any]) -> toy_game.Action:
    words = {"aim": "target", "take": "count"}
    if step["do"] not in (*words, "block", "allow"):
        raise NotationError(str(step["do"]), "aim, take, block or allow")
    number = words.get(step["do"])
    return RAID.read_action(step["do"] if number is None else f"{step['do']} {step[number]}")


def _expectable_facts(state: State, events: Sequence[Any]) -> dict[str, Any]:
    return {"coins": list(state.coins), "to_move": state.turn, "events": len(events)}


def _is_met(_key: str, expected: Any, found: Any) -> bool:
    return bool(expected == found)


def _answer_words(kind: str, options: Any) -> Sequence[str]:
    if kind == toy_game.REACTION:
        return ("block", "allow")
    return ("aim",) if isinstance(options, AimOptions) else ("take",)


def _chance_values(case: Mapping[str, Any], step: Mapping[str, Any], state: State) -> Sequence[int] | None:
    return [step["die"] - 1] if "die" in step else None


# ---- the pack

RAID_PACK = GamePack(
    game=RAID,
    columns=(FigureColumn("raids", "", ("turns",)), FigureColumn("luck", "blocks/coins", ("blocks", "coins"))),
    samples=("sample:honest", "sample:counter"),
    compare_opponents=("sample:gambler",),
    check_rules=CheckRules({}, {}, (CheckedRules("raid", "plays raid", "raid"),)),
    load_codec=lambda: RAID_WIRE,
    load_sdk_values=lambda: RAID_VALUES,
    load_phrasing=lambda: PlainPhrasing(RAID),
    load_drawing=RaidDrawing,
    load_highlights=lambda: lambda _: (),
    load_analytics=lambda: GameAnalytics(RaidAnalyzer, raid_figures, ("A block is counted for whoever blocks.",)),
    load_ruleset_source=lambda: RulesetSource(
        RaidRules, dict.fromkeys(("rounds", "coins"), _read_option), _explain_rules
    ),
    load_knowledge_model=RaidKnowledgeModel,
    load_scenario_adapter=lambda: ScenarioAdapter(
        game=RAID,
        pace_options=COMMON_PACE_OPTIONS,
        position=_position_from_case,
        action=_action_from_step,
        facts=_expectable_facts,
        is_met=_is_met,
        answer_words=_answer_words,
        chance_values=_chance_values,
    ),
    load_lesson_model=lambda: None,
    load_arrays=lambda: None,
)
