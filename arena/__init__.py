"""The arena: it deals, referees, times and records games between programs.

The packages and single modules form layers, which ``docs/architecture.md`` draws. A decision goes through these
packages in turn: ``rpc`` reads and stamps the decision, ``match`` judges it by ``rules`` and records it, and ``feed``
tells each viewer what that viewer may know.
"""

__version__ = "0.1.0"
