"""Hostile programs in real boxes, each beside an honest neighbour: every escape and every flood is held."""

import ctypes
import os
import secrets
import signal
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.bots.launch.cpu_times import read_cpu_times
from arena.bots.launch.process import BotProcess
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from tests.bots.sandbox.escapes import ATTEMPTS, FLOODS, PRELUDE
from tests.support.boxes import BoxedPrograms, group_of, list_processes_with, open_boxes, skip_without_boxes, wait_until

KEY = secrets.randbits(30)
NEIGHBOUR = f"""
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.shmget({KEY}, 1, 0o1600), libc.semget({KEY}, 1, 0o1600), libc.msgget({KEY}, 0o1600)
for folder in ("/tmp", "/dev/shm"):
    open(folder + "/twin", "w").write("secret of the neighbour")
os.write(1, b"ready\\n")
import time
count = 0
while True:
    time.sleep(0.02)
    count += 1
    os.write(1, b"%d\\n" % count)
"""
MEMORY_MB = 64
PROCESSES = 16
SCRATCH_MB = 8
LIMITS: Mapping[str, Any] = {"memory_mb": MEMORY_MB, "processes": PROCESSES, "scratch_mb": SCRATCH_MB, "file_mb": 64}


class Yard:
    """The place of the escapes: boxes, an honest neighbour, and what hostile programs look for."""

    def __init__(self, folder: Path, boxes: BoxedPrograms, outside: dict[str, Any]) -> None:
        self.folder = folder
        self.boxes = boxes
        self._outside = outside
        self.neighbour = boxes.start(NEIGHBOUR, "neighbour")
        wait_until(lambda: "ready" in self.neighbour.tail(1000))
        self._outside["neighbour_pid"] = self.neighbour.pid

    def program(self, code: str, name: str) -> str:
        """Return a hostile program that knows what it looks for."""
        outside = self._outside | {"own_folder": str(self.folder / name)}
        return (PRELUDE + code).format(outside=outside)

    def check_neighbour(self) -> None:
        """Check that the neighbour still works."""
        last = self.neighbour.tail(1)
        wait_until(lambda: self.neighbour.tail(1) != last)
        assert self.neighbour.exit_code is None


@pytest.fixture(scope="module")
def yard(tmp_path_factory) -> Iterator[Yard]:
    skip_without_boxes()
    folder = tmp_path_factory.mktemp("yard")
    variable = f"CI_SECRET_{secrets.token_hex(4).upper()}"
    (folder / "secret").write_text("secret")
    with pytest.MonkeyPatch.context() as patch, open_boxes(folder) as boxes:
        for name in (variable, "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "ARENA_TOKEN", "SSH_AUTH_SOCK"):
            patch.setenv(name, "secret")
        with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as abstract:
            abstract.bind(f"\0{variable}")
            abstract.listen()
            outside = {
                "file": str(folder / "secret"),
                "neighbour_folder": str(folder / "neighbour-1"),
                "server_pid": os.getpid(),
                "port": port.getsockname()[1],
                "abstract": variable,
                "variable": variable,
                "key": KEY,
                "shared": "twin",
            }
            yield Yard(folder, boxes, outside)


@pytest.mark.parametrize("name", ATTEMPTS)
def test_escape_is_held(yard: Yard, name):
    """A program that tries it is refused each time, and its neighbour notices nothing."""
    process, lines = yard.boxes.run(yard.program(ATTEMPTS[name], "attack"), "attack")

    assert [line for line in lines if not line.startswith("held ")] == []
    assert lines, process.describe_state()
    assert process.exit_code == 0
    yard.check_neighbour()


def test_disk_does_nothing_for_a_box(yard: Yard):
    """Whatever a program asks of it, even for files that are not open: the server's journal never waits behind it."""
    code = """
calls = [libc.fsync(-1), libc.fdatasync(-1), libc.syncfs(-1), libc.sync_file_range(-1, 0, 0, 0)]
say(f"{{calls}} {{libc.msync(ctypes.c_void_p(4096), ctypes.c_size_t(4096), 4)}}")
with open("/tmp/file", "wb") as file:
    file.write(b"written")
    file.flush()
    os.fsync(file.fileno())
say(str(read("/tmp/file")))
"""
    _, lines = yard.boxes.run(yard.program(code, "attack"), "attack")

    assert lines == ["[0, 0, 0, 0] 0", "b'written'"]


def run_flood(yard: Yard, name: str, **limits: Any) -> tuple[BotProcess, list[str]]:
    return yard.boxes.run(yard.program(FLOODS[name], "flood"), "flood", **(dict(LIMITS) | limits))


def test_unread_bytes_in_sockets_are_bounded(yard: Yard):
    """With version 2 of control groups, those of TCP and UDP count as memory. With version 1, they have a limit."""
    process, lines = run_flood(yard, "bomb of unread bytes")

    if process.exit_code == 0:
        assert int(lines[-1].removeprefix("unread ")) < MEMORY_MB
    else:
        assert process.describe_state() == f"used more than {MEMORY_MB} MB of memory and was killed"
    yard.check_neighbour()


def test_fork_bomb_stays_in_its_box(yard: Yard):
    """It gets no more processes than its limit, and its end is the end of all of them."""
    process = yard.boxes.start(yard.program(FLOODS["fork bomb"], "flood"), "flood", **LIMITS)
    wait_until(lambda: "started" in process.tail())
    group = group_of(process)

    wait_until(lambda: len(group.members()) == PROCESSES + 2)
    yard.check_neighbour()
    process.end(0)

    assert process.is_over
    assert group.members() == []


def test_thread_bomb_is_held(yard: Yard):
    """Threads count as processes."""
    _, lines = run_flood(yard, "thread bomb")

    assert len(lines) == 1
    assert lines[0].startswith("threads ")
    assert 0 < int(lines[0].split()[1]) < PROCESSES
    yard.check_neighbour()


@pytest.mark.parametrize("name", ["memory bomb", "memory bomb of children"])
def test_memory_bomb_is_killed(yard: Yard, name):
    """A box that uses too much memory loses a process, and the host loses nothing."""
    process, _ = run_flood(yard, name)
    group = group_of(process)

    assert group.was_out_of_memory()
    if name == "memory bomb":
        assert process.describe_state() == f"used more than {MEMORY_MB} MB of memory and was killed"
    yard.check_neighbour()


def test_tmpfs_bomb_fills_only_its_scratch_space(yard: Yard):
    """The scratch space has a size, and other places have none."""
    _, lines = run_flood(yard, "tmpfs bomb")

    assert lines[:2] == ["full /tmp ENOSPC", "full /dev/shm ENOSPC"]
    assert int(lines[2].split()[1]) <= SCRATCH_MB
    yard.check_neighbour()


def test_inode_bomb_is_held_by_the_memory_limit(yard: Yard):
    """Inodes are memory of the kernel, which counts for the box."""
    process, lines = run_flood(yard, "inode bomb", memory_mb=32)

    assert lines or "memory" in process.describe_state(), process.describe_state()
    yard.check_neighbour()


def test_large_file_is_refused(yard: Yard):
    """A file has a largest size, also if it has no content."""
    _, lines = run_flood(yard, "file bomb")

    assert lines == ["EFBIG"]


def test_descriptor_bomb_is_held(yard: Yard):
    """A process has a largest number of descriptors."""
    _, lines = run_flood(yard, "descriptor bomb", open_files=64)

    assert lines == [f"EMFILE {64 - 3}"]


def test_flood_of_output_is_capped(yard: Yard):
    """What a program writes beyond the cap is dropped, and slows down nobody but itself."""
    process = yard.boxes.start(yard.program(FLOODS["gigabyte of output"], "flood"), "flood", **LIMITS)
    wait_until(lambda: process.dropped_byte_count > 5_000_000)
    yard.check_neighbour()
    process.end(0)

    assert process.output_path.stat().st_size < 1_100_000


def test_spinning_box_leaves_the_cores_to_others(yard: Yard):
    """Four busy processes together get what the quota allows, and the neighbour gets its turn."""
    process = yard.boxes.start(yard.program(FLOODS["spin on all cores"], "flood"), "flood", cpus=0.1)
    wait_until(lambda: process.throttled_us > 500_000)

    yard.check_neighbour()
    process.end(0)


def test_program_that_stops_itself_is_ended(yard: Yard):
    """SIGSTOP stops no end."""
    process = yard.boxes.start(yard.program("say('stops')\nos.kill(os.getpid(), signal.SIGSTOP)", "flood"), "flood")
    wait_until(lambda: process.tail() == ["stops"])
    wait_until(lambda: (times := read_cpu_times(process.pid)) is not None and times.state == "T")

    process.end(0)

    assert process.is_over
    assert process.exit_code is not None


ORPHANS = {
    "orphan": "if os.fork(): os._exit(0)\ntime.sleep(600)",
    "daemon": "if os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep(600)",
    "daemon that ignores signals": (
        "if os.fork(): os._exit(0)\nos.setsid()\n[signal.signal(each, signal.SIG_IGN) for each in (1, 2, 15)]\n"
        "if os.fork(): os._exit(0)\ntime.sleep(600)"
    ),
}


@pytest.mark.parametrize("name", ORPHANS)
def test_orphan_ends_with_its_box(yard: Yard, name):
    """A process that has left its session and its parent does not outlive the program."""
    marker = f"orphan-{secrets.token_hex(8)}"
    process, _ = yard.boxes.run(yard.program(f"# {marker}\n{ORPHANS[name]}", "flood"), "flood")

    assert process.exit_code == 0
    wait_until(lambda: not group_of(process).members())
    assert list_processes_with(marker) == []


def test_files_left_behind_vanish_with_the_box(yard: Yard):
    """Links, pipes and strange names stay in the scratch space: no other program ever follows them."""
    code = """
os.symlink("/etc/shadow", "/tmp/bot.log")
os.symlink("../../../../etc/passwd", "/dev/shm/result")
os.mkfifo("/tmp/pipe")
for name in ("a\\nb", "..data", "-rf", "\\x1b[31m"):
    open("/tmp/" + name, "w").close()
say("left")
"""
    process, lines = yard.boxes.run(yard.program(code, "litter"), "litter")

    assert lines == ["left"]
    assert [file.name for file in yard.folder.glob("litter-*/*")] == ["bot.py"]
    outputs = list(process.output_path.parent.iterdir())
    assert all(file.is_file() and not file.is_symlink() and file.suffix == ".log" for file in outputs)


def test_crash_leaves_no_core_file(yard: Yard):
    """The kernel writes no core file, and starts no program of the host for it."""
    code = """
os.chdir("/tmp")
if os.fork() == 0:
    os.abort()
os.wait()
say(str([each for each in os.listdir(".") if "core" in each]))
"""
    process, lines = yard.boxes.run(yard.program(code, "crash"), "crash")

    assert lines == ["[]"]
    assert process.exit_code == 0


def test_variables_of_the_program_do_not_reach_what_makes_its_box(yard: Yard):
    """LD_PRELOAD, PYTHONPATH and the like work in the box alone."""
    names = ("LD_PRELOAD", "PYTHONPATH", "PYTHONSTARTUP", "BASH_ENV")
    poison = dict.fromkeys(names, "/bot/bot.py")
    process = yard.boxes.start(yard.program("say('ready')\ntime.sleep(600)", "x"), "poison", environment=poison)
    wait_until(lambda: "ready" in process.tail())
    outer = process._popen.pid

    variables = Path(f"/proc/{outer}/environ").read_bytes()
    assert process.pid != outer
    assert not any(name.encode() in variables for name in (*poison, "CHEATARENA_TOKEN"))
    assert b"CHEATARENA_TOKEN" not in Path(f"/proc/{outer}/cmdline").read_bytes()
    assert b"LD_PRELOAD" in Path(f"/proc/{process.pid}/environ").read_bytes()
    process.end(0)


def test_customizing_python_reaches_no_runner(yard: Yard):
    """A sitecustomize module beside the program is never imported outside its box."""
    folder = yard.folder / "custom-bot"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"open({str(yard.folder / 'escaped')!r}, 'w')")
    (folder / "usercustomize.py").write_text(f"open({str(yard.folder / 'escaped')!r}, 'w')")
    process, _ = yard.boxes.run("say = 1", "custom", environment={"PYTHONPATH": str(folder)})

    assert process.exit_code == 0
    assert not (yard.folder / "escaped").exists()


def test_terminal_escapes_are_not_shown(yard: Yard):
    """What a program prints does nothing to the terminal of the person who reads it."""
    code = "os.write(1, b'\\x1b]0;owned\\x07\\x1b[2Jplain\\x1b[31m\\r\\x9b31m text\\n')"
    _, lines = yard.boxes.run(yard.program(code, "log"), "log")

    assert all(line.isprintable() for line in lines)
    assert "plain" in " ".join(lines)


def test_listener_in_a_box_is_reached_by_nobody(yard: Yard):
    """A program may listen, but only its own box can connect."""
    code = """
server = socket.create_server(("127.0.0.1", 0))
connect(socket.SOCK_STREAM, server.getsockname())
say(f"listens {{server.getsockname()[1]}}")
time.sleep(600)
"""
    process = yard.boxes.start(yard.program(code, "listener"), "listener")
    wait_until(process.tail)
    port = int(process.tail()[0].split()[1])

    with socket.socket() as connection:
        assert connection.connect_ex(("127.0.0.1", port)) != 0 or connection.getpeername() == connection.getsockname()
    process.end(0)


def test_program_that_sleeps_at_its_start_is_ended_at_once(yard: Yard):
    """Neither its start nor its end waits for it."""
    process = yard.boxes.start(yard.program("time.sleep(600)", "sleeper"), "sleeper")

    process.kill()

    assert process.is_over
    yard.check_neighbour()


def test_killed_box_is_signalled_as_a_whole(yard: Yard):
    """SIGKILL for the box kills what is in it and what makes it."""
    process = yard.boxes.start(yard.program("say('ready')\ntime.sleep(600)", "victim"), "victim")
    wait_until(lambda: "ready" in process.tail())
    inside = process.pid

    process.signal(signal.SIGKILL)

    wait_until(lambda: process.exit_code is not None)
    wait_until(lambda: (times := read_cpu_times(inside)) is None or times.state in "ZX")
    process.end(0)


def test_control_groups_of_ended_boxes_are_gone(yard: Yard):
    """A host that runs many bots keeps nothing of them."""
    process, _ = yard.boxes.run("pass", "short")
    folders = BubblewrapBackend().tree.folders.values()
    group = group_of(process)

    assert not [file for file in group.member_files if Path(file).parent.exists()]
    assert folders
    assert ctypes.CDLL(None).shmget(KEY, 1, 0) < 0, "shared memory of the neighbour is visible outside"
