"""Leagues on the site: their list, their reports from the store alone, and the documents that prove their seals."""

import asyncio
import subprocess
import sys

import pytest

from arena.organizer.view.league_view import build_league_view
from arena.server.store.open_store import open_store
from tests.organizer.leagues import seal, write_league
from tests.organizer.report.reading import Page
from tests.web.conftest import LEAGUE, LEAGUE_PATH, open_client, open_sources


@pytest.mark.slow
async def test_report_needs_neither_file_nor_bots(league_folder):
    async with open_sources(league_folder / "data") as sources, open_client(sources) as site:
        listed = (await site.get("/leagues.json")).json()["leagues"]
        page = Page((await site.get(f"/leagues/{LEAGUE_PATH}")).text)
        document = (await site.get(f"/leagues/{LEAGUE_PATH}.json")).json()
        links = [href for href in page.values("href") if "/games/0" in href]
        replays = [await site.get(link) for link in links]

    assert [each["name"] for each in listed] == [LEAGUE]
    assert len(page.tables["standings/0"]) == 7
    assert (document["document"], len(document["games"])) == ("cheatarena-league-report-1", 4)
    assert "DOES NOT HOLD" not in page.words
    assert "those that were sealed" not in page.words, "nobody has compared the files"
    assert {replay.status_code for replay in replays} <= {200}


async def test_matches_of_a_league_name_it(league_folder):
    async with open_sources(league_folder / "data") as sources, open_client(sources) as site:
        matches = (await site.get("/matches.json")).json()["matches"]
        page = await site.get(f"/matches/{matches[0]['match_id']}")

    assert [match["league"] for match in matches] == [LEAGUE] * 4
    assert all(match["is_open"] for match in matches)
    assert f"/leagues/{LEAGUE_PATH}" in page.text


async def test_proof_of_the_seal_is_checked_by_a_stranger(league_folder, tmp_path):
    async with open_sources(league_folder / "data") as sources, open_client(sources) as site:
        document = await site.get(f"/leagues/{LEAGUE_PATH}/proof")
        verifier = await site.get("/verify/verify_league.py")
    (tmp_path / "league.json").write_bytes(document.content)
    (tmp_path / "verify_league.py").write_bytes(verifier.content)

    check = [sys.executable, "-I", "verify_league.py", "league.json", "--line", document.json()["line"]]
    said = await asyncio.to_thread(subprocess.run, check, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert said.returncode == 3, "the league is not closed yet, so its seeds cannot be checked"
    assert ", 0 do not, " in said.stdout


async def test_report_is_kept_until_the_league_changes(league_folder, monkeypatch):
    built = []

    def count_and_build(*given):
        built.append(given)
        return build_league_view(*given)

    monkeypatch.setattr("arena.web.pages.leagues.build_league_view", count_and_build)
    async with open_sources(league_folder / "data") as sources, open_client(sources) as site:
        first = await site.get(f"/leagues/{LEAGUE_PATH}")
        again = await site.get(f"/leagues/{LEAGUE_PATH}")

    assert len(built) == 1
    assert first.headers["etag"] == again.headers["etag"]


async def test_version_of_a_league_counts_what_happened(league_folder):
    async with await open_store(league_folder / "data") as store:
        acts, begun, ended = await store.leagues.version(LEAGUE)
        blocks = await store.leagues.blocks(LEAGUE)
        entries = await store.leagues.ledger_entries(LEAGUE)

    assert (acts, begun, ended) == (len(entries), len(blocks), len(blocks))


async def test_league_that_is_sealed_but_not_played_has_its_page(tmp_path):
    """Readers see the line that was posted, before the first game."""
    file = write_league(tmp_path / "bots", name="next")
    await seal(file, tmp_path / "data")
    async with open_sources(tmp_path / "data", is_running=False) as sources, open_client(sources) as site:
        page = await site.get("/leagues/next")
        document = (await site.get("/leagues/next.json")).json()
        proof = (await site.get("/leagues/next/proof")).json()

    assert page.status_code == 200
    assert proof["line"] in page.text
    assert (document["games"], proof["secret"]) == ([], None)


async def test_secret_of_a_league_that_is_not_closed_is_on_no_page(league_folder):
    (file,) = (league_folder / "data" / "leagues").glob("*.secret")
    secret = file.read_bytes().hex()
    async with open_sources(league_folder / "data") as sources, open_client(sources) as site:
        for path in (f"/leagues/{LEAGUE_PATH}", f"/leagues/{LEAGUE_PATH}.json", f"/leagues/{LEAGUE_PATH}/proof"):
            assert secret not in (await site.get(path)).text
