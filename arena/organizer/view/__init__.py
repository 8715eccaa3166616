"""Gathers the content of a league's report or site: standings, analytics, incidents and the published proof."""
