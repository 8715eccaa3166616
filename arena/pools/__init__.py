"""Keeps the name `arena.pools.matchmaking.seat_tables`. The code is in `arena.competition.pools`."""
