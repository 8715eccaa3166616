"""Computes the tables of a round from its stored inputs."""

from arena.competition.pools.matchmaking import seat_tables

__all__ = ["seat_tables"]
