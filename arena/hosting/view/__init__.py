"""Gathers what a report or a site shows about a league: standings, analytics, incidents and the published proof."""
