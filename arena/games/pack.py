"""What a game brings along: all its parts, so that none can be forgotten."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.games.figure_column import FigureColumn
from arena.rules.game import Game

if TYPE_CHECKING:
    from arena.analytics.game_analytics import GameAnalytics
    from arena.replays.phrasing import Phrasing
    from arena.scenarios import ScenarioAdapter
    from arena.secrecy.knowledge_model import KnowledgeModel
    from arena.wire.game_codec import GameCodec


@dataclass(frozen=True, slots=True)
class RulesetSource:
    """Where the description of a game's rulesets is read from."""

    ruleset: type
    """The class of its rulesets, made without arguments: each field has a text below it."""
    readers: Mapping[str, Callable[[str, object], object]]
    """By option: takes its name and a value, gives the value as the ruleset has it. Raises OptionError."""
    explain: Callable[[Any], Iterable[tuple[str, tuple[str, ...]]]]
    """The rules of a ruleset in sentences, each with the options that it comes from."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GamePack:
    """One game. Every part is required; those that take long to import are loaded by a function."""

    game: Game
    """The rules."""
    columns: tuple[FigureColumn, ...]
    """What the standings of a match show besides places."""
    samples: tuple[str, ...]
    """The sample bots that `arena demo` plays with, as `sample:NAME`."""
    default_opponents: tuple[str, ...]
    """Who sits at a table of `arena compare` besides the baseline, where no field is named."""
    load_codec: "Callable[[], GameCodec]"
    """Its values as messages and back. Gives the same codec each time."""
    load_phrasing: "Callable[[], Phrasing]"
    """Its words for people: what a seat is asked, does, sees and learns."""
    load_analytics: "Callable[[], GameAnalytics]"
    """What its recorded games say about the bots."""
    load_ruleset_source: Callable[[], RulesetSource]
    """What `arena rules` tells of its options."""
    load_knowledge_model: "Callable[[], KnowledgeModel]"
    """What its viewers may know, said a second time from the rules' text."""
    load_scenario_adapter: "Callable[[], ScenarioAdapter]"
    """How scenario files set up its positions."""
