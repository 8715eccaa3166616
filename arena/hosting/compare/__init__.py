"""The comparison of two programs: bot lanes, a run that stops once the answer is clear, and each role's record."""
