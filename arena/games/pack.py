"""The type of a game's pack. It requires every part of a game, so that no part can be forgotten."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arena.match.game import Game
from arena.match.options import OptionReader
from arena.match.value_class import value_class

if TYPE_CHECKING:
    from arena.games.arrays import GameArrays
    from arena.games.scenarios import ScenarioAdapter
    from arena.games.sdk_values import SdkValues
    from arena.games.secrecy.knowledge_model import KnowledgeModel
    from arena.replays.analytics.game_analytics import GameAnalytics
    from arena.replays.lessons.lesson_model import LessonModel
    from arena.replays.narration.phrasing import Phrasing
    from arena.replays.watch.game_drawing import GameDrawing
    from arena.replays.watch.highlight import HighlightFinder
    from arena.server.wire.game_codec import GameCodec


@value_class()
class RulesetSource:
    """What `arena rules` reads to describe the rulesets of a game."""

    ruleset: type
    """The class of the game's rulesets. Each field has a default, and a text below it that describes the field."""
    readers: Mapping[str, OptionReader]
    """The reader of each option, by name."""
    explain: Callable[[Any], Iterable[tuple[str, tuple[str, ...]]]]
    """Takes a ruleset. Returns its rules as sentences, each with the names of the options that cause it."""


@value_class()
class CheckedRules:
    """A ruleset that `arena check` tries in a step of its own."""

    step: str
    title: str
    """What the bot has to do, as a sentence without its full stop."""
    preset: str
    seats: int = 3
    options: Mapping[str, str] = field(default_factory=dict)
    """Options in addition to those that make the game short."""
    is_live: bool = False
    games: int = 1
    features: tuple[str, ...] = ()
    """Prompts, facts and their fields that the bot has to get, or nothing is known; such as `cheat_cut`."""


@value_class()
class FigureColumn:
    """A column of figures. A cell shows one figure, the sum of several, or several separated by slashes."""

    heading: str
    meaning: str
    """The explanation below the table; empty if the heading is sufficient."""
    counts: tuple[str, ...]
    """The names of the counters that the cells show. `Game.event_statistics` returns these names."""
    is_sum: bool = False

    def format_cell(self, counts: Mapping[str, int]) -> str:
        """Return the text of a cell. A missing counter counts as 0."""
        figures = [counts.get(name, 0) for name in self.counts]
        return str(sum(figures)) if self.is_sum else "/".join(map(str, figures))


@value_class()
class CheckRules:
    """What `arena check` needs to know about a game."""

    short: Mapping[str, str]
    """Options that end a game after some dozens of turns."""
    tiny: Mapping[str, str]
    """Options that end a game after a few turns, for the live pace."""
    steps: tuple[CheckedRules, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GamePack:
    """One game with all its parts. A function loads each part that takes long to import."""

    game: Game
    columns: tuple[FigureColumn, ...]
    """The columns that the table of a match's results shows in addition to the places."""
    samples: tuple[str, ...]
    """The sample bots that `arena demo` plays with, as `sample:NAME`."""
    compare_opponents: tuple[str, ...]
    """The opponents that `arena compare` adds to the baseline if the user names none."""
    check_rules: CheckRules
    load_codec: "Callable[[], GameCodec]"
    """Returns the codec, which converts the game's values to messages and back. It always returns the same object."""
    load_sdk_values: "Callable[[], SdkValues]"
    """Returns the conversions between the game's values in the rules and those in the SDK, for bots in practice."""
    load_phrasing: "Callable[[], Phrasing]"
    """Returns the phrasing, which says in words what a seat is asked, does, sees and learns."""
    load_drawing: "Callable[[], GameDrawing]"
    """Returns the drawing of the game: how the table looks to spectators after each public fact."""
    load_highlights: "Callable[[], HighlightFinder]"
    """Returns what finds the moments of a finished game that are worth showing."""
    load_analytics: "Callable[[], GameAnalytics]"
    """Returns the analytics, which compute figures about bots from recorded games."""
    load_ruleset_source: Callable[[], RulesetSource]
    """Returns what `arena rules` reads to describe the game's options."""
    load_knowledge_model: "Callable[[], KnowledgeModel]"
    """Returns the knowledge model: what each viewer may know, according to the rule text and not to the code."""
    load_scenario_adapter: "Callable[[], ScenarioAdapter]"
    """Returns the adapter that plays scenario files of the game."""
    load_lesson_model: "Callable[[], LessonModel | None]"
    """Returns what `arena replay lessons` needs to play on from a position; None if the game has no lessons."""
    load_arrays: "Callable[[], GameArrays | None]"
    """Returns what makes observations and actions for learners; None if the game has no arrays."""
