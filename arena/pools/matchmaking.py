"""Computes the tables of a round from its stored inputs. The code is in `arena.competition.pools.matchmaking`."""

from arena.competition.pools.matchmaking import (
    VERSION,
    MatchmakingInput,
    Seeker,
    Table,
    inputs_from_plain,
    seat_tables,
)

__all__ = ["VERSION", "MatchmakingInput", "Seeker", "Table", "inputs_from_plain", "seat_tables"]
