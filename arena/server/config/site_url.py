"""Checks the address of a web site."""

from urllib.parse import urlsplit

from arena.errors import OptionError


def check_site_url(name: str, url: str) -> None:
    """Raise an OptionError that names the option `name` if a text is neither empty nor the URL of a site."""
    try:
        parts = urlsplit(url)
        is_site = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.path in ("", "/")
        is_valid = is_site and not (parts.query or parts.fragment or parts.username) and parts.port != 0
    except ValueError:  # such as a port that is no number
        is_valid = False
    if url and not is_valid:
        raise OptionError(name, url, "expected a URL without a path, such as https://arena.example")
