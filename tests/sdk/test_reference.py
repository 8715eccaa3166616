"""The reference of the SDK explains every name that an author may use, and its examples are run."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pdoc.doc
import pytest

MAKEFILE = Path(__file__).parents[2] / "Makefile"


def modules() -> list[str]:
    """Return the modules that `make reference` documents."""
    found = re.search(
        r"^REFERENCE := \$\(addprefix cheatarena,(.*)\)$", MAKEFILE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found is not None
    return [f"cheatarena{each}" if each != "." else "cheatarena" for each in found[1].split()]


def described_members(page: pdoc.doc.Namespace[Any]) -> Iterator[pdoc.doc.Doc[Any]]:
    """Yield what a page shows, with the members of its classes; what comes from Python itself is left out."""
    for member in page.members.values():
        if member.name.startswith("_") or not member.taken_from[0].startswith(("cheatarena", "types")):
            continue
        yield member
        if isinstance(member, pdoc.doc.Class):
            yield from described_members(member)


def is_plain(member: pdoc.doc.Doc[Any]) -> bool:
    """Return whether a name needs no sentence: a constant of an enum or a value that its class explains."""
    return isinstance(member, pdoc.doc.Variable) and (member.name.isupper() or member.name in PLAIN_FIELDS)


PLAIN_FIELDS = frozenset({"note", "seat", "name"})
"""Fields that say by their names what they are."""


@pytest.mark.parametrize("name", modules())
def test_every_public_name_has_a_sentence(name):
    page = pdoc.doc.Module(importlib.import_module(name))
    members = list(described_members(page))

    assert page.docstring
    assert members
    silent = {each.fullname for each in members if not each.docstring.strip() and not is_plain(each)}
    assert {each for each in silent if f"`{each.rpartition('.')[2]}`" not in page.docstring} == set()
