"""The gRPC services of a node, and the organizer's client. No other package of the arena imports gRPC.

    server ─┬─ play_service ── serves a `Session`: one stream, one reader, one writer
            ├─ match_service, watch_service, author_service
            └─ caller ── addresses, and tokens to identities and scopes

A frame is stamped once, when it is read. Everything in it is judged by that stamp.
"""

import cheatarena  # noqa: F401  chooses how gRPC waits, before anything here loads it
