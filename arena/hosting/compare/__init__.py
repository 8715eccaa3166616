"""Comparing two programs: lanes of bots, the run that stops when the answer is clear, and how each role behaved."""
