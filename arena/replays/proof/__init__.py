"""The replay file of a finished match: writes it so that anyone can verify it, and verifies it."""
