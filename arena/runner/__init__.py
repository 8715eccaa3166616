"""Matches on all cores: a runner that owns the store, and nodes, each a process with a server and its bots beside it.

    runner (holds the data folder, stores) ── line ──▶ node: server, tables ──▶ bots of its jobs
           ▲ split_orders: one order as several jobs         │
           └── store's ports (node_services) ◀── line ────────┘  its own journal file

    host, match_bots, node_bots     where matches are played, and by whom
    split_orders                    one match in parts, so that seats change as in one
    job                             what is asked of a node, and how it went
    node_services                   what a runner and its nodes call each other for, declared once
    service, connection             clients and servers from such declarations, and the messages between them
    stream_transport, error_codec   how messages travel, and errors in them
    node_main                       the process of a node
    node_process, runner            the other end: starting nodes, feeding them, clearing up after one that was killed
    match_reports, concurrency      how matches stand; several things at once

A node whose runner has gone ends itself and its bots at once; a runner whose node has gone closes the matches of that
node as after any crash, and goes on with the others. Whoever has matches to play, be it two or two thousand, gives each
to `Runner.play`, which waits for a node that is free.
"""
