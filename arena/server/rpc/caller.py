"""Says where a call comes from, with and without a proxy in front of the server, and whose token it has."""

import hashlib
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import grpc

from arena.errors import CapacityError, DeniedError, OptionError
from arena.server.guards.connections import IdentifiedCalls
from arena.server.node.addresses import UNIX_PEER, IPAddress, peer_address, unmap
from arena.server.node.identity import TokenVerifier
from arena.server.store.account_values import TokenIdentity
from cheatarena.addresses import is_loopback_host

FORWARDED_FOR = "x-forwarded-for"

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Metadata = tuple[tuple[str, str | bytes], ...]


@dataclass(frozen=True, slots=True)
class Caller:
    """The data of a call's context: reading the context after the call's end would crash gRPC."""

    connection: str
    """gRPC's name for the other end of the connection. Behind a proxy, this is the proxy's end.

    The connections of a Unix socket have no names. All of those with the same token count as one connection.
    """
    address: str
    """The address of the client itself, without a port. It is `behind 127.0.0.1` if only a proxy here knows it."""
    metadata: Metadata
    stream_group: str
    """Which streams are limited as those of one connection.

    A proxy may put all its clients on one connection, so behind a proxy these are the streams with the same token.
    """
    identified: IdentifiedCalls = field(default_factory=IdentifiedCalls)
    """Where the call is noted as soon as the caller is identified."""


class CallerReader:
    """Reads the callers of a server that may stand behind a proxy."""

    def __init__(self, max_metadata_bytes: int, proxies: Sequence[Network] = ()) -> None:
        self._max_metadata_bytes = max_metadata_bytes
        self._proxies = proxies
        self.identified = IdentifiedCalls()

    def read(self, context: "grpc.aio.ServicerContext[Any, Any]") -> Caller:
        """Read a call that has just begun.

        Raises CapacityError for too much metadata: gRPC tells clients the limit but does not enforce it. Raises
        DeniedError if the server has a proxy and is called neither by the proxy nor from this machine.
        """
        metadata: Metadata = tuple(context.invocation_metadata() or ())
        size = sum(len(key) + len(value) for key, value in metadata)
        if size > self._max_metadata_bytes:
            raise CapacityError(f"the metadata of a call must be at most {self._max_metadata_bytes} bytes, got {size}")
        connection = stream_group = context.peer()
        address = peer_address(connection)
        if address == UNIX_PEER:
            connection = stream_group = f"{UNIX_PEER}:{_hash_tokens(metadata)}"
        elif self.is_proxy(address):
            address = self._client_address(metadata, address)
            stream_group = f"{connection} {_hash_tokens(metadata)}"
        elif self._proxies and not is_loopback_host(address):
            raise DeniedError("this server takes calls from its proxy only: dial the public address")
        return Caller(connection, address, metadata, stream_group, self.identified)

    def _client_address(self, metadata: Metadata, proxy: str) -> str:
        """Return the last forwarded address that is not a proxy's own. A client can forge the addresses before it.

        Without the header, return the proxy's address. If the header does not say where the call comes from, return the
        proxy's address too, or `behind 127.0.0.1` if the proxy is on this machine. A header never makes a call count
        as one from this machine, because such calls have no limits.
        """
        forwarded = [str(value) for key, value in metadata if key == FORWARDED_FOR]
        if not forwarded:
            return proxy
        unknown = f"behind {proxy}" if is_loopback_host(proxy) else proxy
        entries = [part for value in forwarded for part in value.split(",")]
        for entry in reversed(entries):
            address = _parse_forwarded(entry)
            if address is None:
                return unknown
            if not self.is_proxy(str(address)):
                return unknown if address.is_loopback else str(address)
        return unknown

    def is_proxy(self, address: str) -> bool:
        """Return whether a proxy in front of the server has this address."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(unmap(parsed) in network for network in self._proxies)


def _hash_tokens(metadata: Metadata) -> str:
    """Return a text that is the same for all calls with the same token, and does not tell the token."""
    tokens = "\0".join(str(value) for key, value in metadata if key == "authorization")
    return hashlib.sha256(tokens.encode()).hexdigest()[:16]


def parse_proxies(texts: Sequence[str]) -> list[Network]:
    """Raises OptionError unless each text is an address or a network."""
    try:
        return [ipaddress.ip_network(text) for text in texts]
    except ValueError as error:
        raise OptionError(
            "plaintext_behind_proxy", ", ".join(texts), f"expected addresses or networks: {error}"
        ) from error


def _parse_forwarded(entry: str) -> IPAddress | None:
    """Return None if the entry is no address.

    Proxies write `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:4711`.
    """
    host, is_bracketed, port = entry.strip(), entry.strip().startswith("["), ""
    if is_bracketed:
        host, _, port = host[1:].partition("]")
    elif host.count(":") == 1:
        host, _, port = host.partition(":")
    try:
        return unmap(ipaddress.ip_address(host)) if not port or port.removeprefix(":").isdecimal() else None
    except ValueError:
        return None


BEARER_PREFIX = "bearer "
ANY_SCOPE: Final = None
"""The scope of a call that every valid token may make."""

_INCLUDED_IN: Final = {"submit": "own"}
"""Scopes that another scope includes: an owner's own token can submit too."""


class ScopeMissingError(DeniedError):
    """The token is valid."""


async def identify(caller: Caller, authority: TokenVerifier, scope: str | None) -> TokenIdentity:
    """Return the caller's identity. `scope` is what the call needs, or ANY_SCOPE.

    Raises DeniedError without a valid token, ScopeMissingError without the scope. The token of a submitted version is
    valid on a Unix socket alone: its program can print it, and its owner, who reads that, could play with another one.
    """
    secret = _bearer_token(caller)
    if not secret:
        raise DeniedError("no token: send it as metadata `authorization: Bearer TOKEN`")
    identity = await authority.check(secret)
    if identity.version is not None and caller.address != UNIX_PEER:
        raise DeniedError(f"the token of {identity.name!r} is for the box of a submitted bot: it is valid only there")
    if scope is not ANY_SCOPE:
        require_scope(identity, scope)
    caller.identified.note(caller.connection)
    return identity


def require_scope(identity: TokenIdentity, scope: str) -> None:
    """Raises ScopeMissingError."""
    if scope not in identity.scopes and _INCLUDED_IN.get(scope) not in identity.scopes:
        has = ", ".join(sorted(identity.scopes))
        raise ScopeMissingError(f"the token of {identity.name!r} is for {has}, but this call needs {scope}")


def _bearer_token(caller: Caller) -> str:
    for key, value in caller.metadata:
        if key == "authorization" and isinstance(value, str) and value[: len(BEARER_PREFIX)].lower() == BEARER_PREFIX:
            return value[len(BEARER_PREFIX) :].strip()
    return ""
