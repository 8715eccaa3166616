"""The server's side of the wire: the only room that knows gRPC and the generated messages.

    server ─┬─ play_service ── session: one stream, one reader, one writer, an outbox between the gate and the socket
            │                  inbox: what was read and waits to be dealt with, of all sessions
            ├─ match_service, watch_service
            ├─ auth: tokens to identities and scopes
            └─ codec ── games: a conversion for each game between rules values and messages

Arrival is stamped here, once, when a frame is read; everything behind judges by that stamp.
"""

import cheatarena  # noqa: F401  chooses how gRPC waits, before anything here loads it
