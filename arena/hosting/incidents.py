"""What happens to a league's bots while it is played, as people read it."""

from typing import Final

from arena.league.ports import VOID, Act

HAPPENED: Final = {
    "restarted": "ended by itself or did not start, and was started again",
    "away": "forfeits from here on",
}
"""By kind of act: what became of a bot."""


def sentence_of(act: Act) -> str:
    """Say what has happened; empty: nothing that somebody who looks on has to know."""
    if act.kind in HAPPENED:
        return f"{act.values['name']} {HAPPENED[act.kind]}: {act.values['how']}"
    if act.kind == VOID:
        return f"block {act.values['block']} is void and is played again: {act.values['reason']}"
    return ""
