"""The comparison of two programs: its bots, a run that stops once the answer is clear, and each role's conduct."""
