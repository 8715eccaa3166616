"""Decides where a server listens and which of its listeners speak TLS.

Loopback listeners speak plaintext, and all other listeners speak TLS. The SDK dials in the same way. Two settings
change that: `tls_on_loopback`, and `plaintext_behind_proxy` for a server whose TLS ends in a proxy in front of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.errors import OptionError
from cheatarena.addresses import find_address_fault, is_loopback_host
from cheatarena.addresses import split_address as split_host_and_port


@dataclass(frozen=True, slots=True)
class Listener:
    """Represents one address to listen on."""

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


def split_address(name: str, address: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT or [IPV6]:PORT.

    If the address is malformed, raises an OptionError that names the setting `name`.
    """
    if fault := find_address_fault(address, "127.0.0.1:7777"):
        raise OptionError(name, address, fault)
    return split_host_and_port(address)


def join_address(host: str, port: int) -> str:
    """Return HOST:PORT, with an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
