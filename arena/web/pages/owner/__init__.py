"""The pages that an owner alone sees: bots with their tokens, and what each bot knew and did wrong in its matches."""
