"""What each viewer is told: one stream of messages a seat and one for spectators, made once, resumable, bounded.

    orders of a table ──▶ MatchFeed ── redacts by the game, encodes once ──▶ ViewerStreams ──▶ Outbox of each session
                                                                                                       │
                     Gate: the journal's group is kept first, then the outboxes are let go ◀───────────┘

It knows no message format (a `Codec` does) and no sockets. It decides nothing about secrecy: the game's `redact` does.
"""
