"""The programs that check a game's file and a league's seal without the arena, from the repository or the package."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.errors import EnvironmentFaultError

DEAL_VERIFIER: Final = "verify_deal.py"
"""The one that is started for a game."""
LEAGUE_VERIFIER: Final = "verify_league.py"
"""The one for a league."""
_HERE: Final = Path(__file__)


def verifier_files() -> Sequence[Path]:
    """Give them, and what they need beside them. Raises EnvironmentFaultError where an installation lacks them."""
    packaged = _HERE.with_name("verify")
    folder = packaged if packaged.is_dir() else _HERE.parents[2] / "docs"
    found = sorted(folder.glob("verify_*.py"))
    if lacking := sorted({DEAL_VERIFIER, LEAGUE_VERIFIER} - {path.name for path in found}):
        raise EnvironmentFaultError(f"this installation lacks {', '.join(lacking)}: install cheatarena-server again")
    return found
