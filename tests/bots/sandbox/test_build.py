"""A build runs in a box with a copy of the program's folder, and only what it has built comes out."""

import os
import time
from pathlib import Path

import pytest

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.errors import BotStartError, BuildFailedError
from arena.fleet.runner.boxed_builds import BoxedBuilds
from tests.support.boxes import list_processes_with, skip_without_boxes, wait_until


class Builder:
    """Builds programs from scripts of the shell."""

    def __init__(self, folder: Path, launcher: Launcher) -> None:
        self.folder = folder / "program"
        self.folder.mkdir()
        (self.folder / "main.txt").write_text("source")
        folder.chmod(0o755)
        self.results = folder / "builds"
        self.outputs = folder / "output"
        self._launcher = launcher

    def build(self, script: str, *, content: str = "c0ffee", time_s: float = 60.0, kept: tuple[str, ...] = ()) -> Path:
        program = BotProgram("bot", (), self.folder, build=("/bin/sh", "-c", script), kept=kept)
        settings = BoxSettings(build_memory_mb=128, build_cpus=1.0, build_time_s=time_s)
        return BoxedBuilds(self.results, self._launcher, settings).build(program, content)

    @property
    def log(self) -> str:
        return "".join(path.read_text() for path in sorted(self.outputs.glob("*.log")))


@pytest.fixture
def builder(tmp_path):
    skip_without_boxes()
    with Launcher(tmp_path / "output", open_boxes=BubblewrapBackend) as launcher:
        yield Builder(tmp_path, launcher)


def files_in(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_built_folder_comes_out_and_the_source_stays(builder: Builder):
    """What the build prints is its log, and no part of the result."""
    place = builder.build("pwd; mkdir out && tr a-z A-Z < main.txt > out/built.txt && echo built it")

    assert files_in(place) == {"main.txt": "source", "out/built.txt": "SOURCE"}
    assert [each.name for each in builder.folder.iterdir()] == ["main.txt"]
    assert builder.log.splitlines() == ["/bot", "built it"]


def test_only_what_is_kept_comes_out(builder: Builder):
    """And the manifest, which says how to start the result."""
    (builder.folder / "bot.toml").write_text("")

    place = builder.build("mkdir -p out/deep && echo 1 > out/deep/a && echo 2 > out/b", kept=("out/deep", "main.txt"))

    assert files_in(place) == {"bot.toml": "", "main.txt": "source", "out/deep/a": "1\n"}


def test_same_content_is_built_once(builder: Builder):
    first = builder.build("echo built; date +%N > when")
    when = (first / "when").read_text()

    assert builder.build("echo built; date +%N > when") == first
    assert (first / "when").read_text() == when
    assert builder.log == "built\n"


def test_build_that_fails_leaves_nothing(builder: Builder):
    """Its exit code and its last line are for the owner."""
    with pytest.raises(BuildFailedError, match="the build of bot ended with exit code 3: wrong"):
        builder.build("echo wrong >&2; exit 3")

    assert [*builder.results.iterdir()] == []


def test_build_that_fills_the_disk_fails_in_its_box(builder: Builder):
    """The copy has a size, and the host loses nothing."""
    with pytest.raises(BuildFailedError, match="the build of bot "):
        builder.build("dd if=/dev/zero of=large bs=1M count=100")

    assert "No space left on device" in builder.log
    assert [*builder.results.iterdir()] == []


def test_log_of_a_build_that_prints_without_end_is_short(builder: Builder):
    """The middle of the output is thrown away; its end says most about a fault."""
    builder.build("yes | head -c 200000000; echo done")

    assert len(builder.log) < 11_000_000
    assert builder.log.endswith("\ndone\n")


def test_build_has_no_network_and_writes_nowhere_else(builder: Builder):
    """It is boxed like a bot."""
    builder.build("ls /root/.ssh 2>/dev/null; touch /usr/x /source/x; grep -c : /proc/net/dev")

    assert builder.log.splitlines()[-1] == "1", "the only interface is lo"
    assert builder.log.count("Read-only file system") == 2
    assert [each.name for each in builder.folder.iterdir()] == ["main.txt"]


def test_build_that_never_ends_is_ended_with_all_that_it_forked(builder: Builder):
    marker = f"600.{os.getpid()}"
    began = time.monotonic()

    with pytest.raises(BuildFailedError, match="took longer than 1 s"):
        builder.build(f"sleep {marker} & sleep {marker}", time_s=1.0)

    assert time.monotonic() - began < 30
    wait_until(lambda: list_processes_with(marker) == [])
    assert [*builder.results.iterdir()] == []


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("ln -s /etc/passwd leak", "leads out of the built folder"),
        ("mkfifo pipe", "pipe"),
        (
            "i=0; while [ $i -lt 60 ]; do mkdir -p d; cd d; i=$((i+1)); done; mkdir -p d/d/d/d/d/d; touch d/d/d/x",
            "deep|parts|folders",
        ),
    ],
)
def test_result_that_breaks_a_rule_is_refused(builder: Builder, script, told):
    """The host never follows a link of a bot, and opens no pipe."""
    with pytest.raises(BotStartError, match=rf"what the build of bot made is refused: .*({told})"):
        builder.build(script)

    assert [*builder.results.iterdir()] == []
