"""Tells readers how to check cards and seals themselves, with the programs of `arena/verify`."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.organizer.report.site import DEAL_VERIFIER, LEAGUE_VERIFIER, verifier_files
from arena.web.errors import RefusedError
from arena.web.page import SETTLED, Asked, File, Page, Parameter, page_at


@dataclass(frozen=True, slots=True)
class Verifiers:
    """The programs, by name."""

    programs: Sequence[str]


@page_at("/verify", "How to check cards and seals", Verifiers)
async def read_verifiers(asked: Asked) -> Page:
    names = [path.name for path in verifier_files()]
    values = {"deal_verifier": DEAL_VERIFIER, "league_verifier": LEAGUE_VERIFIER, "site_url": asked.site_url}
    return Page("verify.html", Verifiers(names), values)


@page_at(
    "/verify/{name}",
    "A program that checks cards or seals",
    None,
    Parameter("name", "The name of the program.", in_path=True),
    media_type="text/x-python",
)
async def read_verifier(asked: Asked) -> File:
    name = asked.part("name")
    found = {path.name: path for path in verifier_files()}.get(name)
    if found is None:
        raise RefusedError(404, f"there is no program {name[:64]!r} here")
    return File(found.read_bytes(), "text/x-python; charset=utf-8", found.name, SETTLED)
