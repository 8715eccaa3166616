"""Encodes and decodes the replay file of a finished match, with its digest.

The file is canonical JSON and a newline. Its field `digest` is the SHA-256 of the canonical JSON of all other fields,
so even one changed bit is detected. `arena.replays.proof.verification` checks whether the contents are true.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.errors import RequestError
from arena.plain_data import canonical_json

FORMAT = "cheatarena-replay-1"


class DamagedReplayError(RequestError):
    """Raised if a file is not a replay, or was changed after its export."""


def encode_document(document: Mapping[str, Any]) -> bytes:
    """Return the bytes of a replay file with these fields and their digest."""
    return canonical_json({**document, "digest": document_digest(document)}) + b"\n"


def document_digest(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all fields except the digest, in hex."""
    return hashlib.sha256(
        canonical_json({key: value for key, value in document.items() if key != "digest"})
    ).hexdigest()


def decode_document(raw: bytes) -> dict[str, Any]:
    """Return the fields of a replay file. Raises DamagedReplayError unless its bytes are exactly as exported."""
    try:
        document = json.loads(raw)
        canonical = canonical_json(document) + b"\n"
    except (ValueError, RecursionError) as error:
        raise DamagedReplayError(f"the file is no replay: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DamagedReplayError(f"the file is no replay of the format {FORMAT}")
    if canonical != raw:
        raise DamagedReplayError("the bytes of the file are not as they were exported: it has been changed")
    if document.get("digest") != document_digest(document):
        raise DamagedReplayError("the file does not have the digest that it states: it has been changed")
    return document


def load_document(path: Path) -> dict[str, Any]:
    """Return the fields of a replay file on disk.

    Raises RequestError if the file cannot be read, and DamagedReplayError if it was changed.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RequestError(f"the file {path} cannot be read: {error.strerror}") from error
    return decode_document(raw)
