"""What binds a league: the seal, its randomness, its ledger, amendments, and the schedule that follows from them."""
