"""Values to protobuf messages and back: the conversions of each game, the message codec of the feed, error reasons.

Knows the generated messages and no sockets. What a game brings along is a `GameCodec`.
"""
