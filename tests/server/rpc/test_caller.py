"""The address of a client behind a proxy: clients can forge the header, so only what the proxy adds counts."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.server.rpc.caller import Caller, CallerReader, parse_proxies
from cheatarena.addresses import is_loopback_host

PROXY = "10.0.0.1"


def address_of(forwarded: str, proxy: str = PROXY) -> str:
    """Read the address of a call that came through a proxy."""
    context: Any = SimpleNamespace(
        invocation_metadata=lambda: (("x-forwarded-for", forwarded),), peer=lambda: f"ipv4:{proxy}:4711"
    )
    return CallerReader(8192, parse_proxies([PROXY, "127.0.0.1"])).read(context).address


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("203.0.113.5:5555", "203.0.113.5"),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[2001:db8::1]:5555", "2001:db8::1"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        (f"198.51.100.1, 203.0.113.5, {PROXY}", "203.0.113.5"),
        (f"203.0.113.5, {PROXY}:80", "203.0.113.5"),
    ],
)
def test_last_address_before_the_proxies_counts_with_or_without_port(forwarded, address):
    assert address_of(forwarded) == address


@pytest.mark.parametrize("last", ["203.0.113.5:5555", "[2001:db8::1]:5555"])
def test_forged_address_does_not_replace_one_with_a_port(last):
    assert address_of(f"127.0.0.1, {last}") in {"203.0.113.5", "2001:db8::1"}


@pytest.mark.parametrize("last", ["unknown", "_hidden", "", "203.0.113.5:x", "[::1", "1.2.3.4:5:6"])
def test_entry_that_is_no_address_hides_all_entries_before_it(last):
    """The client wrote those. The call counts as the proxy's."""
    assert address_of(f"198.51.100.1, {last}") == PROXY


@pytest.mark.parametrize("forged", ["127.0.0.2", "::1", "::ffff:127.0.0.9", "[::1]:80"])
def test_forwarded_address_is_never_this_machine(forged):
    """This machine has no limits."""
    assert address_of(forged) == PROXY


@pytest.mark.parametrize("forwarded", ["unknown", "127.0.0.1", "127.0.0.2", "::1", ""])
def test_call_through_a_proxy_on_this_machine_does_not_count_as_local(forwarded):
    assert not is_loopback_host(address_of(forwarded, proxy="127.0.0.1"))


def test_streams_of_other_tokens_are_not_counted_together_on_the_connection_of_a_proxy():
    """Caddy puts all its clients on one connection. An open call still keeps the proxy's connection open."""

    def read(token: str) -> Caller:
        metadata = (("x-forwarded-for", "203.0.113.5"), ("authorization", f"Bearer {token}"))
        context: Any = SimpleNamespace(invocation_metadata=lambda: metadata, peer=lambda: f"ipv4:{PROXY}:4711")
        return CallerReader(8192, parse_proxies([PROXY])).read(context)

    ann, bob = read("ann"), read("bob")

    assert ann.stream_group == read("ann").stream_group != bob.stream_group
    assert ann.connection == bob.connection == f"ipv4:{PROXY}:4711"
    assert "ann" not in ann.stream_group
