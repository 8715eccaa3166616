"""What each page shows, as HTML and as JSON, and that both come from the same value."""

import asyncio
import subprocess
import sys
from dataclasses import asdict, dataclass
from urllib.parse import parse_qs

import httpx
import pytest

from arena.organizer.report.site import verifier_files
from arena.web.projection import project
from tests.organizer.report.reading import Page
from tests.support.web_data import (
    CHEATER_GAME,
    HOSTILE,
    HOSTILE_NAMES,
    IDS,
    NOTED,
    RUNNING,
    SECRET_NOTE,
    SHARED,
    TWO_GAMES,
)


@dataclass
class Bot:
    name: str
    secret: str


@dataclass
class BotLine:
    name: str
    rank: int


def test_value_of_a_page_has_only_the_fields_of_its_class():
    assert asdict(project(Bot("Ann", "hush"), BotLine, rank=2)) == {"name": "Ann", "rank": 2}
    with pytest.raises(AttributeError, match="rank"):
        project(Bot("Ann", "hush"), BotLine)


async def ids_of(site: httpx.AsyncClient, query: str = "") -> list[str]:
    """Return the ids of the matches in a list."""
    return [match["match_id"] for match in (await site.get(f"/matches.json{query}")).json()["matches"]]


async def test_first_page_has_running_matches_apart_from_results(site):
    home = (await site.get("/index.json")).json()

    assert [match["match_id"] for match in home["running"]] == [RUNNING]
    assert [match["match_id"] for match in home["newest"]] == [each for each in IDS if each != RUNNING]
    assert home["leagues"] == []


async def test_list_has_all_matches_newest_first(site):
    assert await ids_of(site) == [*IDS]


async def test_list_is_read_page_by_page(site):
    """Each page says how to get the next one; together they have each match once."""
    seen, query = [], "?limit=4"
    while query:
        listed = (await site.get(f"/matches.json{query}")).json()
        seen.append([match["match_id"] for match in listed["matches"]])
        query = f"?{listed['next']}" if listed["next"] else ""

    assert seen == [[*IDS[:4]], [*IDS[4:]]]


async def test_next_page_keeps_the_search(site):
    """The running match is anonymous, so a search for a bot leaves it out."""
    listed = (await site.get("/matches.json?bot=Ann&game=cheat&limit=1")).json()

    assert parse_qs(listed["next"]) == {"bot": ["Ann"], "game": ["cheat"], "before": [SHARED], "limit": ["1"]}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?game=cheater", [CHEATER_GAME]),
        ("?bot=nice", [HOSTILE]),
        ("?bot=Cid&game=cheater", [CHEATER_GAME]),
        ("?bot=nobody", []),
        (f"?before={NOTED}", [CHEATER_GAME, TWO_GAMES]),
    ],
)
async def test_list_is_searched_by_bot_and_game(site, query, found):
    assert await ids_of(site, query) == found


async def test_match_has_its_terms_results_and_proof(site):
    view = (await site.get(f"/matches/{TWO_GAMES}.json")).json()

    assert view["match"]["entrants"] == ["Ann", "Bob", "Cid"]
    assert view["options"]["max_turns"] == "40"
    assert [game["game"] for game in view["games"]] == [0, 1]
    for number, entrant in enumerate(view["entrants"]):
        assert entrant["places"] == [game["places"][number] for game in view["games"]]
        assert entrant["place_sum"] == sum(entrant["places"])
    assert view["proof"]["is_opened"]
    assert len(view["proof"]["commitment"]) == 64


async def test_match_links_to_each_of_its_games_and_to_its_proof(site):
    page = Page((await site.get(f"/matches/{TWO_GAMES}")).text)

    wanted = [f"/matches/{TWO_GAMES}/games/0", f"/matches/{TWO_GAMES}/games/1", f"/matches/{TWO_GAMES}/replay-file"]
    assert {*wanted} <= {*page.values("href")}
    for link in wanted:
        assert (await site.get(link)).status_code == 200


async def test_replay_shows_all_hands_in_both_forms(site):
    """The page and its JSON tell the same lines."""
    path = f"/matches/{TWO_GAMES}/games/1"
    view, page = (await site.get(f"{path}.json")).json(), (await site.get(path)).text

    assert (view["game"], view["seat"], view["names"]) == (1, None, ["Ann", "Bob", "Cid"])
    assert sorted(view["places"]) == [1, 2, 3]
    assert all(len(line["hands"]) == 3 for line in view["lines"] if line["kind"] == "event")
    assert page.count("<tr class=") >= len(view["lines"])
    assert 'id="t12"' in page


async def test_replay_of_one_seat_has_only_its_hand(site):
    path = f"/matches/{TWO_GAMES}/games/0"
    whole, own = (await site.get(f"{path}.json")).json(), (await site.get(f"{path}.json?seat=1")).json()

    assert own["seat"] == 1
    assert {len(line["hands"]) for line in own["lines"] if line["kind"] == "event"} == {1}
    dealt = next(line for line in whole["lines"] if "no cards (0)" not in line["hands"])
    own_hands = {line["hands"][0] for line in own["lines"] if line["hands"]}
    assert dealt["hands"][1] in own_hands
    assert not {dealt["hands"][0], dealt["hands"][2]} & own_hands


async def test_each_game_has_its_own_words(site):
    """What a game looks like comes from its pack: CHEATER has dice and no calls."""
    assert (await site.get(f"/matches/{CHEATER_GAME}/games/0")).status_code == 200


@pytest.mark.parametrize("query", ["", "?seat=0", "?seat=1"])
@pytest.mark.parametrize("ending", ["", ".json"])
async def test_notes_of_bots_are_nobody_elses(site, query, ending):
    """Neither the whole replay nor the view of a seat has them."""
    answer = await site.get(f"/matches/{NOTED}/games/0{ending}{query}")

    assert answer.status_code == 200
    assert SECRET_NOTE not in answer.text


async def test_replay_file_proves_the_match_to_a_stranger(site, tmp_path):
    """The verifier that the site offers accepts the file that it offers."""
    names = (await site.get("/verify.json")).json()["programs"]
    assert names == [path.name for path in verifier_files()]
    for name in names:
        (tmp_path / name).write_bytes((await site.get(f"/verify/{name}")).content)
    file = await site.get(f"/matches/{TWO_GAMES}/replay-file")
    (tmp_path / "match.replay.json").write_bytes(file.content)

    check = [sys.executable, "-I", "verify_deal.py", "match.replay.json"]
    ended = await asyncio.to_thread(subprocess.run, check, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert file.headers["content-disposition"] == f'attachment; filename="{TWO_GAMES}.replay.json"'


async def test_match_without_commitment_has_no_file(site):
    answer = await site.get(f"/matches/{NOTED}/replay-file")

    assert answer.status_code == 404
    assert "has no commitment" in answer.text


@pytest.mark.parametrize("path", ["/matches", f"/matches/{HOSTILE}", "/", "/feed.atom"])
async def test_hostile_names_are_shown_and_not_obeyed(site, path):
    text = (await site.get(path)).text

    assert "<script>document" not in text
    assert "&lt;script&gt;document" in text
    assert "\u202e" not in text
    assert HOSTILE_NAMES[2] in text


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (f"/matches/{TWO_GAMES[:-1]}Z", "no match"),
        ("/matches/x", "no match"),
        (f"/matches/{TWO_GAMES}/games/2", "no game 2"),
        ("/leagues/none", "no league"),
        ("/leagues/compare%2Fx", "no"),
        ("/leagues/none/proof", "no league"),
        ("/verify/other.py", "no program"),
        ("/static/player.js", "no file"),
        ("/nowhere", "no such page"),
    ],
)
async def test_what_is_not_there_is_said_in_a_sentence(site, path, sentence):
    answer = await site.get(path)

    assert answer.status_code == 404
    assert sentence in answer.text


@pytest.mark.parametrize(
    "path",
    [
        f"/matches/{TWO_GAMES}/games/x",
        f"/matches/{TWO_GAMES}/games/0?seat=3",
        f"/matches/{TWO_GAMES}/games/0?seat=-1",
        "/matches?limit=0",
        "/matches?limit=101",
        "/matches?limit=many",
        "/matches?limit=٣",
        f"/matches?bot={'x' * 65}",
    ],
)
async def test_bad_value_is_refused_with_a_sentence(site, path):
    answer = await site.get(path)

    assert answer.status_code == 400
    assert "expected a whole number" in answer.text or "has 65 characters: at most 64" in answer.text


async def test_league_match_links_nowhere_before_its_cards_are_open(site):
    page = Page((await site.get(f"/matches/{SHARED}")).text)

    assert not [href for href in page.values("href") if "/games/" in href or "replay-file" in href]
    assert "when all games that share these cards are over" in page.words
