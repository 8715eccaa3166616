"""Names programs of different owners that are the same, or nearly.

**The same** are programs whose files are equal, but for the manifest. **Nearly the same** are those that share most of
their fingerprints by winnowing (S. Schleimer, D. Wilkerson and A. Aiken, SIGMOD 2003), the method of MOSS. A source
becomes a row of tokens, in which names, numbers and texts are one token each, so that renaming changes nothing, and
comments are none. Of the hashes of all runs of `RUN` tokens, the smallest in each window of `WINDOW` is a fingerprint:
any `RUN + WINDOW - 1` tokens in a row that two sources share give both a fingerprint. The likeness of two programs is
the part of the fewer fingerprints that both have.

Fingerprints of the samples, and those of more than half of at least `MANY` owners, are left out: they come from what
the course handed to all. So are programs that only have sources of samples. A likeness is a reason to look at two
programs, and no proof: short solutions of one task are alike.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import PurePosixPath
from typing import Final

from arena.bots.launch.manifest import MANIFEST_NAME

RUN: Final = 12
WINDOW: Final = 8
MANY: Final = 4
FEWEST: Final = 12
"""Programs with fewer fingerprints of their own are too short to compare."""
SUFFIXES: Final = frozenset({
    ".py", ".js", ".mjs", ".ts", ".go", ".java", ".kt", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".rb", ".lua",
})  # fmt: skip
"""Files with these suffixes are sources."""
_COMMENTS: Final = {".py": r"\#[^\n]*", ".rb": r"\#[^\n]*", ".lua": r"--[^\n]*"}
_OTHER_COMMENT: Final = r"//[^\n]*|/\*.*?\*/"
_SIGNS: Final = (
    r"""(?P<comment>{})"""
    r"""|(?P<text>"{{3}}.*?"{{3}}|'{{3}}.*?'{{3}}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"""
    r"""|(?P<number>\d[\w.]*)|(?P<name>[^\W\d]\w*)|(?P<sign>[^\w\s])"""
)
_KEYWORDS: Final = re.compile(
    "and as async await break case class const continue def do elif else enum except fn for from func function if impl"
    " import in interface is lambda let loop match new not or package pub raise return static struct switch throw try"
    " type var void while with yield".replace(" ", "|")
)


@dataclass(frozen=True, slots=True)
class Program:
    """A submitted program."""

    owner: str
    name: str
    """BOT@VERSION."""
    files: Mapping[str, bytes]
    """Contents by path."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two programs of different owners."""

    one: str
    other: str
    """BOT@VERSION."""
    share: float
    """1 if the files are the same but for the manifest; otherwise the share of fingerprints, below 1."""
    is_same: bool


def find_likenesses(
    programs: Sequence[Program], samples: Iterable[Mapping[str, bytes]] = (), least: float = 0.5
) -> list[Likeness]:
    """Return the pairs of programs of different owners with at least this likeness, the most alike first."""
    samples = list(samples)
    known = frozenset[int]().union(*map(find_fingerprints, samples))
    given = {text for sample in samples for text in _sources(sample).values()}
    programs = [each for each in programs if not (sources := _sources(each.files)) or set(sources.values()) - given]
    prints = [find_fingerprints(each.files) - known for each in programs]
    common = _find_common(programs, prints)
    own = [each - common for each in prints]
    digests = [_digest(each.files) for each in programs]
    found = list[Likeness]()
    for one, other in combinations(range(len(programs)), 2):
        if programs[one].owner == programs[other].owner:
            continue
        is_same = digests[one] == digests[other]
        share = 1.0 if is_same else _likeness(own[one], own[other])
        if share >= least:
            found.append(Likeness(programs[one].name, programs[other].name, share, is_same))
    return sorted(found, key=lambda each: (not each.is_same, -each.share, each.one, each.other))


def find_fingerprints(files: Mapping[str, bytes]) -> frozenset[int]:
    """Return the fingerprints of all sources among these files, which are contents by path."""
    sources = _sources(files).items()
    return frozenset(each for path, text in sources for each in _winnow(list(_tokens(text, _suffix(path)))))


def _sources(files: Mapping[str, bytes]) -> Mapping[str, str]:
    return {path: data.decode("utf-8", "replace") for path, data in files.items() if _suffix(path) in SUFFIXES}


def _tokens(source: str, suffix: str) -> Iterator[str]:
    comment = _COMMENTS.get(suffix, _OTHER_COMMENT)
    for found in re.finditer(_SIGNS.format(comment), source, re.DOTALL):
        kind, text = found.lastgroup, found.group()
        if kind == "sign" or (kind == "name" and _KEYWORDS.fullmatch(text)):
            yield text
        elif kind not in (None, "comment"):
            yield str(kind)


def _winnow(tokens: Sequence[str]) -> Iterator[int]:
    hashes = [_hash(tokens[start : start + RUN]) for start in range(len(tokens) - RUN + 1)]
    for start in range(max(0, len(hashes) - WINDOW + 1)):
        yield min(hashes[start : start + WINDOW])


def _hash(tokens: Sequence[str]) -> int:
    return int.from_bytes(hashlib.blake2b(" ".join(tokens).encode(), digest_size=8).digest())


def _find_common(programs: Sequence[Program], prints: Sequence[frozenset[int]]) -> frozenset[int]:
    """Return the fingerprints that more than half of all owners have, if there are many."""
    of_owner = defaultdict[str, set[int]](set)
    for program, own in zip(programs, prints, strict=True):
        of_owner[program.owner] |= own
    if len(of_owner) < MANY:
        return frozenset()
    counts = Counter(each for own in of_owner.values() for each in own)
    return frozenset(each for each, count in counts.items() if 2 * count > len(of_owner))


def _likeness(one: frozenset[int], other: frozenset[int]) -> float:
    fewer = min(len(one), len(other))
    return 0.0 if fewer < FEWEST else min(0.999, len(one & other) / fewer)


def _digest(files: Mapping[str, bytes]) -> bytes:
    digest = hashlib.sha256()
    for path, data in sorted(files.items()):
        if path != MANIFEST_NAME:
            for part in (path.encode(), data):
                digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix
