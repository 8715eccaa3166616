"""Which HTTP proxy stands between this program and a server. gRPC dials through one that the environment names.

The rules are those of gRPC's core, `http_proxy_mapper.cc`: lower-case variables, and only proxies for plain HTTP.
"""

import os
import socket
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from cheatarena.addresses import is_loopback

WITHOUT_PROXY: Final = ("grpc.enable_http_proxy", 0)
"""The channel option for addresses on this machine, which no proxy can reach."""

_VARIABLES: Final = ("grpc_proxy", "https_proxy", "http_proxy")
_EXCEPTIONS: Final = ("no_grpc_proxy", "no_proxy")
_END_OF_HEAD: Final = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy that the environment names."""

    variable: str
    host: str
    port: int
    credentials: str = field(default="", repr=False)
    """USER:PASSWORD, or empty. They are shown nowhere."""

    def connect(self, address: str, timeout_s: float) -> socket.socket:
        """Return a connection to HOST:PORT through this proxy. Raises OSError if there is none."""
        connection = socket.create_connection((self.host, self.port), timeout_s)
        try:
            connection.sendall(self._encode_request(address))
            answer = b""
            while not answer.endswith(_END_OF_HEAD) and (byte := connection.recv(1)):  # the rest is the server's
                answer += byte
            if answer.split(b" ", 2)[1:2] != [b"200"]:
                raise ConnectionError(f"the proxy did not connect to {address}")
        except OSError:
            connection.close()
            raise
        return connection

    def _encode_request(self, address: str) -> bytes:
        lines = [f"CONNECT {address} HTTP/1.1", f"Host: {address}"]
        if self.credentials:
            lines.append(f"Proxy-Authorization: Basic {b64encode(self.credentials.encode()).decode()}")
        return "\r\n".join(lines).encode() + _END_OF_HEAD

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"through the proxy {host}:{self.port} that {self.variable} names"


def find_proxy(address: str, environ: Mapping[str, str] = os.environ) -> Proxy | None:
    """Return the proxy through which gRPC dials HOST:PORT; None if it dials directly."""
    variable = next((each for each in _VARIABLES if each in environ), "")
    if not variable or is_loopback(address) or _is_excepted(address, environ):
        return None
    with suppress(ValueError):  # no such port, or no URL at all
        url = urlsplit(environ[variable])
        if url.scheme == "http" and url.hostname:
            return Proxy(variable, url.hostname, url.port or 80, _read_credentials(url))
    return None


def add_proxy(sentence: str, address: str) -> str:
    """Return a sentence about a failed connection, with the proxy through which it went."""
    proxy = find_proxy(address)
    return sentence if proxy is None else f"{sentence}, {proxy}"


def _read_credentials(url: SplitResult) -> str:
    return "" if url.username is None else f"{unquote(url.username)}:{unquote(url.password or '')}"


def _is_excepted(address: str, environ: Mapping[str, str]) -> bool:
    """Return whether the environment excepts a host: by the end of its name, or by the network of its IP address."""
    host = address.rpartition(":")[0].strip("[]").lower()
    excepted = next((environ[each] for each in _EXCEPTIONS if each in environ), "")
    entries = [each.strip().lower() for each in excepted.split(",") if each.strip()]
    return any(host.endswith(each) or _is_in_network(host, each) for each in entries)


def _is_in_network(host: str, network: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False
