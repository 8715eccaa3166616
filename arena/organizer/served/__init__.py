"""The process of a league that a server plays beside its pools (`arena.fleet.leagues`)."""
