"""The programs that check a game's file without the arena, as they lie in the repository or in an installed package."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.errors import EnvironmentFaultError

ENTRY: Final = "verify_deal.py"
"""The one that is started."""
_HERE: Final = Path(__file__)


def verifier_files() -> Sequence[Path]:
    """Give the program and what it needs beside it. Raises EnvironmentFaultError where an installation lacks them."""
    packaged = _HERE.with_name("verify")
    folder = packaged if packaged.is_dir() else _HERE.parents[2] / "docs"
    found = sorted(folder.glob("verify_*.py"))
    if ENTRY not in {path.name for path in found}:
        raise EnvironmentFaultError(f"this installation lacks {ENTRY}: install cheatarena-server again")
    return found
