"""Streams messages to viewers: one stream per seat, and one for spectators.

Each fact is encoded once. Streams can be resumed, and their memory is bounded.

    orders of a table ──▶ MatchFeed ── redacts each fact, encodes it once ─▶ ViewerStreams ──▶ Outbox of each session
                                                                                                       │
                     Gate: writes the journal's group first, then releases the outboxes ◀──────────────┘

The package uses no sockets, and leaves the message format to a `Codec`. The game's `redact` decides what is secret.
"""
