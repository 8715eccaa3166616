"""What a page may not have, whatever texts it shows."""

import re
from typing import Final

from tests.organizer.report.reading import Page

CONTROLS: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that steer a terminal or the direction of a text. Line breaks are not among them."""
RUNS: Final = re.compile(r"^\s*(javascript|data|vbscript):", re.IGNORECASE)


def check_inert(html: str) -> None:
    """Check that a page has no element, attribute or character that a hostile text could have brought."""
    page = Page(html)
    for element, attribute, value in page.attributes:
        assert not attribute.startswith("on"), attribute
        assert not (attribute in ("href", "src", "action") and RUNS.match(value)), value
        assert not (element == "script" and attribute == "src" and not value.startswith("/static/"))
    names = {name for name, _, _ in page.elements}
    assert not names & {"img", "iframe", "object", "embed", "style", "base"}
    assert ("script", (), "") not in page.elements
    assert CONTROLS.search(html) is None
