"""The pictures of README.md and docs/leagues.md show this version; `make pictures` draws them anew."""

import html
import re
from pathlib import Path

import pytest

from tests.support.commands import run_arena
from tools.studies import doc_pictures

DOCS = Path(__file__).parents[1] / "docs"
BOTS = ("counter", "honest", "gambler", "random_legal")
STALE = "the picture shows an older version: run `make pictures` and look at it"


def test_picture_of_a_report_shows_the_present_report():
    shown = (DOCS / doc_pictures.REPORT_HASH).read_text(encoding="ascii").strip()
    assert shown == doc_pictures.hash_page(doc_pictures.example_report()), STALE


@pytest.mark.slow
def test_picture_of_the_demo_has_the_words_of_the_present_demo(capsys, tmp_path, monkeypatch):
    """Numbers and the order of the bots differ from run to run."""
    picture = (DOCS / doc_pictures.DEMO).read_text(encoding="utf-8")
    shown = _words_of(html.unescape(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture))))

    monkeypatch.chdir(tmp_path)
    out = run_arena(capsys, "demo", "--games", 4).out

    tables = re.split(r"\d+", _words_of(re.split("This machine was busy|output of the bots", out)[0]))
    missing = [words for words in tables if words.strip() not in shown]
    assert missing == [], STALE


def _words_of(text: str) -> str:
    """Return a text without lines, the names of bots, paths and signs, on one line."""
    bare = re.sub(rf"\b({'|'.join(BOTS)})\b|\S*arena\S*|\S*data\S*|[^\w\s:;,-]", " ", text)
    return re.sub(r"\s+", " ", bare)
