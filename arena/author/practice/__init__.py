"""Plays whole games in one process, without sockets or deadlines. So a bot that stops at a breakpoint is not late.

    table ──orders──▶ seats ──facts, legal options──▶ tables and methods of the bots
      ▲                                                        │
      └─────────────────────── decisions ──────────────────────┘

Bots know the same as in a match over the network: the rules redact every event, and `arena.games.sdk_values` turns what
is left into the facts that the SDK would read from messages. A test compares the two. `play` raises every exception
that a bot raises.
"""
