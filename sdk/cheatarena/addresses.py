"""Reads addresses, and finds out whether they are on this machine."""

from ipaddress import IPv4Address, ip_address

MAX_PORT = 65_535
UNIX_PREFIX = "unix:"


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT or [IPV6]:PORT, without the brackets. Raises ValueError for another form.

    >>> split_address("[::1]:7777")
    ('::1', 7777)
    """
    if fault := find_address_fault(address):
        raise ValueError(f"{address!r}: {fault}")
    host, _, port = address.rpartition(":")
    return _without_brackets(host), int(port)


def find_address_fault(address: str, example: str = "arena.example:7777") -> str:
    """Return what is wrong with an address, as words that follow the address; empty for HOST:PORT or [IPV6]:PORT.

    >>> find_address_fault("https://arena.example")
    'leave out https://, and name the port: expected HOST:PORT, such as arena.example:7777 or [::1]:7777'
    >>> find_address_fault("arena.example")
    'it names no port: expected HOST:PORT, such as arena.example:7777 or [::1]:7777'
    """
    expected = f"expected HOST:PORT, such as {example} or [::1]:7777"
    scheme, slashes, rest = address.partition("://")
    if slashes:
        rest = rest.partition("/")[0]
        has_port = rest.rpartition(":")[2].isdecimal() and ":" in rest
        return f"leave out {scheme}://{'' if has_port else ', and name the port'}: {expected}"
    host, colon, port = address.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    bare = _without_brackets(host)
    is_name = bare.isprintable() and " " not in bare and "/" not in bare and (":" in bare) is is_bracketed
    if colon and bare and is_name and port.isdecimal() and port.isascii() and int(port) <= MAX_PORT:
        return ""
    is_host_alone = address.isprintable() and not set(address) & set(" :/")
    return f"it names no port: {expected}" if address and is_host_alone else expected


def _without_brackets(host: str) -> str:
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def is_loopback_host(host: str) -> bool:
    """Return whether a host is this machine. The host is a name or an IP address, with or without brackets.

    >>> [is_loopback_host(each) for each in ("localhost", "127.0.0.2", "::1", "[::1]", "::ffff:127.0.0.1")]
    [True, True, True, True, True]
    >>> [is_loopback_host(each) for each in ("arena.example", "10.0.0.1", "")]
    [False, False, False]
    """
    try:
        found = ip_address(host.strip("[]"))
    except ValueError:
        return host.lower() == "localhost"
    mapped = None if isinstance(found, IPv4Address) else found.ipv4_mapped
    return (mapped or found).is_loopback


def is_loopback(address: str) -> bool:
    """Return whether an address is on this machine. It has the form HOST:PORT or unix:PATH.

    >>> [is_loopback(each) for each in ("localhost:5000", "127.0.0.2:5000", "[::1]:5000", "unix:/run/arena")]
    [True, True, True, True]
    >>> [is_loopback(each) for each in ("arena.example:443", "127.0.0.1.example:443")]
    [False, False]
    """
    return address.startswith(UNIX_PREFIX) or is_loopback_host(address.rpartition(":")[0] or address)
