"""`arena league`: plan, seal, run, resume, status, games, report, publish, amend."""
