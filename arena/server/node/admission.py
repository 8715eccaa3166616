"""Limits the streams of a connection, the connections of an address, and what may happen only a few times a minute.

A limit for each address counts all addresses of an IPv6 network (/64) together, since one host can use all of them. It
counts for each person who may share the address (`Limits.people_an_address`).
Peers on this machine are exempt unless `Limits.binds_loopback` is set: launched bots connect from here, and a local
user has other ways to harm the machine. The streams of a connection are limited for everybody. Peers on a Unix socket
may be bots in boxes: `arena.server.node.addresses` says how they are limited.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.errors import CapacityError
from arena.plurals import format_count
from arena.server.node.addresses import UNIX_PEER, limited_network
from arena.server.node.limits import Limits
from arena.server.node.rate_limits import MINUTE_US, PeriodLimit, TokenBuckets
from cheatarena.addresses import is_loopback_host

_KNOWN_GUESSERS = 10_000
"""The largest number of addresses or IPv6 networks for which refused tokens are counted."""
_KNOWN_BOTS = 10_000
"""The largest number of bots whose new streams are counted."""


class AdmissionControl:
    def __init__(self, limits: Limits, now: Callable[[], int]) -> None:
        """`now` returns the current time in microseconds."""
        self._limits = limits
        self._now = now
        self._streams: dict[str, Counter[str]] = {}
        """The number of open streams, by address (a network for IPv6) and connection."""
        self._openings = TokenBuckets(
            limits.streams_a_minute / 60, limits.stream_burst, _KNOWN_BOTS, lambda: now() / 1e6
        )
        """New streams, by bot name."""
        self._joins = PeriodLimit(limits.joins_a_minute)
        """New sessions, by bot name."""
        self._redemptions = PeriodLimit(limits.redemptions_a_minute * limits.people_an_address)
        """Attempts to redeem an invitation, by address."""
        self._account_changes = PeriodLimit(limits.account_changes_a_minute)
        """Changes of bots, tokens, login codes and submissions, by owner."""
        self._guesses: dict[str, tuple[int, int]] = {}
        """By address: when the current minute of counting began, and how many tokens were refused since then."""
        self._delayed_count = 0
        """The number of refused calls that have not been answered yet."""

    @contextmanager
    def admit_stream(self, connection: str, address: str) -> Iterator[None]:
        """Count a stream while it is open.

        Raises CapacityError if the connection has too many streams, or the address has too many connections.
        """
        address = limited_network(address)
        most, most_streams = self.find_most_connections(address), self._limits.streams_a_connection
        streams = self._streams.setdefault(address, Counter())
        if connection not in streams and most is not None and len(streams) >= most:
            raise CapacityError(f"address {address} already has {format_count(most, 'connection')}, the most allowed")
        if streams[connection] >= most_streams:
            raise CapacityError(f"this connection already has {format_count(most_streams, 'stream')}, the most allowed")
        streams[connection] += 1
        try:
            yield
        finally:
            streams[connection] -= 1
            if not streams[connection]:
                del streams[connection]
            if not streams:
                del self._streams[address]

    def find_most_connections(self, address: str) -> int | None:
        """Return None if there is no limit."""
        if address == UNIX_PEER or not self._is_limited(address):
            return None
        return self._limits.connections_an_address * self._limits.people_an_address

    def delay_opening(self, name: str, address: str) -> float:
        """Return how many seconds a bot's new stream has to wait; 0 counts it as opened.

        Each stream costs the server a millisecond, so a bot that opens one after another is slowed down.
        """
        return self._openings.take(name) if self._is_limited(address) else 0.0

    def admit_new_session(self, name: str, address: str) -> None:
        """Raises CapacityError if the name reached the limit within the last minute."""
        if not self._is_limited(address) or (address == UNIX_PEER and not self._limits.binds_loopback):
            return
        if not self._joins.admit(name, self._now()):
            most = self._limits.joins_a_minute
            opened = format_count(most, "new session")
            raise CapacityError(f"bot {name!r} has opened {opened} within a minute, the most allowed")

    def admit_redemption(self, address: str) -> None:
        """Raises CapacityError if the address reached the limit."""
        address = limited_network(address)
        if self._is_limited(address) and not self._redemptions.admit(address, self._now()):
            most = self._limits.redemptions_a_minute * self._limits.people_an_address
            tried = format_count(most, "invitation")
            raise CapacityError(f"address {address} has tried {tried} within a minute, the most allowed")

    def admit_account_change(self, owner: str) -> None:
        """Raises CapacityError if the owner reached the limit."""
        if not self._account_changes.admit(owner, self._now()):
            most = self._limits.account_changes_a_minute
            asked = format_count(most, "change")
            raise CapacityError(
                f"owner {owner!r} has asked for {asked} within a minute, the most allowed: wait a minute"
            )

    @contextmanager
    def delay_refusal(self, address: str) -> Iterator[float]:
        """Count a refused token, and return for how many seconds its refusal has to wait.

        A connection may have only a few calls open at the same time, so a caller whose refusals wait can try fewer
        tokens. The number of waiting refusals is limited, since each keeps its call in memory.
        """
        address = limited_network(address)
        self._delayed_count += 1
        try:
            most = self._limits.guesses_a_minute * self._limits.people_an_address
            is_late = self._count_guess(address) > most and self._is_limited(address)
            yield (
                self._limits.refusal_delay_s if is_late and self._delayed_count <= self._limits.delayed_refusals else 0
            )
        finally:
            self._delayed_count -= 1

    def _count_guess(self, address: str) -> int:
        now = self._now()
        since, count = self._guesses.get(address, (now, 0))
        if now - since >= MINUTE_US:
            since, count = now, 0
        if len(self._guesses) >= _KNOWN_GUESSERS and address not in self._guesses:
            del self._guesses[next(iter(self._guesses))]
        self._guesses[address] = since, count + 1
        return count + 1

    def _is_limited(self, address: str) -> bool:
        return self._limits.binds_loopback or not is_loopback_host(limited_network(address))
