"""Converts values to protobuf messages and back: the values of each game, the feed's messages, error reasons.

This package knows the generated messages but no sockets. Each game has a `GameCodec`.
"""
