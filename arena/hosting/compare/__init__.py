"""The comparison of two programs: lanes of bots, a run that stops once the answer is clear, each role's conduct."""
