"""Lists the modules that are compiled: everything that runs for each decision, never awaits, and no author sees."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent

ROOMS: Final = (
    "match/game.py",
    "match/options.py",
    "match/deal",
    "match/referee",
    "match/feed",
    "server/wire",
    "server/node",
    "games/sdk_values.py",
    "games/*/arrays",
    "games/*/rules",
    "games/*/wire",
    "games/*/sdk_values.py",
    "envs/table.py",
    "envs/table_batch.py",
    "author/practice",
)
"""The rooms and modules of the arena that are compiled, from the inside out."""
INTERPRETED: Final[Mapping[str, str]] = {
    "match/value_class.py": "a decorator, which has no effect in the compiled build",
    "games/cheat/rules/game.py": "binds functions as methods in the class body",
    "games/cheater/rules/game.py": "binds functions as methods in the class body",
    "match/referee/ports.py": "protocols; one is checked at run time, which mypyc does not support",
    "match/feed/public_message.py": "is needed only where somebody watches",
    "games/cheat/wire/reader.py": "runs only where somebody watches",
    "games/cheater/wire/reader.py": "runs only where somebody watches",
    "server/wire/narration_line.py": "is needed only where somebody reads a replay",
    "server/wire/public_reader.py": "runs only where somebody watches",
    "server/node/background_work.py": "awaits",
    "server/node/challenges.py": "awaits, and runs once for each challenge",
    "server/node/deal_committer.py": "awaits the store",
    "server/node/guarded_journal.py": "awaits",
    "server/node/identity.py": "awaits the store",
    "server/node/match_organizer.py": "awaits the store",
    "server/node/match_resumer.py": "awaits",
    "server/node/pool_observer.py": "awaits, and runs once for each match of a pool",
    "server/node/read_pause.py": "awaits",
    "server/node/result_writer.py": "awaits the store",
    "server/node/retirement.py": "awaits the store",
    "server/node/server_status.py": "runs only where somebody asks for figures",
    "server/node/spectator.py": "awaits",
    "server/node/token_streams.py": "awaits the store",
    "author/practice/bot_runtime.py": "runs coroutines",
    "author/practice/play.py": "runs once for each match",
    "author/practice/processes.py": "runs once for each process",
}
"""Modules of these rooms that stay interpreted, with the reason."""

SDK_MODULES: Final = (
    "cheat/card_locations.py",
    "cheat/inference.py",
    "cheat/knowledge.py",
    "cheat/state.py",
    "cheater/state.py",
    "game_state.py",
    "prompts.py",
    "scanning.py",
    "seat.py",
)
"""The modules of the SDK that are compiled. Authors get no objects of their classes.

What authors see stays interpreted: bots, tables, options, answers, facts, cards and hands. So these have the same
attributes, pickles and subclasses in both builds. Also interpreted are:

* `encoding.py` of the SDK and of each game: a bot may put anything into an answer, and mypyc checks types
* `bot_invoker.py`: its frames show where the code of a bot begins in a stack
"""


@dataclass(frozen=True, slots=True)
class CompiledPackage:
    """A package, some of whose modules are compiled."""

    name: str
    parent: Path
    """The folder that contains the package."""
    modules: tuple[Path, ...]
    """The compiled sources, relative to `parent`. A base class comes before the classes that inherit from it."""


def find_arena() -> CompiledPackage:
    """Return the arena."""
    arena = ROOT / "arena"
    places = (place for room in ROOMS for place in sorted(arena.glob(room)))
    sources = (path for place in places for path in ([place] if place.suffix else sorted(place.rglob("*.py"))))
    compiled = (path for path in sources if path.name != "__init__.py")
    chosen = (path for path in compiled if path.relative_to(arena).as_posix() not in INTERPRETED)
    return CompiledPackage("arena", ROOT, tuple(path.relative_to(ROOT) for path in chosen))


def find_sdk() -> CompiledPackage:
    """Return the SDK."""
    return CompiledPackage("cheatarena", ROOT / "sdk", tuple(Path("cheatarena", name) for name in SDK_MODULES))
