"""Parses the peer addresses that gRPC reports."""

from urllib.parse import unquote


def peer_address(peer: str) -> str:
    """Return the address in a peer name of gRPC, such as `ipv4:127.0.0.1:4711`, `ipv6:%5B::1%5D:4711` or `unix:`."""
    kind, _, rest = unquote(peer).partition(":")
    return "localhost" if kind == "unix" else rest.rpartition(":")[0].strip("[]")
