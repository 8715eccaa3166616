"""Parses the peer addresses that gRPC reports, and says which addresses share a limit.

Peers on a Unix socket have no address. They may be bots in boxes, which are not trusted like other peers on this
machine, and must not be able to lock each other out. So they share only the limits of calls without a valid token,
which no honest bot in a box makes. All other limits count them by token.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import unquote

IPAddress = IPv4Address | IPv6Address

UNIX_PEER = "unix"
"""The address of every peer on a Unix socket."""

_PREFIX_BITS = 64
"""One host can have any number of addresses in an IPv6 network with a prefix of this length."""


def peer_address(peer: str) -> str:
    """Return the address in a peer name of gRPC, such as `ipv4:127.0.0.1:4711`, `ipv6:%5B::1%5D:4711` or `unix:`."""
    kind, _, rest = unquote(peer).partition(":")
    return UNIX_PEER if kind == "unix" else rest.rpartition(":")[0].strip("[]")


def unmap(address: IPAddress) -> IPAddress:
    """Return the IPv4 address that an IPv6 address stands for, if it does, and any other address as it is."""
    return address if isinstance(address, IPv4Address) else address.ipv4_mapped or address


def limited_network(address: str) -> str:
    """Return the key of a limit per address: an IPv4 address, or the /64 network of an IPv6 address.

    One host usually gets a whole /64 network. A text that is no address is returned as it is.

    >>> [limited_network(each) for each in ("192.0.2.7", "::ffff:192.0.2.7", "2001:db8:0:1:2::3", "localhost")]
    ['192.0.2.7', '192.0.2.7', '2001:db8:0:1::/64', 'localhost']
    """
    try:
        parsed = unmap(ip_address(address))
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address) or parsed.is_loopback:
        return str(parsed)
    return str(ip_network((int(parsed), _PREFIX_BITS), strict=False))
