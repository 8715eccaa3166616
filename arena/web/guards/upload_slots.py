"""Counts the archives that arrive at once: a few in all, and one of each owner."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena.web.errors import RefusedError


class UploadSlots:
    """The places of uploads under way."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._owners = set[str]()

    @contextmanager
    def take(self, owner: str) -> Iterator[None]:
        """Take a place for an upload of an owner. Raises RefusedError if there is none."""
        if owner in self._owners:
            raise RefusedError(
                429, "another archive of yours arrives now: wait until it is there", {"Retry-After": "5"}
            )
        if len(self._owners) >= self._most:
            raise RefusedError(429, "too many archives arrive now: try again in a minute", {"Retry-After": "60"})
        self._owners.add(owner)
        try:
            yield
        finally:
            self._owners.discard(owner)
