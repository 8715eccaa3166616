"""A version that was replaced keeps its seats, gets no more, and ends with the last of them."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.errors import UnknownNameError
from arena.match.referee.scalars import SessionKey
from arena.server.node.retirement import Retirement


class FakeSession:
    """What the retirement knows of a session."""

    def __init__(self, handle: str, *, is_submitted: bool = True) -> None:
        self.key: SessionKey = ("ann-bot", f"submitted:{handle}")
        self.version = "1"
        self.handle, self.is_submitted = handle, is_submitted
        self.is_retiring = False
        self.ended = self.detail = ""

    def retire(self) -> None:
        self.is_retiring = True

    def end(self, reason: str, detail: str) -> None:
        self.ended, self.detail = reason, detail


class Site:
    """A server with sessions, which hold a seat, and its store."""

    def __init__(self, *opened: FakeSession) -> None:
        self.session, self.seats, self.revoked = opened[0], 1, list[str]()
        self.replaced, self.waiting, self.gone_token = False, set[str](), ""
        self.new = set[tuple[str, str]]()
        self.sessions = {each.key: each for each in opened}
        site: Any = self
        node: Any = SimpleNamespace(sessions=self.sessions, registry=SimpleNamespace(sessions=self))
        self.retirement = Retirement(node, site, site, site, site)

    def count_seats(self, _: SessionKey) -> int:
        return self.seats

    def has_earlier_expiry(self, _: str) -> bool:
        return self.replaced

    async def list_versions_since(self, _: float) -> set[tuple[str, str]]:
        return self.new

    async def end_version(self, handle: str) -> None:
        if handle == self.gone_token:
            raise UnknownNameError("token", handle)
        self.revoked.append(handle)


@pytest.fixture
def site() -> Site:
    return Site(FakeSession("one"))


async def test_version_plays_on_until_it_is_replaced_and_then_until_its_last_seat(site: Site):
    site.seats = 0
    await site.retirement.look()
    assert (site.session.is_retiring, site.revoked) == (False, [])

    site.seats, site.replaced = 1, True
    await site.retirement.look()
    assert (site.session.is_retiring, site.revoked) == (True, [])

    site.seats = 0
    await site.retirement.look()
    assert site.revoked == ["one"]
    assert (site.session.ended, site.session.detail) == (
        "token_revoked",
        "another version has replaced this one, whose last game is over",
    )


async def test_version_does_not_end_before_its_seats_are_known_after_a_restart(site: Site):
    site.seats, site.replaced, site.waiting = 0, True, {"a match"}
    await site.retirement.look()
    assert site.revoked == []

    site.waiting = set()
    await site.retirement.look()
    assert site.revoked == ["one"]


async def test_rotated_token_of_any_other_bot_plays_on():
    site = Site(FakeSession("one", is_submitted=False))
    site.seats, site.replaced = 0, True
    await site.retirement.look()
    assert (site.session.is_retiring, site.revoked) == (False, [])


async def test_token_that_is_gone_stops_nothing():
    """The versions behind it end all the same."""
    site = Site(FakeSession("one"), FakeSession("two"))
    site.seats, site.replaced, site.gone_token = 0, True, "one"
    await site.retirement.look()
    assert site.revoked == ["two"]


@pytest.mark.parametrize(
    ("is_submitted", "new", "ended"),
    [
        (False, ("ann-bot", "1"), "session_replaced"),
        (False, ("ann-bot", "2"), ""),
        (False, ("bob-bot", "1"), ""),
        (True, ("ann-bot", "1"), ""),
    ],
)
async def test_program_that_named_a_version_before_it_was_submitted_ends(is_submitted, new, ended):
    site = Site(FakeSession("one", is_submitted=is_submitted))

    site.new.add(new)
    await site.retirement.look()

    assert site.session.ended == ended
