"""Network addresses: of a peer as gRPC names it, and whether one is on this machine."""

import ipaddress
from urllib.parse import unquote


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine alone."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def peer_address(peer: str) -> str:
    """The address in gRPC's name of a peer, such as `ipv4:127.0.0.1:4711`, `ipv6:%5B::1%5D:4711` or `unix:`."""
    kind, _, rest = unquote(peer).partition(":")
    return "localhost" if kind == "unix" else rest.rpartition(":")[0].strip("[]")
