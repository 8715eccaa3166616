"""Says where a call comes from, for servers with and without a proxy in front of them."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc

from arena.errors import CapacityError, DeniedError, OptionError
from arena.node.addresses import peer_address
from arena.rpc.identified_calls import IdentifiedCalls
from cheatarena.addresses import is_loopback_host

FORWARDED_FOR = "x-forwarded-for"

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Metadata = tuple[tuple[str, str | bytes], ...]


@dataclass(frozen=True, slots=True)
class Caller:
    """Keeps the data about the caller from a call's context.

    Reading the context after the call's end would crash gRPC.
    """

    connection: str
    """The other end of the connection, which is the proxy's if there is one."""
    address: str
    """The address of the client itself, without a port."""
    metadata: Metadata
    identified: IdentifiedCalls = field(default_factory=IdentifiedCalls)
    """Where the call is noted as soon as the caller is identified."""


class CallerReader:
    """Reads the callers of a server that may stand behind a proxy."""

    def __init__(self, max_metadata_bytes: int, proxies: Sequence[Network] = ()) -> None:
        self._max_metadata_bytes = max_metadata_bytes
        self._proxies = proxies
        self.identified = IdentifiedCalls()
        """The open calls of identified callers."""

    def read(self, context: "grpc.aio.ServicerContext[Any, Any]") -> Caller:
        """Return the caller of a call that has just begun.

        Raises CapacityError for too much metadata: gRPC tells clients the limit but does not enforce it. Raises
        DeniedError if the server has a proxy and is called neither by the proxy nor from this machine.
        """
        metadata: Metadata = tuple(context.invocation_metadata() or ())
        size = sum(len(key) + len(value) for key, value in metadata)
        if size > self._max_metadata_bytes:
            raise CapacityError(f"the metadata of this call has {size} bytes, {self._max_metadata_bytes} are allowed")
        connection = context.peer()
        address = peer_address(connection)
        if self._is_proxy(address):
            address = self._client_address(metadata) or address
        elif self._proxies and not is_loopback_host(address):
            raise DeniedError("this server takes calls from its proxy only: dial the public address")
        return Caller(connection, address, metadata, self.identified)

    def _client_address(self, metadata: Metadata) -> str:
        """Return the last forwarded address that is not a proxy's own. A client can forge the addresses before it."""
        forwarded = [str(value) for key, value in metadata if key == FORWARDED_FOR]
        addresses = [part.strip().strip("[]") for value in forwarded for part in value.split(",")]
        return next((each for each in reversed(addresses) if _is_address(each) and not self._is_proxy(each)), "")

    def _is_proxy(self, address: str) -> bool:
        return _is_address(address) and any(ipaddress.ip_address(address) in network for network in self._proxies)


def parse_proxies(texts: Sequence[str]) -> list[Network]:
    """Return the networks of proxies. Raises OptionError unless each text is an address or a network."""
    try:
        return [ipaddress.ip_network(text) for text in texts]
    except ValueError as error:
        raise OptionError(
            "plaintext_behind_proxy", ", ".join(texts), f"expected addresses or networks: {error}"
        ) from error


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
