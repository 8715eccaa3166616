"""The parts that bind a league: its seal, randomness, ledger, amendments and schedule."""
