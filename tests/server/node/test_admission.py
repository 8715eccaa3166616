"""Limits on connections per address and on new sessions per token."""

from contextlib import ExitStack
from dataclasses import replace

import grpc
import pytest

from arena.errors import CapacityError
from arena.server.node.addresses import UNIX_PEER, peer_address
from arena.server.node.admission import AdmissionControl
from arena.server.node.limits import Limits
from tests.support.server import open_server

FAR = "192.0.2.7"
NEAR = ["127.0.0.1", "::1", "localhost"]
MINUTE_US = 60_000_000


class Watch:
    now = 0


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def admission(watch: Watch) -> AdmissionControl:
    return AdmissionControl(replace(Limits(), joins_a_minute=2, connections_an_address=2), lambda: watch.now)


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:4711", FAR),
        ("ipv6:[2001:db8::1]:80", "2001:db8::1"),
        ("ipv6:%5B::1%5D:4711", "::1"),
        ("unix:", "unix"),
    ],
)
def test_address_is_read_from_grpc_peer(peer, address):
    assert peer_address(peer) == address


def test_joins_count_for_one_minute(admission: AdmissionControl, watch: Watch):
    for watch.now in (0, 1):
        admission.admit_new_session("ann", FAR)

    watch.now = MINUTE_US - 1
    with pytest.raises(CapacityError, match="2 new sessions within a minute"):
        admission.admit_new_session("ann", FAR)
    admission.admit_new_session("bob", FAR)
    watch.now = MINUTE_US
    admission.admit_new_session("ann", FAR)


@pytest.mark.parametrize("address", NEAR)
def test_local_clients_are_not_limited(admission: AdmissionControl, address):
    with ExitStack() as streams:
        for number in range(3):
            admission.admit_new_session("ann", address)
            streams.enter_context(admission.admit_stream(str(number), address))


def test_connections_per_address_are_counted_rather_than_streams(admission: AdmissionControl):
    """A connection counts as long as one of its streams is open."""
    with ExitStack() as streams:
        first = ExitStack()
        for _ in range(3):
            first.enter_context(admission.admit_stream("one", FAR))
        streams.enter_context(admission.admit_stream("two", FAR))
        streams.enter_context(admission.admit_stream("three", "192.0.2.8"))
        with (
            pytest.raises(CapacityError, match="already has 2 connections"),
            admission.admit_stream("three", FAR),
        ):
            pass
        first.close()
        streams.enter_context(admission.admit_stream("three", FAR))

    assert admission._streams == {}


@pytest.mark.parametrize("address", [FAR, *NEAR])
def test_streams_of_a_connection_are_limited_for_everybody(admission: AdmissionControl, address):
    with ExitStack() as streams:
        for _ in range(Limits().streams_a_connection):
            streams.enter_context(admission.admit_stream("one", address))
        with pytest.raises(CapacityError, match="already has 8 streams"), admission.admit_stream("one", address):
            pass
        streams.enter_context(admission.admit_stream("two", address))


async def test_token_that_opens_too_many_sessions_is_refused(tmp_path):
    """Its existing sessions may still reconnect without limit."""
    async with open_server(tmp_path, replace(Limits(), joins_a_minute=2, binds_loopback=True)) as site:
        await site.connect_bot("ann", instance="one")
        two = await site.connect_bot("ann", instance="two")
        await two.disconnect()
        await site.wait_until_gone("ann", "two")

        await site.connect_bot("ann", instance="two")
        third = await site.open_stream("ann")
        with pytest.raises(grpc.aio.AioRpcError):
            await third.open_session(instance="three")

        assert (await third.wait_for_end()).reason == "LIMIT_REACHED"
        assert len(site.node.sessions) == 2


def test_bot_that_opens_too_many_streams_waits(watch: Watch):
    """Two at once, then one a second. Bots in boxes are limited too, and others on this machine are not."""
    admission = AdmissionControl(replace(Limits(), streams_a_minute=60, stream_burst=2), lambda: watch.now)

    for address in (FAR, UNIX_PEER):
        assert [admission.delay_opening(address, address) for _ in range(3)] == [0, 0, pytest.approx(1)]
    assert [admission.delay_opening("ann", NEAR[0]) for _ in range(3)] == [0, 0, 0]
    watch.now += 999_000
    assert admission.delay_opening(FAR, FAR) == pytest.approx(0.001)
    watch.now += 1_000
    assert admission.delay_opening(FAR, FAR) == 0


async def test_stream_that_is_opened_too_soon_is_served_later(tmp_path):
    """No stream is refused, and no other bot waits."""
    limits = replace(Limits(), streams_a_minute=60, stream_burst=1, binds_loopback=True)
    async with open_server(tmp_path, limits) as site:
        await site.connect_bot("ann")
        began = site.node.now()
        await site.connect_bot("bob")
        await site.connect_bot("ann")

        assert site.node.now() - began > 500_000


async def test_address_with_too_many_connections_is_refused(tmp_path):
    """The refusal precedes the token check; a spectator's connection counts like a bot's."""
    async with open_server(tmp_path, replace(Limits(), connections_an_address=2, binds_loopback=True)) as site:
        bots = await site.connect_bots("ann", "bob")

        third = await site.open_stream("cid")
        assert (await third.wait_for_end()).reason == "LIMIT_REACHED"

        await bots[0].disconnect()
        await site.wait_until_gone("ann")
        await site.connect_bot("cid")
        assert {name for name, _ in site.node.sessions} == {"bob", "cid"}


def test_address_that_guesses_tokens_waits_for_its_refusals():
    """Only after a number of them within a minute; other addresses get theirs at once."""
    now = [0]
    limits = Limits(guesses_a_minute=3, refusal_delay_s=1.5)
    admission = AdmissionControl(limits, lambda: now[0])

    def delay_of(address: str) -> float:
        with admission.delay_refusal(address) as delay_s:
            return delay_s

    assert [delay_of("198.51.100.7") for _ in range(5)] == [0, 0, 0, 1.5, 1.5]
    assert delay_of("203.0.113.9") == 0
    now[0] += 60_000_000
    assert delay_of("198.51.100.7") == 0


def test_number_of_waiting_refusals_is_bounded():
    """Each of them keeps a call in memory, so the rest is refused at once."""
    admission = AdmissionControl(Limits(guesses_a_minute=0, delayed_refusals=2), lambda: 0)

    with ExitStack() as waiting:
        delays = [waiting.enter_context(admission.delay_refusal("198.51.100.7")) for _ in range(4)]

    assert delays == [1, 1, 0, 0]


def test_local_guesses_are_not_delayed():
    """A bot of this machine with an old token is told at once."""
    with AdmissionControl(Limits(guesses_a_minute=0), lambda: 0).delay_refusal("127.0.0.1") as delay_s:
        assert delay_s == 0


def test_addresses_of_an_ipv6_network_share_their_limits(admission: AdmissionControl):
    """One host has a whole /64, so each of its addresses would otherwise have limits of its own."""
    with ExitStack() as streams:
        for number in (1, 2):
            streams.enter_context(admission.admit_stream(str(number), f"2001:db8:0:7::{number}"))
        with (
            pytest.raises(CapacityError, match="already has 2 connections"),
            admission.admit_stream("3", "2001:db8:0:7:f::"),
        ):
            pass
        streams.enter_context(admission.admit_stream("4", "2001:db8:0:8::1"))


def test_invitations_and_guesses_of_an_ipv6_network_are_counted_together():
    admission = AdmissionControl(Limits(redemptions_a_minute=1, guesses_a_minute=1, refusal_delay_s=1.5), lambda: 0)

    admission.admit_redemption("2001:db8::1")
    with pytest.raises(CapacityError, match="1 invitation within a minute"):
        admission.admit_redemption("2001:db8::2")
    with admission.delay_refusal("2001:db8::1") as first, admission.delay_refusal("2001:db8::2") as second:
        assert (first, second) == (0, 1.5)


def test_ipv4_address_written_as_ipv6_is_the_ipv4_address(admission: AdmissionControl):
    with ExitStack() as streams:
        streams.enter_context(admission.admit_stream("1", FAR))
        streams.enter_context(admission.admit_stream("2", f"::ffff:{FAR}"))
        with pytest.raises(CapacityError), admission.admit_stream("3", f"::ffff:{FAR}"):
            pass
        for number in range(3):
            streams.enter_context(admission.admit_stream(str(number), "::ffff:127.0.0.1"))
