"""The publication of a league: one document with the sealed values, the ledger and every revealed deal.

`arena/verify/verify_league.py` checks the document against the posted line, so nobody has to trust the document. It
leaves out everything that is still secret: hidden deals, and the league's secret before the league is closed.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from arena.competition.league.ports import DONE, LedgerEntry
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.ports import MatchId
from arena.organizer.seal.open_league import OpenLeague
from arena.server.store.open_store import Store

DOCUMENT_FORMAT: Final = "cheatarena-league-1"

RevealedDeals = Mapping[MatchId, tuple[str, str]]
"""The deal id and the seed in hex, by match."""


async def build_publication(league: OpenLeague, store: Store) -> Mapping[str, Any]:
    """Return the document as plain values. Raises StoreError."""
    revealed = await store.deals.revealed_seeds(f"{SHARED_DEAL_PREFIX}{league.row.league_id}.")
    return {
        "document": DOCUMENT_FORMAT,
        "line": league.seal,
        "sealed": league.row.sealed,
        "entropy": league.randomness.public_entropy,
        "secret": league.randomness.secret.hex() if league.is_closed else None,
        "acts": [_entry_values(each) for each in league.ledger.acts],
        "attempts": [
            {
                "block": row.number,
                "attempt": row.attempt,
                "is_done": row.state == DONE,
                "games": [_game_values(match_id, revealed) for match_id in row.matches],
            }
            for row in league.ledger.rows
        ],
    }


def _entry_values(act: LedgerEntry) -> Mapping[str, Any]:
    """Return a ledger entry's values. A league file is replaced by its hash, as in the seal."""
    values = dict(act.values)
    if "file" in values:
        values["file"] = hashlib.sha256(values["file"].encode()).hexdigest()
    return {"number": act.number, "at": act.at, "kind": act.kind, "values": values}


def _game_values(match_id: MatchId, revealed: RevealedDeals) -> Mapping[str, str]:
    """Return the id of a game's match, with the deal's id and seed once they are revealed."""
    if match_id not in revealed:
        return {"match_id": match_id}
    deal_id, seed = revealed[match_id]
    return {"match_id": match_id, "deal_id": deal_id, "seed": seed}
