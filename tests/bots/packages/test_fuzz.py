"""Archives with changed bytes: unpacking ends with a package or a named refusal, and never writes outside."""

import gzip
import io
import os
import random
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.packages.rules import PackageLimits
from arena.bots.packages.unpacking import unpack, unpack_built
from arena.errors import PackageRefusedError
from tests.support.archives import entry, tar

pytestmark = pytest.mark.skipif(os.name != "posix", reason="servers unpack on POSIX alone")

ROUNDS = int(os.environ.get("FUZZED_ARCHIVES", "400"))
SMALL = PackageLimits(files=20, unpacked_bytes=1 << 20, archive_bytes=1 << 20)

WHOLE = tar(
    entry("src/run", b"#!/bin/sh\n", mode=0o755),
    entry("src", type=tarfile.DIRTYPE),
    entry("src/link", type=tarfile.SYMTYPE, linkname="run"),
    entry("long/" * 30 + "name", b"x" * 600),
)
VALUES = (b"/", b"../", b"\0", b"\xff", b"7777777\0", b"1", b"2", b"L", b"x", b"ustar  \0", b"ustar\x0000", b"\n")


def mutate(chance: random.Random) -> bytes:
    """Return an archive in which some bytes, fields or blocks were changed, with right checksums again."""
    data = bytearray(WHOLE)
    for _ in range(chance.randint(1, 6)):
        block = chance.randrange(len(data) // 512) * 512
        match chance.randrange(4):
            case 0:
                data[block + chance.randrange(512)] = chance.randrange(256)
            case 1:
                value = chance.choice(VALUES)
                start = block + chance.choice((0, 0, 100, 124, 156, 157, 257, 345))
                data[start : start + len(value)] = value
            case 2:
                data[block : block + 512] = data[(other := chance.randrange(len(data) // 512) * 512) : other + 512]
            case _:
                del data[block : block + 512 * chance.randint(0, 2)]
    for block in range(0, len(data) - 511, 512):
        if data[block + 257 : block + 262] == b"ustar":
            total = sum(data[block : block + 148]) + 8 * 32 + sum(data[block + 156 : block + 512])
            data[block + 148 : block + 156] = b"%06o\0 " % total
    return bytes(data)


def find_outcome(act: Callable[[], object]) -> str:
    """Return the rule for which unpacking was refused, or `accepted`."""
    try:
        act()
    except PackageRefusedError as refusal:
        return refusal.rule
    return "accepted"


@pytest.mark.parametrize("unpacks", [unpack, unpack_built])
def test_changed_archive_never_writes_outside(tmp_path, unpacks: Callable[[io.BytesIO, Path, PackageLimits], object]):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chance, outcomes = random.Random(seed), set[str]()
    (tmp_path / "beside").write_text("mine")
    for number in range(ROUNDS):
        archive, place = mutate(chance), tmp_path / "in" / str(number)
        place.mkdir(parents=True)
        packed = gzip.compress(archive, 1) if number % 2 else archive
        outcomes.add(outcome := find_outcome(lambda: unpacks(io.BytesIO(packed), place / "bot", SMALL)))  # noqa: B023  called at once
        assert [path.name for path in place.iterdir()] == (["bot"] if outcome == "accepted" else [])
        assert all(Path(os.path.realpath(path)).is_relative_to(place / "bot") for path in place.rglob("*"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["beside", "in"]
    assert (tmp_path / "beside").read_text() == "mine"
    assert len(outcomes) > 3, "the changes should meet several rules"


@pytest.mark.parametrize("cut", range(0, 300, 7))
def test_changed_gzip_ends_with_a_named_refusal(tmp_path, cut):
    packed = bytearray(gzip.compress(WHOLE, mtime=0))
    packed[cut] ^= 0x55

    outcome = find_outcome(lambda: unpack_built(io.BytesIO(bytes(packed)), tmp_path / "bot"))

    assert [path.name for path in tmp_path.iterdir()] == (["bot"] if outcome == "accepted" else [])
