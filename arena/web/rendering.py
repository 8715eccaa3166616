"""Renders pages with the templates of this room and those of `arena.report`, whose layout the one here replaces."""

from functools import cache
from typing import Any

import msgspec
from jinja2 import ChoiceLoader, Environment, PackageLoader

from arena.plain_data import to_finite_plain
from arena.report.rendering import build_environment
from arena.web.page import Page, RenderedPage
from arena.web.static_files import static_url


def render_page(page: Page) -> RenderedPage:
    """Return both forms of a page."""
    return RenderedPage(render_html(page), render_json(page), page.caching)


def render_html(page: Page) -> bytes:
    """Return a page as HTML, or in the language of its template."""
    return render_template(page.template, view=page.view, **page.values)


def render_json(page: Page) -> bytes:
    """Return the page's value as JSON. NaN and infinity become null, since JSON lacks them."""
    return msgspec.json.encode(to_finite_plain(page.view))


def render_template(template: str, **values: Any) -> bytes:
    """Return the text of a template of this room, filled in with values, in UTF-8."""
    return _environment().get_template(template).render(**values).encode()


@cache
def _environment() -> Environment:
    environment = build_environment(ChoiceLoader([PackageLoader("arena.web"), PackageLoader("arena.report")]))
    environment.globals["static"] = static_url
    return environment
