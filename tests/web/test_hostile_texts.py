"""Hostile names, versions, owners, notes and words do nothing: on no page, in no feed, and in no terminal."""

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest
from typer.testing import CliRunner

from arena.cli import pool as pool_command
from arena.errors import OptionError
from arena.games.catalogue import games, watched_game_of
from arena.games.cheat.rules.game import CHEAT
from arena.match.referee.replay import Replay
from arena.replays.watch.live_table import LiveTable
from arena.replays.watch.recorded_match import recorded_messages
from arena.server.store.account_values import BotProfile
from cheatarena.pool_client import PoolStanding, PoolState
from tests.match.referee import driver
from tests.organizer.report.reading import Page
from tests.replays.watch.spectators import play_match
from tests.support.hostile_data import HOSTILE_TEXTS, MATCH, POOL, make_hostile_data
from tests.web.conftest import PoolSite, open_client, open_sources
from tests.web.inert import CONTROLS, check_inert


@pytest.fixture(scope="module")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("hostile") / "data"
    make_hostile_data(folder)
    return folder


@pytest.fixture
async def hostile_site(hostile_folder: Path) -> AsyncIterator[PoolSite]:
    async with open_sources(hostile_folder) as sources, open_client(sources) as client:
        site = PoolSite(client, sources)
        await site.log_in("Ada")
        yield site


HOSTILE_PAGES: Final = (
    "/",
    "/pools",
    f"/pools/{POOL}",
    f"/matches/{MATCH}",
    f"/matches/{MATCH}/games/0",
    "/matches",
    "/bots/Ann",
    "/search?q=a",
    "/me",
    "/me/bots/Ann",
    f"/me/bots/Ann/matches/{MATCH}",
    f"/me/bots/Ann/matches/{MATCH}/games/0",
    "/me/submissions",
)


@pytest.mark.parametrize("path", HOSTILE_PAGES)
async def test_hostile_texts_are_inert_on_every_page(hostile_site, path):
    answer = await hostile_site.client.get(path)

    assert answer.status_code == 200
    check_inert(answer.text)
    machine = await hostile_site.client.get(path, headers={"Accept": "application/json"})
    assert machine.headers["content-type"] == "application/json"
    assert machine.headers["x-content-type-options"] == "nosniff"
    machine.json()


async def test_hostile_texts_are_inert_on_the_page_of_every_submission(hostile_site):
    """Their versions, pools, sentences and logs are hostile."""
    listed = (await hostile_site.client.get("/me/submissions.json")).json()["submissions"]
    assert {each["state"] for each in listed} == {"active", "refused"}
    for each in listed:
        answer = await hostile_site.client.get(f"/me/submissions/{each['submission_id']}")
        assert answer.status_code == 200
        check_inert(answer.text)


@pytest.mark.parametrize("what", HOSTILE_TEXTS)
async def test_bot_with_a_hostile_name_is_refused_or_inert(hostile_site, what):
    """Its page may be there, or not; its name does nothing."""
    answer = await hostile_site.client.get(f"/bots/{quote(HOSTILE_TEXTS[what], safe='')}")

    assert answer.status_code in (200, 404, 414)
    check_inert(answer.text)
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("field", ["text", "language", "link"])
@pytest.mark.parametrize("what", HOSTILE_TEXTS)
async def test_hostile_profile_is_refused_or_inert(hostile_site, what, field):
    profiles = hostile_site.sources.store.profiles
    await profiles.change("Ada", "Ann", BotProfile("honest", "C++", "https://example.org/ann"))
    with suppress(OptionError):
        await profiles.change("Ada", "Ann", BotProfile(**{field: HOSTILE_TEXTS[what]}))

    answer = await hostile_site.client.get("/bots/Ann")

    assert answer.status_code == 200
    check_inert(answer.text)
    links = [value for _, name, value in Page(answer.text).attributes if name == "href" and not value.startswith("/")]
    assert {*links} <= {"#main", "https://example.org/ann"}


async def test_feed_of_hostile_names_is_well_formed(hostile_site):
    text = (await hostile_site.client.get(f"/pools/{POOL}/feed.atom")).text

    assert "<script>" not in text
    assert CONTROLS.search(text) is None


def test_hostile_names_are_inert_in_the_terminal_commands(monkeypatch, capsys):
    """`arena pool show` and `arena pool list`."""
    for text in HOSTILE_TEXTS.values():
        standing = PoolStanding(text, text, 1500.0, None, None, 3, False, True)
        state = PoolState(text, text, text, 4, 1, True, 1, 1, 1, None, False, 1, 0, (), (text,))
        for words, told in ((["show", "x"], (state, [standing])), (["list"], [state])):
            monkeypatch.setattr(pool_command, "_ask", lambda *_, told=told: told)
            shown = CliRunner().invoke(pool_command.app, words)
            assert shown.exit_code == 0
            assert CONTROLS.search(shown.output) is None


def test_hostile_names_are_inert_in_the_watched_table(monkeypatch):
    """What `arena watch` prints and draws."""
    texts = list(HOSTILE_TEXTS.values())
    for first in range(0, len(texts), 3):
        monkeypatch.setattr(driver, "NAMES", tuple(texts[first : first + 3]))
        table = LiveTable(watched_game_of)
        lines = [
            line
            for message in recorded_messages(Replay(play_match(CHEAT, "standard", 3, 1), games()))
            for line in table.add(message)
        ]
        assert lines
        assert CONTROLS.search("".join(line.text for line in lines)) is None
        drawn = [score.name for score in table.drawing.scores]
        assert all(CONTROLS.search(name) is None for name in drawn)
