"""In a rated match with a bot that the arena did not start, windows are fixed unless the organizer says otherwise."""

from typing import Any

import pytest

from cheatarena.v1 import match_pb2, ruleset_pb2
from tests.support.server import LocalServer

Setting = match_pb2.OptionSetting
RATED: dict[str, Any] = {"seed": b""}


class Processes:
    """Says which bots were started here."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def has_started(self, name: str) -> bool:
        return name in self.names

    def process_times(self, key: tuple[str, str], since: int, now: int) -> None:
        """Nothing is measured."""


async def create(site: LocalServer, **request: Any) -> bool:
    """Create a match between Ann and Bob; return whether both its terms and the offer say that windows are fixed."""
    ann, _ = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", **request)
    offered = (await ann.wait_for_notice("offered")).offered
    assert offered.terms.pace == match.terms.pace
    assert match.terms.rated is not request.get("unrated", bool(request.get("seed", b"x")))
    return bool(match.terms.pace.fixed_window)


async def test_rated_match_of_remote_bots_has_fixed_windows(site: LocalServer):
    assert await create(site, **RATED) is True


async def test_unrated_match_is_as_before(site: LocalServer):
    assert await create(site, **RATED, unrated=True) is False


@pytest.mark.parametrize("text", ["false", "true"])
async def test_what_the_organizer_says_is_kept(site: LocalServer, text):
    chosen = [Setting(name="fixed_window", value=text)]

    assert await create(site, **RATED, pace_options=chosen) is (text == "true")


@pytest.mark.parametrize(
    ("started", "is_fixed"), [(("ann", "bob"), False), (("ann",), True), ((), True)], ids=["both", "one", "none"]
)
async def test_one_remote_bot_is_enough(site: LocalServer, monkeypatch, started, is_fixed):
    monkeypatch.setattr(site.node, "_processes", Processes(*started))

    assert await create(site, **RATED) is is_fixed


async def test_live_matches_and_matches_without_deadlines_have_no_fixed_windows(site: LocalServer):
    """A window without a deadline would never close."""
    live = {"pace_options": [Setting(name="turn_ms", value="5000")]}
    await site.connect_bots("ann", "bob")

    made = [
        await site.matches.CreateMatch(
            match_pb2.CreateMatchRequest(
                entrants=["ann", "bob"], game="cheat", preset="standard", game_count=1, **pace
            ),
            metadata=site.organizing,
        )
        for pace in (
            {"pace": ruleset_pb2.PACE_STYLE_LIVE, **live},
            {"pace_options": [Setting(name="no_deadlines", value="true")]},
        )
    ]

    assert [each.match.terms.pace.fixed_window for each in made] == [False, False]
