"""Renders pages from templates that escape every value, with a content security policy that lets a page load nothing.

Texts come from bots and people and may be hostile. The template environment escapes every text that a template writes,
so templates need not. Unprintable characters (controls, direction marks, line breaks) become visible escapes.
Characters with a meaning in HTML become entities.
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from arena.organizer.report import number_format
from arena.plurals import format_count
from arena.replays.narration.text_format import escape_unprintable, format_seconds


def render_template(template: str, **values: Any) -> str:
    """Return the text of a template of this package, filled in with values."""
    return _standalone_environment().get_template(template).render(**values)


@cache
def _standalone_environment() -> Environment:
    """Return the environment of pages that stand alone: each has its style sheet and its policy in itself."""
    environment = build_environment(PackageLoader("arena.organizer.report"))
    style = read_template_file("style.css")
    environment.globals |= {
        "style": Markup(style),  # noqa: S704  our own file
        "policy": content_security_policy,
        "script": "",
    }
    return environment


def build_environment(loader: BaseLoader) -> Environment:
    """Return an environment for templates, with the functions of this package that write numbers and dates."""
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_escape_text,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    environment.globals |= {
        "name": write_name,
        "number": number_format.format_number,
        "signed": number_format.format_signed,
        "bounds": number_format.format_bounds,
        "percent": number_format.format_percent,
        "milliseconds": number_format.format_milliseconds,
        "moment": number_format.format_utc_time,
        "p_value": number_format.format_p_value,
        "instant": format_seconds,
        "counted": format_count,
    }
    return environment


def write_name(text: str) -> Markup:
    """Return a name as an element whose direction does not spread to what is around it."""
    return Markup(f'<bdi class="name">{escape(escape_unprintable(text))}</bdi>')  # noqa: S704  escaped here


def _escape_text(value: Any) -> Any:
    return escape_unprintable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def read_template_file(name: str) -> str:
    """Return the text of a style sheet or script of this package."""
    return files("arena.organizer.report").joinpath("templates", name).read_text(encoding="utf-8")


def content_security_policy(style: str, script: str = "") -> str:
    """Return the policy of a page with this one style sheet: no loads, no forms, no frames.

    No script may run but `script`, if there is one.
    """
    scripts = f"script-src '{_source_hash(script)}'; " if script else ""
    return f"default-src 'none'; {scripts}style-src '{_source_hash(style)}'; base-uri 'none'; form-action 'none'"


def _source_hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
