"""Leagues on a server that also plays pools: their processes, and their tables on the server's own node.

    serve: ServedLeagues ── ServedLeague ── TableKeeper ──▶ node of the server
                                 │ ▲            ▲
            LeagueCalls (play)   ▼ │ LeagueEvents, NodeCalls
    process of a league: schedule, ledger, deals

The process may be killed at any time: the tables go on without it, and the next one takes them up.
"""
