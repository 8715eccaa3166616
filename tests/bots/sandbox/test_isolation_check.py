"""The check says what holds here, names what does not, and no untrusted code runs without it."""

import json
import os
from pathlib import Path
from unittest import mock

import pytest

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.sandbox import bubblewrap
from arena.bots.sandbox.backends import open_boxes
from arena.bots.sandbox.box_makers import make_name
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.bots.sandbox.bubblewrap_box import BubblewrapBox
from arena.bots.sandbox.cgroups.controller_files import VERSION_2
from arena.bots.sandbox.cgroups.group_places import GroupTree, find_group_tree, read_throttled_us
from arena.bots.sandbox.cgroups.version_1 import VERSION_1
from arena.bots.sandbox.probes import isolation_check
from arena.bots.sandbox.probes.isolation_check import check_isolation, require_isolation, vouch_for_boxes
from arena.bots.sandbox.probes.isolation_findings import (
    EXHAUSTING,
    HARMLESS,
    TOGETHER,
    IsolationFinding,
    IsolationState,
)
from arena.cli.exit_codes import ExitCode
from arena.cli.main import run
from arena.errors import EnvironmentFaultError, IsolationError
from tests.support.boxes import skip_without_boxes, why_no_boxes

ALL = {*HARMLESS, *EXHAUSTING, *TOGETHER}


@pytest.fixture
def forgets(monkeypatch):
    """Let the check run again in this process."""
    why_no_boxes()
    monkeypatch.setattr(isolation_check, "_known", {})


def find_states() -> dict[str, tuple[IsolationState, str]]:
    return {each.probe: (each.state, each.detail) for each in check_isolation(BoxSettings())}


def test_check_prints_a_line_for_each_promise(capsys):
    """Where boxes hold, each line says so, and the exit code is 0. Nobody waits without a word."""
    skip_without_boxes()

    code = run(["sandbox", "check"])

    printed = capsys.readouterr()
    assert "which takes a few seconds" in printed.err
    lines = printed.out.splitlines()
    assert code == ExitCode.YES
    assert len(lines) == len(ALL)
    assert all(line.startswith("holds  ") for line in lines)


def test_machine_without_bubblewrap_tests_nothing_and_runs_no_untrusted_code(monkeypatch, capsys, forgets):
    """The check says which package is missing, and its exit code is that of an open question."""
    monkeypatch.setenv("PATH", "/nowhere")

    code = run(["sandbox", "check", "--json"])

    findings = json.loads(capsys.readouterr().out)
    assert code == ExitCode.UNDECIDED
    assert {each["probe"] for each in findings} == ALL
    assert {each["state"] for each in findings} == {"not tested"}
    assert all("install the package bubblewrap" in each["detail"] for each in findings)
    with pytest.raises(IsolationError, match="bubblewrap is missing"):
        open_boxes(BoxSettings())


def test_missing_filter_does_not_hold(monkeypatch, forgets):
    """Without libseccomp, the probes reach what only the filter refuses."""
    skip_without_boxes()

    def refuse() -> bytes:
        raise IsolationError(["the library libseccomp is missing"])

    monkeypatch.setattr(bubblewrap, "build_filter", refuse)

    states = find_states()

    assert states["rights"] == (IsolationState.BROKEN, "no filter refuses system calls")
    assert states["kernel_interfaces"][0] is IsolationState.BROKEN
    assert states["files"][0] is IsolationState.HOLDS
    with pytest.raises(IsolationError, match="no filter refuses system calls"):
        require_isolation(BoxSettings())


def test_missing_control_groups_do_not_hold(monkeypatch, forgets):
    """Without control groups, a box has no limits for memory, processes and the CPU."""
    skip_without_boxes()
    missing = GroupTree({}, VERSION_1, ["no control group can be made for memory"])
    monkeypatch.setattr(bubblewrap, "find_group_tree", lambda: missing)

    states = find_states()

    assert states["memory"] == (IsolationState.BROKEN, "it used 128 MB of memory")
    assert states["forks"][0] is IsolationState.BROKEN
    assert states["together"] == (
        IsolationState.BROKEN,
        "two boxes used 80 MB of memory together; no quota stopped two boxes together",
    )
    assert states["spin"] == (IsolationState.BROKEN, "no quota stopped a program that kept a core busy")
    with pytest.raises(IsolationError, match="no control group can be made for memory"):
        BubblewrapBackend()


@pytest.mark.parametrize("name", ["none", "chroot"])
def test_backend_that_does_not_isolate_is_refused(capsys, name):
    """Nothing runs to find that out."""
    code = run(["sandbox", "check", "--backend", name])

    printed = capsys.readouterr()
    assert (code, printed.out) == (ExitCode.USAGE, "")
    assert f"boxes.backend must be 'bubblewrap' or 'oci', got '{name}'" in printed.err


def test_boxes_that_the_settings_make_are_checked(tmp_path, monkeypatch, capsys):
    """What a server shows to its boxes is shown to those of the check too. A wish of the command line comes first."""
    checked = mock.Mock(return_value=[])
    monkeypatch.setattr(isolation_check, "check_isolation", checked)
    file = tmp_path / "arena.toml"
    file.write_text('[boxes]\nbackend = "oci"\nslice = "arena.slice"\npaths = ["/opt/go"]\n')

    assert run(["sandbox", "check", "--config", str(file)]) == ExitCode.YES
    assert run(["sandbox", "check", "--backend", "oci"]) == ExitCode.YES

    assert checked.call_args_list == [
        mock.call(BoxSettings(backend="oci", slice="arena.slice", paths=("/opt/go",))),
        mock.call(BoxSettings(backend="oci")),
    ]


@pytest.mark.parametrize(
    ("parent", "backend", "checks"),
    [(os.getppid(), "bubblewrap", 0), (os.getpid(), "bubblewrap", 1), (1, "bubblewrap", 1), (os.getppid(), "oci", 1)],
    ids=["its parent", "itself", "another process", "its parent, of other boxes"],
)
def test_child_of_a_process_that_has_checked_does_not_check_again(monkeypatch, forgets, parent, backend, checks):
    """What another process says, or says of other boxes, is not believed."""
    skip_without_boxes()
    noted = mock.Mock(return_value=[])
    monkeypatch.setattr(isolation_check, "check_isolation", noted)
    monkeypatch.setenv("ARENA_ISOLATION_CHECKED_BY", f"{parent} {backend}")

    require_isolation(BoxSettings())

    assert noted.call_count == checks


def test_process_vouches_for_its_children_alone():
    skip_without_boxes()
    (told,) = vouch_for_boxes(BoxSettings()).values()

    assert told == f"{os.getpid()} bubblewrap"


def test_check_runs_once_in_a_process(monkeypatch, forgets):
    """A league that starts many bots waits for the check once."""
    skip_without_boxes()
    calls: list[BoxSettings] = []

    def note(settings: BoxSettings) -> list[IsolationFinding]:
        calls.append(settings)
        return []

    monkeypatch.setattr(isolation_check, "check_isolation", note)

    require_isolation(BoxSettings())
    require_isolation(BoxSettings())

    assert calls == [BoxSettings()]


# ---- control groups of version 2, in folders that look like them


def make_unified(root: Path, own: str = "/system.slice/arena.service/server") -> tuple[Path, Path]:
    """Make a tree of version 2 with the group of this process; return /proc/self and the parent of that group."""
    place = root / "cgroup"
    folder = place / own.lstrip("/")
    folder.mkdir(parents=True)
    for each, offered in ((folder, ""), (folder.parent, "cpuset cpu io memory pids")):
        (each / "cgroup.controllers").write_text(f"{offered}\n")
        (each / "cgroup.subtree_control").write_text("")
        (each / "cgroup.procs").write_text("")
    proc = root / "proc"
    proc.mkdir()
    (proc / "cgroup").write_text(f"0::{own}\n")
    (proc / "mountinfo").write_text(f"30 23 0:26 / {place} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n")
    return proc, folder.parent


def test_groups_of_version_2_are_made_beside_the_own_group(tmp_path):
    """The controllers are turned on in the parent, and each limit is written in the units of version 2."""
    proc, parent = make_unified(tmp_path)

    tree = find_group_tree(proc)

    assert (tree.files, set(tree.folders.values()), tree.missing) == (VERSION_2, {parent}, ())
    assert (parent / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    tree.make_group(BoxLimits(memory_mb=64, processes=10, cpus=0.5))
    (folder,) = parent.glob("cheatarena-boxes/cheatarena-*")
    written = {file.name: file.read_text() for file in folder.iterdir()}
    assert written == {
        "memory.max": "67108864",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "12",
        "cpu.weight": "100",
        "cpu.max": "50000 100000",
    }


def test_use_in_version_2_is_read(tmp_path):
    """Killed processes and the time of throttling come from the files of version 2."""
    proc, parent = make_unified(tmp_path)
    group = find_group_tree(proc).make_group(BoxLimits())
    (folder,) = parent.glob("cheatarena-boxes/cheatarena-*")
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 1\n")
    (folder / "cpu.stat").write_text("usage_usec 900\nnr_periods 5\nnr_throttled 3\nthrottled_usec 1234\n")

    assert group.was_out_of_memory()
    assert group.throttled_us() == 1234


@pytest.mark.parametrize("below", ["", "/container"])
def test_throttling_of_a_container_is_that_of_the_group_with_its_quota(tmp_path, below):
    """An engine may put the program into a group below the one that it limits. Groups above are those of others too."""
    make_unified(tmp_path)
    (tmp_path / "proc").rename(tmp_path / "self")
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "cgroup").write_text(f"0::/machine.slice/a.scope{below}\n")
    for path, quota, throttled in (("", "max", 9), ("/a.scope", "5000 100000", 5), ("/a.scope/container", "max", 0)):
        folder = tmp_path / "cgroup" / f"machine.slice{path}"
        folder.mkdir(parents=True)
        (folder / "cpu.max").write_text(f"{quota}\n")
        (folder / "cpu.stat").write_text(f"nr_throttled 1\nthrottled_usec {throttled}\n")

    assert read_throttled_us(7, tmp_path) == 5


@pytest.mark.parametrize(
    ("code", "kill_count", "words"),
    [
        (-9, 3, "used more than 64 MB of memory and was killed"),
        (137, 1, "used more than 64 MB of memory and was killed"),
        (-9, 0, None),
        (1, 1, None),
    ],
)
def test_box_that_was_killed_whole_says_that_memory_ran_out(tmp_path, code, kill_count, words):
    """In version 2 the kernel kills bubblewrap too, which then cannot report the signal by an exit code."""
    limits = BoxLimits(memory_mb=64)
    proc, parent = make_unified(tmp_path)
    group = find_group_tree(proc).make_group(limits)
    (folder,) = parent.glob("*/cheatarena-*")
    (folder / "memory.events").write_text(f"oom 1\noom_kill {kill_count}\n")

    assert BubblewrapBox((), (), group, None, limits).describe_end(code) == words


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_tree_that_cannot_be_written_is_missing(tmp_path):
    """A plain user without delegation is told what is missing."""
    proc, parent = make_unified(tmp_path)
    for folder in (parent / "server", parent):
        folder.chmod(0o500)

    assert len(find_group_tree(proc).missing) == 3


def test_machine_without_control_groups_says_what_is_missing(tmp_path):
    """There is a sentence for each controller."""
    assert find_group_tree(tmp_path).missing == [
        "no control group can be made for memory",
        "no control group can be made for the number of processes",
        "no control group can be made for the CPU",
    ]


def test_groups_of_arenas_that_are_gone_are_removed(tmp_path):
    """A group of a living arena stays, also if its process id is that of a dead one."""
    proc, parent = make_unified(tmp_path)
    alive = parent / make_name()
    reused = parent / f"cheatarena-{os.getpid()}-1-1"
    other = parent / "some-service"
    for folder in (alive, reused, other):
        folder.mkdir()

    find_group_tree(proc).remove_abandoned()

    assert alive.exists()
    assert other.exists()
    assert not reused.exists()


def test_group_that_cannot_be_limited_is_an_error(tmp_path, monkeypatch):
    """A box never runs without a limit that could not be written."""
    proc, _ = make_unified(tmp_path)
    tree = find_group_tree(proc)
    write = Path.write_text

    def fail(path: Path, text: str, **options: str) -> int:
        if path.name == "pids.max":
            raise PermissionError(13, "Permission denied", str(path))
        return write(path, text, **options)

    monkeypatch.setattr(Path, "write_text", fail)

    with pytest.raises(EnvironmentFaultError, match=r"pids\.max cannot be made: Permission denied"):
        tree.make_group(BoxLimits())
