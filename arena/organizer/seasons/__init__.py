"""Seasons of pools: fits their ratings in the background, closes them at their end and publishes their reports."""
