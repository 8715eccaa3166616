"""What binds a league: its seal, randomness, ledger, schedule and amendments, and the league opened with all of them.

LeagueFile ──▶ seal_league ──▶ SealedFile ──▶ SealedLeague in an OpenLeague ──▶ with the bots of each run
"""
