"""What a site says about itself: its name, its logo, its texts, its description, and who may show its tables."""

from pathlib import Path

import pytest

from arena.errors import OptionError
from arena.server.config.read_config import read_config
from arena.server.config.site_settings import SiteSettings
from arena.web.site import Logo, Site, read_site
from tests.support.hostile_data import HOSTILE_TEXTS
from tests.support.web_data import RUNNING, TWO_GAMES
from tests.web.conftest import open_client, open_sources
from tests.web.inert import CONTROLS

SCRIPTED = b"<svg xmlns='http://www.w3.org/2000/svg'><script>document.title = 'it ran'</script></svg>"
URL = "https://arena.example"
SITE = Site("Kurs 7", "Bots of the course.", Logo(SCRIPTED, "image/svg+xml"), {"imprint": "Ada\nStreet 1"}, url=URL)


@pytest.mark.parametrize(
    "path", ["/", "/matches", f"/matches/{TWO_GAMES}", f"/matches/{TWO_GAMES}/games/0", "/nowhere"]
)
async def test_every_page_has_the_name_and_the_logo(web_data, path):
    async with open_sources(web_data, site=SITE, public_url=URL) as sources, open_client(sources) as client:
        page = (await client.get(path)).text

    assert " \N{EN DASH} Kurs 7</title>" in page
    assert '<img class="logo" src="/site/logo" alt=""' in page
    assert '<meta name="description" content="Bots of the course.">' in page
    assert f'<meta property="og:image" content="{URL}/static/table.' in page
    assert '<a href="/imprint">Imprint</a>' in page


async def test_title_for_other_sites_names_the_entrants(site):
    page = (await site.get(f"/matches/{TWO_GAMES}")).text

    assert '<meta property="og:title" content="Ann, Bob, Cid \N{EN DASH} cheatarena">' in page


async def test_texts_are_pages_that_show_every_line(web_data):
    async with open_sources(web_data, site=SITE) as sources, open_client(sources) as client:
        page, view = await client.get("/imprint"), await client.get("/imprint.json")
        missing = await client.get("/privacy")

    assert "<p>Ada<br>Street 1<br></p>" in page.text
    assert view.json() == {"title": "Imprint", "text": "Ada\nStreet 1"}
    assert missing.status_code == 404


async def test_logo_that_is_a_script_is_sealed_in(web_data):
    """In a page it is a picture, in which browsers run nothing. Opened alone, its policy lets nothing run."""
    async with open_sources(web_data, site=SITE) as sources, open_client(sources) as client:
        answer = await client.get("/site/logo")

    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert answer.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("what", HOSTILE_TEXTS)
async def test_hostile_texts_of_the_site_are_inert(web_data, what):
    text = HOSTILE_TEXTS[what]
    site = Site(text, text, None, {"imprint": text, "privacy": text})
    async with open_sources(web_data, site=site) as sources, open_client(sources) as client:
        for path in ("/", "/imprint", "/privacy", "/nowhere"):
            page = (await client.get(path)).text
            assert "<script>" not in page
            assert CONTROLS.search(page) is None


async def test_robots_stay_out_of_what_is_of_owners(site):
    assert "Disallow: /me\n" in (await site.get("/robots.txt")).text
    assert (await site.get("/site/logo")).status_code == 404


# ---- frames


async def test_no_other_site_shows_tables_unless_it_is_allowed(site):
    answer = await site.get(f"/embed/matches/{RUNNING}")

    assert answer.status_code == 403
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


async def test_allowed_site_may_show_a_table_and_nothing_else(web_data):
    allowed = Site(frame_ancestors=("https://school.example", "http://localhost:8080"))
    async with open_sources(web_data, site=allowed) as sources, open_client(sources) as client:
        table = await client.get(f"/embed/matches/{RUNNING}")
        others = [await client.get(path) for path in ("/", f"/matches/{RUNNING}", "/login", "/me")]

    assert table.headers["content-security-policy"].endswith(
        "base-uri 'none'; frame-ancestors https://school.example http://localhost:8080"
    )
    assert 'id="live"' in table.text
    assert "<nav" not in table.text
    assert all("frame-ancestors 'none'" in each.headers["content-security-policy"] for each in others)


@pytest.mark.parametrize(
    "origin", ["*", "'self'", "https://a.example; script-src *", "https://a.example/x", "a.example"]
)
def test_frame_ancestor_that_is_no_origin_is_refused(origin):
    with pytest.raises(OptionError, match=r"must be sites such as https://school\.example"):
        read_site(SiteSettings(frame_ancestors=(origin,)), "")


# ---- settings


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_settings_come_from_the_table_of_the_file(tmp_path):
    imprint = write(tmp_path / "imprint.txt", "Ada")
    logo = write(tmp_path / "logo.png", b"\x89PNG\r\n\x1a\n...")
    lines = [
        "[site]",
        'name = "Kurs 7"',
        f'imprint = "{imprint}"',
        f'logo = "{logo}"',
        'frame_ancestors = ["https://a.example"]',
    ]

    found = read_site(read_config(write(tmp_path / "arena.toml", "\n".join(lines))).site, "https://arena.example/")

    assert (found.name, found.texts, found.url) == ("Kurs 7", {"imprint": "Ada"}, "https://arena.example")
    assert found.logo is not None
    assert found.logo.media_type == "image/png"
    assert found.text.startswith("Programs play bluffing card games")


@pytest.mark.parametrize("content", [b"<html><script>", b"GIF89a", b"", b"x" * 300_000])
def test_logo_that_is_no_picture_or_too_large_is_refused(tmp_path, content):
    logo = write(tmp_path / "logo", content)

    with pytest.raises(OptionError, match=r"site\.logo"):
        read_site(SiteSettings(logo=logo), "")
