"""Matches on all cores: a runner that owns the store, and nodes, each a process with a server and its bots beside it.

    runner (holds the data folder, stores) ── line ──▶ node: server, tables ──▶ bots of its jobs
           ▲ shares: one order as several jobs                │
           └── store's ports (remote) ◀── line ───────────────┘  its own journal file

    host, crew, player   where matches are played, and by whom: in this process, on a node, on a server elsewhere
    shares               one match in parts, so that seats change as in one
    channel, letters     the line, and what travels on it
    job                  what is asked of a node, and how it went
    remote               the store as a node has it
    node                 the process of a node
    nodes, runner        the other end: starting nodes, feeding them, clearing up after one that was killed
    reports, together    how matches stand; several things at once

A node whose runner has gone ends itself and its bots at once; a runner whose node has gone closes the matches of that
node as after any crash, and goes on with the others. Whoever has matches to play, be it two or two thousand, gives each
to `Runner.play`, which waits for a node that is free.
"""
