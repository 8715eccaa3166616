"""While a match runs, the site shows only what a spectator may know, and no URL shows more."""

import pytest

from tests.support.web_data import RUNNING, SHARED
from tests.web.conftest import open_client, open_sources

CARDS = (
    "/matches/{id}/games/0",
    "/matches/{id}/games/0.json",
    "/matches/{id}/games/0?seat=0",
    "/matches/{id}/games/0.json?seat=1",
    "/matches/{id}/replay-file",
)


@pytest.mark.parametrize("path", CARDS)
@pytest.mark.parametrize(
    ("match_id", "sentence"),
    [(RUNNING, "still runs: its cards are secret"), (SHARED, "shares its cards with other games")],
)
async def test_cards_that_are_secret_are_refused(site, path, match_id, sentence):
    answer = await site.get(path.format(id=match_id))

    assert answer.status_code == 403
    assert sentence in answer.text
    assert answer.headers["cache-control"] == "no-store"


async def test_running_match_shows_its_terms_alone(site):
    """Its first game has ended in its journal; nothing of that is here."""
    view = (await site.get(f"/matches/{RUNNING}.json")).json()

    assert view["match"]["state"] == "running"
    assert (view["match"]["games_finished"], view["match"]["place_sums"], view["games"]) == (0, [], [])
    assert [entrant["strikes"] for entrant in view["entrants"]] == [{}, {}, {}]
    assert not view["proof"]["is_opened"]


@pytest.mark.parametrize("path", ["/", "/matches", f"/matches/{RUNNING}", "/index.json", f"/matches/{RUNNING}.json"])
async def test_names_of_an_anonymous_match_are_hidden_while_it_runs(site, path):
    """Its bots could look here otherwise."""
    answer = await site.get(path)

    assert "entrant 0" in answer.text
    if RUNNING in path:
        assert "Ann" not in answer.text


async def test_feed_has_no_running_match(site):
    assert RUNNING not in (await site.get("/feed.atom")).text


async def test_match_is_interrupted_if_no_server_runs(web_data):
    """Its cards stay secret: the next server continues it."""
    async with open_sources(web_data, is_running=False) as sources, open_client(sources) as site:
        view = (await site.get(f"/matches/{RUNNING}.json")).json()
        refused = await site.get(f"/matches/{RUNNING}/games/0")

    assert view["match"]["state"] == "interrupted"
    assert refused.status_code == 403
