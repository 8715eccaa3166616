"""Bound what a client may do and cost: middleware around the pages, and the protocol of a connection."""
