"""Renders with the templates of this room and those of `arena.organizer.report`, whose layout the one here replaces."""

from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from arena.organizer.report.number_format import format_utc_time
from arena.organizer.report.rendering import build_environment, write_name
from arena.replays.narration.text_format import format_rough_duration
from arena.web.site import Site
from arena.web.static_files import static_url


def render_template(template: str, **values: Any) -> bytes:
    """Return the text in UTF-8."""
    return _environment().get_template(template).render(**values).encode()


def load_templates() -> None:
    """Compile all templates, so that no reader waits for it."""
    for name in _environment().list_templates(extensions=["html", "xml"]):
        _environment().get_template(name)


def set_site(site: Site) -> None:
    """Let every page say what the site is. A process serves one site."""
    _environment().globals["about"] = site


@cache
def _environment() -> Environment:
    environment = build_environment(ChoiceLoader([PackageLoader("arena.web"), PackageLoader("arena.organizer.report")]))
    environment.globals |= {
        "bot_link": _link_bot,
        "static": static_url,
        "rough_duration": format_rough_duration,
        "moment": _write_moment,
        "about": Site(),
    }
    return environment


def _link_bot(name: str) -> Markup:
    """Return the name of a bot, or of an instance of it (NAME/1), with a link to the page of the bot."""
    return Markup(f'<a href="/bots/{quote(name.partition("/")[0])}">{write_name(name)}</a>')  # noqa: S704  escaped here


def _write_moment(at: float) -> Markup:
    """Return seconds since 1970 as an element: in UTC, which a script rewrites for the reader's zone."""
    exact = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    return Markup(f'<time datetime="{exact}">{format_utc_time(at)}</time>')  # noqa: S704  numbers alone
