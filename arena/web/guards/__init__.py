"""Bound what a client may do and cost: middleware around the pages, forms, and the protocol of a connection."""
