"""Whatever a bot or a person has written, a page has the elements that we gave it, and says what was written."""

from collections import Counter
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.organizer.report.rendering import content_security_policy
from arena.organizer.report.report_page import render_report
from arena.replays.narration.text_format import escape_unprintable
from tests.organizer.report.reading import Page
from tests.support.league_texts import poison_texts
from tests.support.league_views import HOSTILE_TEXTS, make_league_view, make_names

VIEW = make_league_view(make_names(3), game_count=6)
INVISIBLE = {chr(code) for code in (*range(32), 127, *range(0x80, 0xA0), 0x200B, *range(0x200E, 0x2010),
                                    *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF)} - {"\n"}  # fmt: skip


@cache
def harmless() -> Page:
    return Page(render_report(poison_texts(VIEW, "x")))


def elements(page: Page) -> Counter[tuple[str, tuple[str, ...], str]]:
    """The elements; but a text of several lines has line breaks."""
    return Counter({element: count for element, count in page.elements.items() if element[0] != "br"})


def check(poison: str) -> None:
    html = render_report(poison_texts(VIEW, poison))
    page = Page(html)
    assert elements(page) == elements(harmless())
    assert page.others == ["doctype html"]
    assert not INVISIBLE & set(html)
    assert escape_unprintable(poison + VIEW.title) in page.words
    assert all(escape_unprintable(poison + each.entrant.name) in page.words for each in VIEW.entrants)


@pytest.mark.parametrize("poison", HOSTILE_TEXTS)
def test_text_creates_no_element(poison):
    check(poison)


@settings(max_examples=25, deadline=None)
@given(st.text(min_size=1, max_size=32))
@example("\ud800")
def test_random_text_creates_no_element(poison):
    check(poison)


def test_page_loads_nothing_and_runs_nothing():
    html = render_report(make_league_view(HOSTILE_TEXTS))
    page = Page(html)

    assert not {"script", "link", "img", "iframe", "object", "form"} & {tag for tag, _, _ in page.elements}
    assert not [name for _, name, _ in page.attributes if name == "style" or name.startswith("on")]
    assert all(href.startswith("#") or href.endswith(".csv") for href in page.values("href"))


def test_policy_allows_only_the_one_style_sheet():
    html = render_report(VIEW)

    style = html.partition("<style>")[2].partition("</style>")[0]

    assert Page(html).values("content")[0] == content_security_policy(style)
    assert content_security_policy(style).startswith("default-src 'none'; style-src 'sha256-")
