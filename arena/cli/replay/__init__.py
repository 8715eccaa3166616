"""`arena replay`: list, show, rerun, export, verify."""
