"""Finds the recorded matches of a data folder, in its store and in its journals."""
