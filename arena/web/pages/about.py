"""What a site says about itself: its logo, its imprint, its privacy page, and what robots may read."""

from dataclasses import dataclass
from typing import Final

from arena.web.errors import RefusedError
from arena.web.page import SETTLED, Asked, File, Page, page_at

_INERT: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The policy of a picture: if somebody opens it as a page, no script in it runs, and it loads nothing."""
_ROBOTS: Final = b"User-agent: *\nDisallow: /me\nDisallow: /login\nDisallow: /search\nDisallow: /*/events\n"
_TITLES: Final = {"imprint": "Imprint", "privacy": "Privacy"}


@dataclass(frozen=True, slots=True)
class SiteText:
    """A text about the site."""

    title: str
    text: str


@page_at("/imprint", "Who runs the site", SiteText)
async def read_imprint(asked: Asked) -> Page:
    return _text_page(asked, "imprint")


@page_at("/privacy", "What the site does with data about its readers", SiteText)
async def read_privacy(asked: Asked) -> Page:
    return _text_page(asked, "privacy")


@page_at("/site/logo", "The logo of the site", media_type="image/*")
async def read_logo(asked: Asked) -> File:
    logo = asked.sources.site.logo
    if logo is None:
        raise RefusedError(404, "this site has no logo")
    return File(logo.content, logo.media_type, caching=SETTLED, policy=_INERT)


@page_at("/robots.txt", "What robots may read", media_type="text/plain")
async def read_robots(_: Asked) -> File:
    return File(_ROBOTS, "text/plain; charset=utf-8", caching=SETTLED)


def _text_page(asked: Asked, name: str) -> Page:
    text = asked.sources.site.texts.get(name)
    if text is None:
        raise RefusedError(404, f"this site has no page {name}")
    return Page("site_text.html", SiteText(_TITLES[name], text))
