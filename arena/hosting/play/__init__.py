"""Playing blocks: which block goes to which bots at which node, and what counts of it.

OpenLeague ──▶ BlockDispatcher ──▶ BlockRunner at a PoolLease of a BotPool ──▶ Ledger
"""
