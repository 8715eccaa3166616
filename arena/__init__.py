"""The arena: it deals, referees, times and records games between programs.

The arrows divide the packages into groups. A package may import from the groups to its left. It may not import from
its own group or from the groups to its right::

    rules <- deal <- match <- feed, league <- launch, store, rpc, web <- app, practice, scenarios <- cli

A decision goes through these packages in turn: ``rpc`` stamps and reads it, ``match`` judges it by ``rules`` and
records it, and ``feed`` tells each viewer what that viewer may know.
"""

__version__ = "0.1.0"
