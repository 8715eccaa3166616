"""Reads tokens and codes as people copy them, and sends a token with a call."""

from collections.abc import Mapping
from typing import Final

from cheatarena.errors import SettingsError

NOT_A_TOKEN: Final = "this is not a token: expected cat_ and 46 letters and digits, copied completely"  # noqa: S105  a sentence
"""What the server says of a text that cannot be one of its tokens."""

_BYTE_ORDER_MARK: Final = "\ufeff"


def strip_copied(text: str) -> str:
    r"""Return a text without what editors, shells and files put around it: white space and a byte order mark.

    >>> strip_copied("\ufeffcat_1\r\n")
    'cat_1'
    """
    return text.strip().strip(_BYTE_ORDER_MARK).strip()


def strip_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which the variables of this package have nothing around their values."""
    return {name: strip_copied(text) if name.startswith("CHEATARENA_") else text for name, text in environ.items()}


def find_token_fault(token: str) -> str:
    """Return a sentence if gRPC cannot send a text as a token; empty if it can."""
    return "" if token.isascii() and token.isprintable() and " " not in token else NOT_A_TOKEN


def authorization(token: str) -> tuple[tuple[str, str]]:
    """Return the metadata that says who calls. Raises SettingsError for a text that cannot be a token."""
    token = strip_copied(token)
    if fault := find_token_fault(token):
        raise SettingsError(fault)
    return (("authorization", f"Bearer {token}"),)
