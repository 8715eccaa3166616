"""Knows which connections carry an open call of an identified caller."""

import asyncio
import ipaddress
from functools import lru_cache
from urllib.parse import unquote

Endpoint = tuple[str, int]
"""An address and a port. An IPv4 address has its IPv4 form, even if an IPv6 socket has accepted the connection."""


class IdentifiedCalls:
    """Remembers each identified call while its handler runs."""

    def __init__(self) -> None:
        self._peers: dict[asyncio.Task[object], str] = {}
        """The other end of the connection, by the task that handles the call."""

    def note(self, peer: str) -> None:
        """Note that the present task handles an identified call. `peer` is gRPC's name for the caller's end."""
        task = asyncio.current_task()
        if task is not None and task not in self._peers:
            self._peers[task] = peer
            task.add_done_callback(self._peers.pop)

    def endpoints(self) -> frozenset[Endpoint]:
        """Return the other end of each connection that carries an identified call. Any thread may ask."""
        return frozenset(map(_parse_peer, tuple(self._peers.values())))


def make_endpoint(host: str, port: int) -> Endpoint:
    """Return an endpoint. The zone of an address is left out, because gRPC and the system write it differently."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host, port
    return str(getattr(address, "ipv4_mapped", None) or address), port


@lru_cache(4096)
def _parse_peer(peer: str) -> Endpoint:
    """Return the endpoint in a name such as `ipv4:127.0.0.1:4711` or `ipv6:%5B::1%5D:4711`."""
    host, _, port = unquote(peer).partition(":")[2].rpartition(":")
    return make_endpoint(host.strip("[]"), int(port) if port.isdecimal() else 0)
