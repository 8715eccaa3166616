"""The arena: it deals, referees, times and records games between programs.

The arrows divide the packages and single modules into layers. A package may import from the layers to its left. It may
not import from its own layer or from the layers to its right::

    errors, ids, verify <- compiled_build, rules <- plain_data <- deal <- match <- feed, league <- wire
          <- launch, node, store <- config, metrics, rpc, telemetry <- analytics, replays, scenarios, secrecy <- games
          <- app, practice <- rerun, runner <- chaos, check, compare <- report <- hosting <- audit <- cli

A decision goes through these packages in turn: ``rpc`` reads and stamps the decision, ``match`` judges it by
``rules`` and records it, and ``feed`` tells each viewer what that viewer may know.
"""

__version__ = "0.1.0"
