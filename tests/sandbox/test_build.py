"""A build runs in a box with a copy of the program's folder, and what it built comes out as an archive."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from arena.launch.box_limits import BoxLimits
from arena.launch.box_port import UNBOXED, BoxBackend
from arena.launch.process import BotProcess, Launcher
from arena.launch.programs import BotProgram
from arena.sandbox.bubblewrap import BubblewrapBackend
from tests.support.boxes import WAIT_S, skip_without_boxes, wait_until

LIMITS = BoxLimits(memory_mb=128, processes=16, scratch_mb=16, file_mb=64)


@pytest.fixture(params=["none", "bubblewrap"])
def backend(request) -> BoxBackend:
    if request.param == "none":
        return UNBOXED
    skip_without_boxes()
    return BubblewrapBackend()


class Builder:
    """Builds programs from their build commands."""

    def __init__(self, folder: Path, backend: BoxBackend) -> None:
        self.folder = folder / "program"
        self.folder.mkdir()
        (self.folder / "main.txt").write_text("source")
        folder.chmod(0o755)
        self._launcher = Launcher(folder / "output", backend=backend)

    def start(self, script: str) -> tuple[BotProcess, int]:
        """Start a build that runs a script of the shell."""
        program = BotProgram("bot", (), self.folder, build=("/bin/sh", "-c", script), limits=LIMITS)
        return self._launcher.start_build(program)

    def run(self, script: str) -> tuple[BotProcess, bytes]:
        """Run a build to its end, and return what it wrote."""
        process, reading = self.start(script)
        with os.fdopen(reading, "rb") as archive:
            content = archive.read()
        assert process.wait(WAIT_S)
        process.end(0)
        return process, content

    def close(self) -> None:
        self._launcher.close(0)


@pytest.fixture
def builder(tmp_path, backend):
    made = Builder(tmp_path, backend)
    yield made
    made.close()


@pytest.fixture
def boxed(tmp_path):
    skip_without_boxes()
    made = Builder(tmp_path, BubblewrapBackend())
    yield made
    made.close()


def names_in(content: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {each.name: archive.extractfile(each).read() for each in archive if each.isfile()}  # type: ignore[union-attr]  # a file has content


def test_built_folder_comes_out_and_the_source_stays(builder: Builder):
    """What the build prints is its log, and no part of the archive."""
    process, content = builder.run("mkdir out && tr a-z A-Z < main.txt > out/built.txt && echo built it")

    assert (process.exit_code, process.tail()) == (0, ["built it"])
    assert names_in(content) == {"./main.txt": b"source", "./out/built.txt": b"SOURCE"}
    assert [each.name for each in builder.folder.iterdir()] == ["main.txt"]


def test_build_that_fails_writes_no_archive(builder: Builder):
    """Its exit code and its last lines are for the owner."""
    process, content = builder.run("echo wrong >&2; exit 3")

    assert (process.describe_state(), process.tail(), content) == ("ended with exit code 3", ["wrong"], b"")


def test_build_that_fills_the_disk_fails_in_its_box(boxed: Builder):
    """The copy has a size, and the host loses nothing."""
    process, content = boxed.run("dd if=/dev/zero of=large bs=1M count=100 2>&1")

    assert process.exit_code != 0
    assert any("No space left on device" in line for line in process.tail())
    assert content == b""


def test_build_has_no_network_and_writes_nowhere_else(boxed: Builder):
    """It is boxed like a bot."""
    process, _ = boxed.run(
        "ls /sys/class/net /root/.ssh 2>/dev/null; touch /usr/x /source/x; cat /proc/net/dev | wc -l"
    )

    assert process.exit_code == 0
    assert process.tail()[-1] == "3", "the only interface is lo"
    assert sum("Read-only file system" in line for line in process.tail()) == 2
    assert [each.name for each in boxed.folder.iterdir()] == ["main.txt"]


def test_build_that_never_ends_is_ended(boxed: Builder):
    """Its reader sees the end of the archive."""
    process, reading = boxed.start("echo ready; sleep 600 & sleep 600")
    wait_until(lambda: process.tail() == ["ready"])

    process.kill()

    with os.fdopen(reading, "rb") as archive:
        assert archive.read() == b""
    assert process.is_over
