"""Block play: the dispatcher gives each block to bots at a node, and the ledger keeps the results that count.

OpenLeague ──▶ BlockDispatcher ──▶ BlockRunner with a BotLease of a NodeBots ──▶ Ledger
"""
