"""Decides where a server listens and which of its listeners speak TLS.

Loopback listeners speak plaintext, and all other listeners speak TLS. The SDK dials in the same way. Two settings
change that: `tls_on_loopback`, and `plaintext_behind_proxy` for a server whose TLS ends in a proxy in front of it.

A server may also listen on Unix sockets, which always speak plaintext. Bots in boxes have no network and dial these.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.errors import OptionError
from cheatarena.addresses import UNIX_PREFIX, find_address_fault, is_loopback_host
from cheatarena.addresses import split_address as split_host_and_port

MAX_SOCKET_BYTES: Final = 107
"""The longest path of a Unix socket in bytes: `sun_path` of unix(7) without its final NUL."""


SOCKET_MODE: Final = 0o666
"""Everybody may connect: bots in boxes are other users. Tokens say what a caller may do."""


@dataclass(frozen=True, slots=True)
class UnixListener:
    path: Path

    @property
    def address(self) -> str:
        """The address that clients on this machine dial, `unix:PATH`."""
        return f"{UNIX_PREFIX}{self.path}"


@dataclass(frozen=True, slots=True)
class Listener:
    host: str
    """Host name or address, without the brackets of IPv6."""
    port: int
    """The port; 0 for any free port."""
    is_tls: bool

    @property
    def address(self) -> str:
        """HOST:PORT, with an IPv6 address in brackets."""
        return join_address(self.host, self.port)


def plan_listeners(
    addresses: Sequence[str],
    *,
    has_certificate: bool,
    tls_on_loopback: bool = False,
    has_proxy: bool = False,
    setting: str = "listen",
) -> list[Listener]:
    """Return a listener for each HOST:PORT. `setting` names the setting from which the addresses come.

    Raises OptionError in these cases:

    - An address is malformed.
    - An address is not a loopback address, and there is neither a certificate nor a proxy.
    - `tls_on_loopback` is set without a certificate.
    - There is a certificate, but a proxy would leave it unused.
    """
    if has_certificate and has_proxy and not tls_on_loopback:
        raise OptionError(
            "tls_cert", "given", "TLS ends in the proxy: leave out either tls_cert or plaintext_behind_proxy"
        )
    if tls_on_loopback and not has_certificate:
        raise OptionError("tls_on_loopback", True, "TLS needs a certificate: set tls_cert and tls_key")
    listeners = []
    for address in addresses:
        host, port = split_address("listen", address)
        is_tls = tls_on_loopback if is_loopback_host(host) else has_certificate and not has_proxy
        if not (is_tls or has_proxy or is_loopback_host(host)):
            allowed = (
                "plaintext listens on loopback only, such as 127.0.0.1; "
                "elsewhere set tls_cert and tls_key, or plaintext_behind_proxy"
            )
            raise OptionError(setting, address if setting == "listen" else host, allowed)
        listeners.append(Listener(host, port, is_tls))
    return listeners


def choose_own_address(listeners: Sequence[Listener | UnixListener], listening: Sequence[str]) -> tuple[str, bool]:
    """Return the address that programs on this machine dial, and whether it speaks TLS.

    `listening` has the address of each listener with its actual port. A loopback listener without TLS is the best
    choice, then a Unix socket, then a loopback listener with TLS.
    """

    def rank(choice: tuple[Listener | UnixListener, str]) -> int:
        listener, _ = choice
        if isinstance(listener, UnixListener):
            return 1
        if not is_loopback_host(listener.host):
            return 3
        return 2 if listener.is_tls else 0

    listener, address = min(zip(listeners, listening, strict=True), key=rank)
    return address, isinstance(listener, Listener) and listener.is_tls


def select_tcp_addresses(addresses: Sequence[str]) -> tuple[str, ...]:
    return tuple(address for address in addresses if not address.startswith(UNIX_PREFIX))


def plan_unix_listeners(addresses: Sequence[str]) -> list[UnixListener]:
    """Addresses other than `unix:PATH` are left out.

    Raises OptionError for a path that is empty, relative or too long.
    """
    listeners = []
    for address in (each for each in addresses if each.startswith(UNIX_PREFIX)):
        path = Path(address.removeprefix(UNIX_PREFIX))
        if not path.is_absolute() or "\0" in address:
            raise OptionError(
                "listen", address, f"expected an absolute path, such as {UNIX_PREFIX}/run/arena/arena.sock"
            )
        if len(str(path).encode()) > MAX_SOCKET_BYTES:
            raise OptionError("listen", address, f"expected a path of at most {MAX_SOCKET_BYTES} bytes")
        listeners.append(UnixListener(path))
    return listeners


@contextmanager
def make_socket_path() -> Iterator[Path]:
    """Yield a path in a new folder, which is removed on exit.

    The path is short, whatever the data folder is, and everybody may connect to the socket.
    """
    with tempfile.TemporaryDirectory(prefix="arena-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        yield Path(folder, "arena.sock")


def split_address(name: str, address: str) -> tuple[str, int]:
    """`address` is HOST:PORT or [IPV6]:PORT. Raises OptionError, which names the setting `name`."""
    if fault := find_address_fault(address, "127.0.0.1:7777"):
        raise OptionError(name, address, fault)
    return split_host_and_port(address)


def join_address(host: str, port: int) -> str:
    """Return HOST:PORT, with an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
