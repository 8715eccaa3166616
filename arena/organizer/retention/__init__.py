"""Packs the journals of matches that are long over, and drops them if the organizer's settings say so.

old journals ──▶ journal_check: is all of it over, and as the store has it? ──▶ journal_packing ──▶ archive of the day
"""
