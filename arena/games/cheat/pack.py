"""The pack of Cheat."""

from typing import TYPE_CHECKING, Final

from arena.games.cheat.rules.game import CHEAT
from arena.games.pack import CheckedRules, CheckRules, FigureColumn, GamePack, RulesetSource

if TYPE_CHECKING:
    from arena.games.arrays import GameArrays, SeenArrays
    from arena.games.scenarios import ScenarioAdapter
    from arena.games.sdk_values import SdkValues
    from arena.games.secrecy.knowledge_model import KnowledgeModel
    from arena.replays.analytics.game_analytics import GameAnalytics
    from arena.replays.lessons.lesson_model import LessonModel
    from arena.replays.narration.phrasing import Phrasing
    from arena.replays.watch.game_drawing import GameDrawing
    from arena.replays.watch.highlight import HighlightFinder
    from arena.server.wire.game_codec import GameCodec


def _load_codec() -> "GameCodec":
    from arena.games.cheat.wire.codec import CHEAT_CODEC

    return CHEAT_CODEC


def _load_sdk_values() -> "SdkValues":
    from arena.games.cheat.sdk_values import CHEAT_VALUES

    return CHEAT_VALUES


def _load_phrasing() -> "Phrasing":
    from arena.games.cheat.phrasing import CheatPhrasing

    return CheatPhrasing()


def _load_drawing() -> "GameDrawing":
    from arena.games.cheat.drawing import CheatDrawing

    return CheatDrawing()


def _load_highlights() -> "HighlightFinder":
    from arena.games.cheat.highlights import find_cheat_highlights

    return find_cheat_highlights


def _load_analytics() -> "GameAnalytics":
    from arena.games.cheat.analysis.analyzer import CheatAnalyzer
    from arena.games.cheat.analysis.figures import cheat_figures
    from arena.replays.analytics.game_analytics import LUCK_NOTE, GameAnalytics

    return GameAnalytics(
        build_analyzer=CheatAnalyzer,
        build_figures=cheat_figures,
        notes=(
            "Lies are counted among face-down moves that claim a card; pile bands are the cards on the pile before it.",
            "A wrong call costs the cards that its caller takes, since declining costs none.",
            f"{LUCK_NOTE} how many true moves fewer it needs to be empty, with every rank laid at once.",
        ),
    )


def _load_ruleset_source() -> RulesetSource:
    from arena.games.cheat.rules.explanation import explain_rules
    from arena.games.cheat.rules.option_readers import OPTION_READERS
    from arena.games.cheat.rules.ruleset import Ruleset

    return RulesetSource(Ruleset, OPTION_READERS, explain_rules)


def _load_knowledge_model() -> "KnowledgeModel":
    from arena.games.cheat.knowledge import CHEAT_KNOWLEDGE

    return CHEAT_KNOWLEDGE


def _load_scenario_adapter() -> "ScenarioAdapter":
    from arena.games.cheat.rules import scenario_adapter as cases
    from arena.games.scenarios import COMMON_PACE_OPTIONS, ScenarioAdapter

    return ScenarioAdapter(
        game=CHEAT,
        pace_options={**COMMON_PACE_OPTIONS, "min_call_ms": ("min_call_ms", 1)},
        position=cases.position_from_case,
        action=cases.action_from_step,
        facts=cases.expectable_facts,
        is_met=cases.is_met,
        answer_words=cases.answer_words,
    )


def _load_lesson_model() -> "LessonModel":
    from arena.games.cheat.lessons.model import CHEAT_LESSONS

    return CHEAT_LESSONS


def _load_arrays() -> "GameArrays":
    from arena.games.arrays import GameArrays
    from arena.games.cheat.arrays.layout import ACTIONS, OBSERVATION
    from arena.games.cheat.arrays.limits import check_limits
    from arena.games.cheat.arrays.seat_arrays import CheatSeatArrays
    from arena.games.cheat.arrays.words import describe_array_action

    return GameArrays(OBSERVATION, ACTIONS, check_limits, CheatSeatArrays, describe_array_action, _load_seen_arrays)


def _load_seen_arrays() -> "type[SeenArrays]":
    from arena.games.cheat.seen_arrays import CheatSeenArrays

    return CheatSeenArrays


CHEAT_PACK: Final = GamePack(
    game=CHEAT,
    columns=(
        FigureColumn("lies", "told/caught", ("lies", "lies_caught")),
        FigureColumn("calls", "right/wrong", ("calls_right", "calls_wrong")),
    ),
    samples=("sample:counter", "sample:honest", "sample:gambler", "sample:random_legal"),
    compare_opponents=("sample:honest", "sample:counter"),
    check_rules=CheckRules(
        short={"max_turns": "40"},
        tiny={"max_turns": "8"},
        steps=(
            CheckedRules("standard", "plays standard Cheat", "standard", features=("cheat_turn", "cheat_window")),
            CheckedRules("folk", "plays the preset folk", "folk"),
            CheckedRules("rank-lock", "plays the preset rank_lock", "rank_lock"),
            CheckedRules("ascending", "plays the preset ascending", "ascending", 4),
            CheckedRules("two-seats", "plays at a table with two seats", "standard", 2),
            CheckedRules("ten-seats", "plays at a table with ten seats", "standard", 10, {"max_turns": "60"}),
            CheckedRules(
                "big-hands",
                "reads hands of thousands of cards",
                "standard",
                2,
                {"decks": "251", "max_turns": "12", "count": "same,more,less"},
                features=("cheat_hand.cards.counted",),
            ),
            CheckedRules(
                "cut",
                "cuts the deck and chooses a packet",
                "standard",
                2,
                {"deal": "cut_and_choose", "max_turns": "8"},
                games=2,
                features=("cheat_cut", "cheat_choose"),
            ),
            CheckedRules(
                "believe",
                "plays where a move may be believed",
                "standard",
                options={"believe": "true"},
                features=("cheat_window.can_believe",),
            ),
            CheckedRules(
                "turn-calls",
                "plays where a seat calls in its turn, and there are no windows",
                "standard",
                options={"call_mode": "turn_action", "any_caller": "false"},
                features=("cheat_turn.can_call",),
            ),
            CheckedRules(
                "live",
                "plays the live pace",
                "standard",
                options={"max_turns": "5"},
                is_live=True,
                features=("lands_us", "cheat_window"),
            ),
        ),
    ),
    load_codec=_load_codec,
    load_sdk_values=_load_sdk_values,
    load_phrasing=_load_phrasing,
    load_drawing=_load_drawing,
    load_highlights=_load_highlights,
    load_analytics=_load_analytics,
    load_ruleset_source=_load_ruleset_source,
    load_knowledge_model=_load_knowledge_model,
    load_scenario_adapter=_load_scenario_adapter,
    load_lesson_model=_load_lesson_model,
    load_arrays=_load_arrays,
)
