"""Converts values to protobuf messages and back: terms, the feed's messages, and error reasons.

This package uses the generated message classes but no sockets. Each game has a `GameCodec` of its own.
"""
