"""Pools: bots that stay connected are seated again and again, against opponents of their strength."""
