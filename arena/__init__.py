"""The arena: it deals, referees, times and records games between programs.

The wings and their rooms are in the table of ``docs/architecture.md``. A decision goes through these rooms in turn:
``server/rpc`` reads and stamps it, ``match/referee`` judges it by the rules of its game and records it, and
``match/feed`` tells each viewer what that viewer may know.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  pip refuses an older one, but does not see a folder that was copied
    sys.stderr.write("the arena needs Python 3.11 or newer, and this is Python %d.%d\n" % sys.version_info[:2])  # noqa: UP031  Python 2 too
    sys.exit(64)

__version__ = "0.1.0"
