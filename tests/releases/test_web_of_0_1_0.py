"""The web pages show the data folders of release 0.1.0: every match, replay and league in them."""

import tarfile
from pathlib import Path

import pytest

from tests.web.conftest import open_client, open_sources

RELEASE = Path(__file__).parent / "0.1.0"


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """The release's data folders that have a store."""
    with tarfile.open(RELEASE / "data.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    return sorted(path.parent for path in tmp_path.rglob("arena.db"))


@pytest.mark.slow
async def test_every_page_of_an_old_store_is_shown(folders):
    seen = set()
    for folder in folders:
        async with open_sources(folder, is_running=False) as sources, open_client(sources) as site:
            matches = (await site.get("/matches.json?limit=100")).json()["matches"]
            paths = ["/", "/matches", "/leagues", "/feed.atom"]
            for match in matches:
                paths += [f"/matches/{match['match_id']}"]
                if match["is_open"] and match["games_finished"]:
                    paths += [f"/matches/{match['match_id']}/games/0", f"/matches/{match['match_id']}/games/0?seat=1"]
            paths += [f"/leagues/{league['name']}" for league in (await site.get("/leagues.json")).json()["leagues"]]
            for path in paths:
                assert (await site.get(path)).status_code == 200, (folder, path)
                seen.add(path.split("/")[1])

    assert {"matches", "leagues"} <= seen
