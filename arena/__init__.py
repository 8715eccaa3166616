"""The arena: it deals, referees, times and records games between programs.

A package may import what stands to its left, never what stands beside it or to its right::

    rules <- deal <- match <- feed, league <- launch, store, rpc, web <- app, practice, scenarios <- cli

One decision takes this way: ``rpc`` stamps and reads it, ``match`` judges it by ``rules`` and records it,
``feed`` tells each viewer what that viewer may know.
"""

__version__ = "0.1.0"
