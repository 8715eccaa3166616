"""Reads addresses, and finds out whether they are on this machine."""

from ipaddress import ip_address

MAX_PORT = 65_535


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT or [IPV6]:PORT, without the brackets. Raises ValueError for another form.

    >>> split_address("[::1]:7777")
    ('::1', 7777)
    """
    host, colon, port = address.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    bare = host[1:-1] if is_bracketed else host
    is_name = bare.isprintable() and " " not in bare and (":" in bare) is is_bracketed
    if not colon or not bare or not is_name or not port.isdecimal() or int(port) > MAX_PORT:
        raise ValueError(f"{address!r}: expected HOST:PORT, such as arena.example:7777 or [::1]:7777")
    return bare, int(port)


def is_loopback_host(host: str) -> bool:
    """Return whether a host is this machine. The host is a name or an IP address, with or without brackets.

    >>> [is_loopback_host(each) for each in ("localhost", "127.0.0.2", "::1", "[::1]")]
    [True, True, True, True]
    >>> [is_loopback_host(each) for each in ("arena.example", "10.0.0.1", "")]
    [False, False, False]
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def is_loopback(address: str) -> bool:
    """Return whether an address is on this machine. It has the form HOST:PORT or unix:PATH.

    >>> [is_loopback(each) for each in ("localhost:5000", "127.0.0.2:5000", "[::1]:5000", "unix:/run/arena")]
    [True, True, True, True]
    >>> [is_loopback(each) for each in ("arena.example:443", "127.0.0.1.example:443")]
    [False, False]
    """
    return address.startswith("unix:") or is_loopback_host(address.rpartition(":")[0] or address)
