"""What binds a league: its seal, randomness, ledger, amendments and schedule."""
