"""Runs matches on all cores: a runner owns the store, and each node is a process with a server and its bots.

    runner (holds the data folder, stores) ── line ──▶ node: server, tables ──▶ bots of its jobs
           ▲ split_orders: one order as several jobs         │
           └── store's ports (node_services) ◀── line ────────┘  its own journal file

    host                            the server that plays the matches
    started_bot                     one bot: the start of its process, and why it is absent
    match_bots, resident_bots       the bots of a run, and the bots that stay while a node plays many matches
    split_orders                    splits one match into jobs that keep the seat rotation of the whole match
    job                             the messages to and from a node: setup, job and result
    node_services                   declares the calls between a runner and its nodes
    service, connection             builds clients and servers from such declarations, and exchanges their messages
    runner_calls                    carries out the calls of a runner in a node
    node_main                       the process of a node
    runner, runner_node             the runner's end: passes matches to nodes, cleans up after them
    fleet, node_process             what starts nodes; on this machine, each is a process
    organizer                       orders matches and reports on them

A node whose runner has gone ends itself and its bots immediately. A runner whose node has gone closes the matches of
that node, as the arena does after any crash, and continues with the other nodes. Callers pass each match to
`Runner.play`, which waits for a free node.
"""
