"""`arena league`: plan, seal, run, resume, status, report, publish, amend."""
