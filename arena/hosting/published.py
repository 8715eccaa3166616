"""A league as one document for whoever trusts nobody: what was sealed, what has happened since, every deal as opened.

`docs/verify_league.py` checks it against the line that was posted. What is still secret is not in it: deals that are
not opened, and the league's secret before the league is closed.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from arena.hosting.league import OpenLeague
from arena.league.ports import DONE, Act, BlockRow
from arena.match.deal import SHARED_DEAL
from arena.match.ports import MatchId
from arena.store.opening import Store

FORMAT: Final = "cheatarena-league-1"

Opened = Mapping[MatchId, tuple[str, str]]
"""By match: the deal's id, and its seed, hex."""


async def published_league(league: OpenLeague, store: Store) -> Mapping[str, Any]:
    """Give the document, as plain values. Raises StoreError."""
    opened = await store.deals.opened(f"{SHARED_DEAL}{league.row.league_id}.")
    return {
        "document": FORMAT,
        "line": league.seal,
        "sealed": league.row.sealed,
        "entropy": league.luck.public_entropy,
        "secret": league.luck.secret.hex() if league.is_closed else None,
        "acts": [_act(each) for each in league.ledger.acts],
        "attempts": [_attempt(row, opened) for row in league.ledger.rows],
    }


def _act(act: Act) -> Mapping[str, Any]:
    """A line of the ledger; of a league's file its hash, as the seal has it."""
    values = dict(act.values)
    if "file" in values:
        values["file"] = hashlib.sha256(values["file"].encode()).hexdigest()
    return {"number": act.number, "at": act.at, "kind": act.kind, "values": values}


def _attempt(row: BlockRow, opened: Opened) -> Mapping[str, Any]:
    games = [_game(match_id, opened) for match_id in row.matches]
    return {"block": row.number, "attempt": row.attempt, "is_done": row.state == DONE, "games": games}


def _game(match_id: MatchId, opened: Opened) -> Mapping[str, str]:
    if match_id not in opened:
        return {"match_id": match_id}
    deal_id, seed = opened[match_id]
    return {"match_id": match_id, "deal_id": deal_id, "seed": seed}
