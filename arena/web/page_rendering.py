"""Renders a page in both of its forms, HTML and JSON."""

import msgspec

from arena.plain_data import to_finite_plain
from arena.web.page import Page, RenderedPage
from arena.web.rendering import render_template


def render_page(page: Page) -> RenderedPage:
    """Return both forms of a page."""
    return RenderedPage(render_html(page), render_json(page), page.caching)


def render_html(page: Page) -> bytes:
    """Return a page as HTML, or in the language of its template."""
    return render_template(page.template, view=page.view, **page.values)


def render_json(page: Page) -> bytes:
    """Return the page's value as JSON. NaN and infinity become null, since JSON lacks them."""
    return msgspec.json.encode(to_finite_plain(page.view))
