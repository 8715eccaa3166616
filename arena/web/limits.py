"""What one client may cost, and how much all of them together."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Self

from arena.web.errors import RefusedError


@dataclass(frozen=True, slots=True)
class WebLimits:
    """The limits of the web pages. An IPv6 network (/64) counts as one address."""

    connections: int = 512
    """Open connections. A request on a further one is answered with 503."""
    connections_an_address: int = 64
    """Open connections of one address; further ones are closed at once."""
    binds_loopback: bool = False
    """Whether this limit and that of viewers bind addresses of this machine too, from which a proxy connects."""
    requests: int = 64
    """Requests under way. Further ones are answered with 429."""
    requests_a_second: float = 20.0
    """Requests of one address, over a longer time."""
    burst: int = 120
    """Requests that one address may send at once."""
    known_addresses: int = 10_000
    """Addresses whose requests are counted. The one that was silent for longest is forgotten first."""
    logins_a_minute: int = 10
    """Attempts of one address to log in, in a minute and also at once."""
    viewers: int = 10_000
    """Viewers of live tables. The stream of a further one is answered with 503; its page shows the table as it was."""
    viewers_an_address: int = 64
    """Those of one address."""
    viewed_matches: int = 64
    """Matches that are followed on the server for viewers, at once."""
    viewed_matches_an_address: int = 8
    """Those of the viewers of one address, so that a few addresses cannot keep others from watching."""
    update_s: float = 0.1
    """Seconds between two updates of a table, at least."""
    linger_s: float = 10.0
    """Seconds for which a match is still followed after the last viewer has gone."""
    url_bytes: int = 2_048
    header_bytes: int = 16_384
    """Bytes of a request before its body."""
    body_bytes: int = 65_536
    form_bytes: int = 4_096
    """The body of a form."""
    request_s: float = 10.0
    """Seconds in which a whole request has to arrive, from the opening of its connection or the answer before it."""
    stall_s: float = 20.0
    """Seconds for which a client may leave an answer unread."""
    keep_alive_s: int = 15
    """Seconds for which a connection may stay open without a request."""
    uploads: int = 8
    """Archives of bots that arrive at once, one of each owner. Settings of the server say how large they may be."""
    upload_s: float = 600.0
    """Seconds in which an archive has to arrive, in place of `request_s`."""
    upload_silence_s: float = 30.0
    """Seconds for which an upload may be silent."""
    works_waiting: int = 32
    """Replays that wait to be computed, and as many reports."""
    works_an_address: int = 4
    """Those of one address."""
    kept_bytes: int = 64 * 1024 * 1024
    """Bytes of computed replays that are kept, and as many of reports."""

    def for_people(self, count: int) -> Self:
        """Return the limits for addresses that `count` people share: each person gets what one address gets otherwise.

        One address gets at most three quarters of what all of them together get.
        """
        return replace(
            self,
            connections_an_address=_share(self.connections_an_address * count, self.connections),
            requests_a_second=self.requests_a_second * count,
            burst=self.burst * count,
            logins_a_minute=self.logins_a_minute * count,
            viewers_an_address=_share(self.viewers_an_address * count, self.viewers),
            viewed_matches_an_address=_share(self.viewed_matches_an_address * count, self.viewed_matches),
            works_an_address=_share(self.works_an_address * count, self.works_waiting),
        )


def _share(most: int, total: int) -> int:
    return min(most, total * 3 // 4)


class UploadSlots:
    """The places of archives that arrive at once: a few in all, and one for each owner."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._owners = set[str]()

    @contextmanager
    def take(self, owner: str) -> Iterator[None]:
        """Raises RefusedError if there is no place."""
        if owner in self._owners:
            raise RefusedError(
                429, "another archive of yours is still arriving: wait until it is in", {"Retry-After": "5"}
            )
        if len(self._owners) >= self._most:
            raise RefusedError(
                429,
                f"{self._most} archives are arriving, the most at once: try again in a minute",
                {"Retry-After": "60"},
            )
        self._owners.add(owner)
        try:
            yield
        finally:
            self._owners.discard(owner)
