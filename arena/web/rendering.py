"""Renders with the templates of this room and those of `arena.organizer.report`, whose layout the one here replaces."""

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader

from arena.organizer.report.rendering import build_environment
from arena.replays.narration.text_format import format_rough_duration
from arena.web.static_files import static_url


def render_template(template: str, **values: Any) -> bytes:
    """Return the text in UTF-8."""
    return _environment().get_template(template).render(**values).encode()


def load_templates() -> None:
    """Compile all templates, so that no reader waits for it."""
    for name in _environment().list_templates(extensions=["html", "xml"]):
        _environment().get_template(name)


@cache
def _environment() -> Environment:
    environment = build_environment(ChoiceLoader([PackageLoader("arena.web"), PackageLoader("arena.organizer.report")]))
    environment.globals |= {"static": static_url, "rough_duration": format_rough_duration}
    return environment
