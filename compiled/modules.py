"""Lists the modules that are compiled: everything that runs for each decision and never awaits."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOMS: Final = ("rules", "deal", "match", "feed", "wire", "node")
INTERPRETED: Final[Mapping[str, str]] = {
    "rules/value_class.py": "a decorator, which has no effect in the compiled copy",
    "rules/cheat/game.py": "binds functions as methods in the class body",
    "rules/cheater/game.py": "binds functions as methods in the class body",
    "match/ports.py": "protocols; one is checked at run time, which mypyc does not support",
    "node/accounts.py": "awaits the store",
    "node/background_tasks.py": "awaits",
    "node/background_worker.py": "awaits a thread",
    "node/deal_committer.py": "awaits the store",
    "node/guarded_journal.py": "awaits",
    "node/identity.py": "awaits the store",
    "node/match_organizer.py": "awaits the store",
    "node/match_resumer.py": "awaits",
    "node/read_pause.py": "awaits",
    "node/result_writer.py": "awaits the store",
    "node/revoked_streams.py": "awaits",
    "node/spectator.py": "awaits",
    "node/token_uses.py": "awaits the store",
}
"""Modules of these rooms that stay interpreted, with the reason."""


def find_compiled_modules(arena: Path) -> list[Path]:
    """Return the sources to compile, relative to the parent of the folder `arena`, sorted."""
    sources = (path for room in ROOMS for path in (arena / room).rglob("*.py") if path.name != "__init__.py")
    chosen = (path for path in sources if path.relative_to(arena).as_posix() not in INTERPRETED)
    return sorted(path.relative_to(arena.parent) for path in chosen)
