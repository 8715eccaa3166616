"""What browsers may do with a page: the content security policy of the site."""

from collections.abc import Sequence
from typing import Final

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors "
)
CONTENT_SECURITY_POLICY: Final = f"{_POLICY}'none'"


def policy_for_frames(origins: Sequence[str]) -> str:
    """Return the policy of a page that these origins may show in frames."""
    return _POLICY + " ".join(origins)
