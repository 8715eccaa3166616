"""The pack of CHEATER."""

from typing import TYPE_CHECKING, Final

from arena.games.cheater.rules.game import CHEATER
from arena.games.pack import CheckedRules, CheckRules, FigureColumn, GamePack, RulesetSource

if TYPE_CHECKING:
    from arena.games.arrays import GameArrays, SeenArrays
    from arena.games.scenarios import ScenarioAdapter
    from arena.games.sdk_values import SdkValues
    from arena.games.secrecy.knowledge_model import KnowledgeModel
    from arena.replays.analytics.game_analytics import GameAnalytics
    from arena.replays.narration.phrasing import Phrasing
    from arena.replays.watch.game_drawing import GameDrawing
    from arena.replays.watch.highlight import HighlightFinder
    from arena.server.wire.game_codec import GameCodec


def _load_codec() -> "GameCodec":
    from arena.games.cheater.wire.codec import CHEATER_CODEC

    return CHEATER_CODEC


def _load_sdk_values() -> "SdkValues":
    from arena.games.cheater.sdk_values import CHEATER_VALUES

    return CHEATER_VALUES


def _load_phrasing() -> "Phrasing":
    from arena.games.cheater.phrasing import CheaterPhrasing

    return CheaterPhrasing()


def _load_drawing() -> "GameDrawing":
    from arena.games.cheater.drawing import CheaterDrawing

    return CheaterDrawing()


def _load_highlights() -> "HighlightFinder":
    from arena.games.cheater.highlights import find_cheater_highlights

    return find_cheater_highlights


def _load_analytics() -> "GameAnalytics":
    from arena.games.cheater.analysis import CheaterAnalyzer, cheater_figures
    from arena.replays.analytics.game_analytics import LUCK_NOTE, GameAnalytics

    return GameAnalytics(
        build_analyzer=CheaterAnalyzer,
        build_figures=cheater_figures,
        notes=(f"{LUCK_NOTE} how many letters of CHEATER it has more in its best colour.",),
    )


def _load_ruleset_source() -> RulesetSource:
    from arena.games.cheater.rules.ruleset import OPTION_READERS, Ruleset, explain_rules

    return RulesetSource(Ruleset, OPTION_READERS, explain_rules)


def _load_knowledge_model() -> "KnowledgeModel":
    from arena.games.cheater.knowledge import CHEATER_KNOWLEDGE

    return CHEATER_KNOWLEDGE


def _load_scenario_adapter() -> "ScenarioAdapter":
    from arena.games.cheater.rules import scenario_adapter as cases
    from arena.games.scenarios import COMMON_PACE_OPTIONS, ScenarioAdapter

    return ScenarioAdapter(
        game=CHEATER,
        pace_options=COMMON_PACE_OPTIONS,
        position=cases.position_from_case,
        action=cases.action_from_step,
        facts=cases.expectable_facts,
        is_met=cases.is_met,
        answer_words=cases.answer_words,
        chance_values=cases.chance_values,
        leave_before_draw=cases.leave_before_roll,
    )


def _load_lesson_model() -> None:
    """Return None: nothing deals the hidden hands and the draw pile of CHEATER yet."""


_PROMPTS: Final = ("cheater_act", "cheater_discard", "cheater_reaction", "cheater_pick")


def _load_arrays() -> "GameArrays":
    from arena.games.arrays import GameArrays
    from arena.games.cheater.arrays.layout import ACTIONS, OBSERVATION
    from arena.games.cheater.arrays.seat_arrays import CheaterSeatArrays
    from arena.games.cheater.arrays.words import describe_array_action

    return GameArrays(
        OBSERVATION,
        ACTIONS,
        check=lambda *_: None,  # they hold every game of CHEATER
        seat_arrays=lambda ruleset, seats, _: CheaterSeatArrays(ruleset, seats),
        describe_action=describe_array_action,
        load_seen_arrays=_load_seen_arrays,
    )


def _load_seen_arrays() -> "type[SeenArrays]":
    from arena.games.cheater.seen_arrays import CheaterSeenArrays

    return CheaterSeenArrays


CHEATER_PACK: Final = GamePack(
    game=CHEATER,
    columns=(
        FigureColumn("attacks", "", ("attacks",)),
        FigureColumn("hides", "", ("hides",)),
        FigureColumn("cards", "taken/busted", ("cards_taken", "cards_busted")),
        FigureColumn("titles", "", ("titles_excellent", "titles_ultimate", "titles_infinite"), is_sum=True),
    ),
    samples=("sample:set_chaser", "sample:denier", "sample:cautious", "sample:forecaster"),
    compare_opponents=("sample:set_chaser",),
    check_rules=CheckRules(
        short={"max_turns": "40"},
        tiny={"max_turns": "12"},
        steps=(
            CheckedRules("cheater", "plays CHEATER", "cheater", 4, {"max_turns": "120"}, features=_PROMPTS),
            CheckedRules(
                "cheater-live",
                "plays CHEATER in the live pace",
                "cheater",
                is_live=True,
                features=("cheater_act", "cheater_discard"),
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
