"""The feed is what RFC 4287 wants, so that every reader takes it."""

import re
import xml.etree.ElementTree as ET

from tests.support.web_data import HOSTILE_NAMES, IDS, RUNNING
from tests.web.conftest import open_client, open_sources

ATOM = "{http://www.w3.org/2005/Atom}"
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")


async def test_feed_has_what_the_standard_requires(site):
    """Section 4.1: one id, title and updated; an author for all; a link to itself; ids that differ."""
    answer = await site.get("/feed.atom")
    feed = ET.fromstring(answer.content)

    assert answer.headers["content-type"].startswith("application/atom+xml")
    assert feed.tag == f"{ATOM}feed"
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == len(IDS) - 1
    for element in (feed, *entries):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
            assert element.findtext(f"{ATOM}{name}")
        assert DATE.fullmatch(element.findtext(f"{ATOM}updated") or "")
        assert ":" in (element.findtext(f"{ATOM}id") or "")
        assert "alternate" in [link.get("rel") for link in element.findall(f"{ATOM}link")]
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    assert [link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("rel") == "self"] == [
        "http://127.0.0.1/feed.atom"
    ]
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)


async def test_entries_are_newest_first_and_escaped(site):
    feed = ET.fromstring((await site.get("/feed.atom")).content)
    entries = feed.findall(f"{ATOM}entry")

    ids = [(entry.findtext(f"{ATOM}id") or "").rpartition(":")[2] for entry in entries]
    assert ids == [each for each in IDS if each != RUNNING]
    assert HOSTILE_NAMES[0] in (entries[0].findtext(f"{ATOM}title") or "")


async def test_links_lead_to_the_public_address(web_data):
    """Whatever the proxy asks for."""
    async with open_sources(web_data, public_url="https://arena.example") as sources, open_client(sources) as site:
        text = (await site.get("/feed.atom")).text

    assert "https://arena.example/matches/" in text
    assert "127.0.0.1" not in text


async def test_feed_of_an_empty_folder_is_valid(tmp_path):
    async with open_sources(tmp_path) as sources, open_client(sources) as site:
        feed = ET.fromstring((await site.get("/feed.atom")).content)
        home = await site.get("/")

    assert feed.findall(f"{ATOM}entry") == []
    assert DATE.fullmatch(feed.findtext(f"{ATOM}updated") or "")
    assert "No match is running." in home.text
