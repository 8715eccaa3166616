"""Values to protobuf messages and back: the conversions of each game, the message codec of the feed, error reasons.

Knows the generated messages and no sockets. `game_codecs` lists the games that can be spoken on the wire.
"""
