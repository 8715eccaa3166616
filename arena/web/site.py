"""What the site says about itself, read from its settings: its name, its logo and the texts that the law asks for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.errors import OptionError
from arena.server.config.site_settings import SiteSettings, check_frame_ancestors
from arena.text_files import decode_text

_MOST_BYTES: Final = 256 * 1024
"""The most bytes of a logo, and of a text."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_SUMMARY: Final = (
    "Programs play bluffing card games against each other: watch them lie, read who is better, check every card, "
    "and send your own."
)


@dataclass(frozen=True, slots=True)
class Logo:
    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Site:
    """What every page may say about the site."""

    name: str = "cheatarena"
    text: str = _SUMMARY
    logo: Logo | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    """The pages `imprint` and `privacy`, those that there are."""
    frame_ancestors: tuple[str, ...] = ()
    """The origins that may show tables in frames."""
    url: str = ""
    """The address of the site as readers have it, without a slash at its end; empty if only this machine reads it."""


def read_site(settings: SiteSettings, public_url: str) -> Site:
    """Raises OptionError for a file that cannot be read or used, and for origins that are none."""
    check_frame_ancestors(settings.frame_ancestors)
    files = {"imprint": settings.imprint, "privacy": settings.privacy}
    texts = {name: decode_text(_read(name, path), str(path)) for name, path in files.items() if path is not None}
    logo = None if settings.logo is None else _read_logo(settings.logo)
    text = settings.text or _SUMMARY
    return Site(settings.name, text, logo, texts, settings.frame_ancestors, public_url.rstrip("/"))


def _read_logo(path: Path) -> Logo:
    """Return a picture. What it is follows from its first bytes; an SVG is served so that no script in it runs."""
    content = _read("logo", path)
    if content.startswith(_PNG):
        return Logo(content, "image/png")
    if content.lstrip().startswith((b"<svg", b"<?xml")):
        return Logo(content, "image/svg+xml")
    raise OptionError("site.logo", str(path), "expected a PNG or an SVG file")


def _read(name: str, path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise OptionError(f"site.{name}", str(path), f"it cannot be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise OptionError(f"site.{name}", str(path), f"it has {len(content):,} bytes: at most {_MOST_BYTES:,}")
    return content
