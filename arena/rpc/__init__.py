"""The gRPC services of a node and the client that organizers use: the only room that imports gRPC.

    server ─┬─ play_service ── serves a `Session`: one stream, one reader, one writer
            ├─ match_service, watch_service
            └─ auth ── tokens to identities and scopes

Arrival is stamped once, when a frame is read; everything behind judges by that stamp.
"""

import cheatarena  # noqa: F401  chooses how gRPC waits, before anything here loads it
