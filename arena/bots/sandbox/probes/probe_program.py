"""A program that tries to leave its box, in ways that harm nothing if they succeed.

    python -I -S probe_program.py OUTSIDE PROBE …

OUTSIDE is JSON with what the checker outside has prepared: its process id, a file, a port, names and keys. For each
probe, the program prints the probe's name and what it reached outside the box, or nothing if it reached nothing. It is
run, never imported, and uses only the standard library.
"""

import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

CONNECT_TIME_S = 1.0
SPIN_TIME_S = 10.0  # the checker ends it as soon as the quota has stopped it
SPIN_TOGETHER_S = 0.6  # several periods of the quota
CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET = 0x10000000, 0x00020000, 0x40000000
PTRACE_TRACEME = 0
AF_VSOCK = 40
PROBES: dict[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {}
LIBC = ctypes.CDLL(None, use_errno=True)
CALLS = {
    "x86_64": {"io_uring_setup": 425, "bpf": 321, "perf_event_open": 298, "add_key": 248, "userfaultfd": 323},
    "aarch64": {"io_uring_setup": 425, "bpf": 280, "perf_event_open": 241, "add_key": 217, "userfaultfd": 282},
}


def probe(function: Callable[[Mapping[str, Any]], Iterator[str]]) -> Callable[[Mapping[str, Any]], Iterator[str]]:
    """Make a function a probe. It yields what it reached outside the box."""
    PROBES[function.__name__] = function
    return function


def works(call: Callable[[], object]) -> bool:
    """Return whether a call raises no OSError."""
    with contextlib.suppress(OSError):
        call()
        return True
    return False


def is_allowed(result: int) -> bool:
    """Return whether the kernel looked at a system call at all, even if it did not like the arguments."""
    return result >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.ENOSYS)


@probe
def files(outside: Mapping[str, Any]) -> Iterator[str]:
    """Read the host's files: its users, its configuration, and a file beside the folders that the box shows."""
    for path, identity in {**outside["host_files"], outside["file"]: None}.items():
        with contextlib.suppress(OSError):
            status = os.stat(path)  # noqa: PTH116  it is imported anyway
            if identity is None or identity == [status.st_dev, status.st_ino]:  # an image has files of the same name
                yield f"it saw {path}"


@probe
def writes(_: Mapping[str, Any]) -> Iterator[str]:
    """Write anywhere but in the scratch space."""
    for folder in ("/", "/bot", "/usr", "/usr/lib", "/etc", "/run", "/dev", "/proc", "/proc/sys/kernel", "/home"):
        place = Path(folder, "escape")
        if works(place.touch):
            yield f"it wrote to {folder}"
    for file in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger", "/etc/passwd"):
        if works(partial(open, file, "wb")):
            yield f"it opened {file} for writing"


@probe
def processes_of_others(outside: Mapping[str, Any]) -> Iterator[str]:
    """See or signal processes outside the box."""
    seen = [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208  /proc is flat
    if outside["pid"] in seen or len(seen) > 10:
        yield f"it saw processes of others ({len(seen)} in all)"
    if outside["pid"] > 10 and works(lambda: os.kill(outside["pid"], 0)):
        yield "it may signal a process outside"


@probe
def network(outside: Mapping[str, Any]) -> Iterator[str]:
    """Reach a port of the host over TCP, an abstract Unix socket of the host, and the hypervisor."""
    for place in (("127.0.0.1", outside["port"]), ("169.254.169.254", 80), ("192.0.2.1", 53)):
        with socket.socket() as connection:
            connection.settimeout(CONNECT_TIME_S)
            if works(partial(connection.connect, place)):
                yield f"it connected to {place[0]}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram:
        if works(lambda: datagram.sendto(b"escape", ("192.0.2.1", 53))):
            yield "it sent a datagram"
    with socket.socket(socket.AF_UNIX) as abstract:
        if works(lambda: abstract.connect("\0" + outside["abstract"])):
            yield "it connected to an abstract socket of the host"
    if works(lambda: socket.socket(AF_VSOCK, socket.SOCK_STREAM).close()):
        yield "it has a socket to the hypervisor (vsock)"
    lines = Path("/proc/net/dev").read_text(encoding="ascii").splitlines()[2:]  # a box may not use netlink
    others = [name for line in lines if (name := line.partition(":")[0].strip()) != "lo"]
    if others:
        yield f"it has the network interface {others[0]}"


@probe
def namespaces(_: Mapping[str, Any]) -> Iterator[str]:
    """Make namespaces, in which it would have rights of root, and mount."""
    for flag, name in ((CLONE_NEWUSER, "user"), (CLONE_NEWNS, "mount"), (CLONE_NEWNET, "network")):
        if LIBC.unshare(flag) == 0:
            yield f"it made a {name} namespace"
    if LIBC.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
        yield "it mounted a file system"


@probe
def debugging(outside: Mapping[str, Any]) -> Iterator[str]:
    """Trace a process or read its memory."""
    if is_allowed(LIBC.ptrace(PTRACE_TRACEME, 0, None, None)):
        yield "it may trace processes"
    if works(lambda: Path(f"/proc/{outside['pid']}/environ").read_bytes()):
        yield "it read the environment of a process outside"


@probe
def kernel_interfaces(_: Mapping[str, Any]) -> Iterator[str]:
    """Reach deep into the kernel: io_uring, bpf, perf, keyrings, userfaultfd."""
    for name, number in CALLS.get(os.uname().machine, {}).items():
        if is_allowed(LIBC.syscall(number, 0, 0, 0, 0, 0)):
            yield f"it may call {name}"


@probe
def rights(_: Mapping[str, Any]) -> Iterator[str]:
    """Have capabilities, gain rights by a set-uid program, or run without a filter."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines()
    status = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    for key in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb"):
        if int(status[key], 16):
            yield f"it has capabilities ({key})"
    if status["NoNewPrivs"] != "1":
        yield "it may gain rights by a set-uid program"
    if status["Seccomp"] != "2":
        yield "no filter refuses system calls"
    if status["Uid"].split()[0] == "0":
        yield "it is root"


@probe
def shared_memory(outside: Mapping[str, Any]) -> Iterator[str]:
    """Find shared memory of another process, by which two programs could talk."""
    if LIBC.shmget(outside["key"], 1, 0) >= 0:
        yield "it found shared memory of System V"
    if Path("/dev/shm", outside["shared"]).exists():  # noqa: S108  it is the box's own
        yield "it found shared memory in /dev/shm"


@probe
def environment(outside: Mapping[str, Any]) -> Iterator[str]:
    """Find a variable of the arena in its own environment."""
    if outside["variable"] in os.environ:
        yield "it has a variable of the arena"


@probe
def descriptors(_: Mapping[str, Any]) -> Iterator[str]:
    """Find inherited descriptors."""
    for number in range(3, 256):
        with contextlib.suppress(OSError):
            os.fstat(number)
            yield f"it has inherited descriptor {number}: {os.readlink(f'/proc/self/fd/{number}')}"  # noqa: PTH115  a link's text


@probe
def limits(outside: Mapping[str, Any]) -> Iterator[str]:
    """Open more descriptors, or write a larger file or core file, than it may."""
    for name in ("NOFILE", "FSIZE", "CORE"):
        _, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        if hard == resource.RLIM_INFINITY or hard > outside["limits"][name]:
            yield f"no limit of its {name} holds"


@probe
def memory(outside: Mapping[str, Any]) -> Iterator[str]:
    """Use twice as much memory as it may."""
    held = [b"x" * (1 << 20) for _ in range(2 * outside["limits"]["memory_mb"])]
    yield f"it used {len(held)} MB of memory"


@probe
def forks(outside: Mapping[str, Any]) -> Iterator[str]:
    """Fork more processes than it may."""
    children: list[int] = []
    try:
        for _ in range(outside["limits"]["processes"]):
            child = os.fork()
            if child == 0:
                time.sleep(60)
                os._exit(0)
            children.append(child)
        yield f"its forks were not limited ({len(children)})"
    except OSError:
        pass
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)


@probe
def scratch(outside: Mapping[str, Any]) -> Iterator[str]:
    """Write twice as much to the scratch space as it may."""
    written = 0
    for folder in ("/tmp", "/dev/shm"):  # noqa: S108  the scratch space
        with contextlib.suppress(OSError):
            for number in range(2 * outside["limits"]["scratch_mb"]):
                Path(folder, f"fill-{number}").write_bytes(b"x" * (1 << 20))
                written += 1
    if written > outside["limits"]["scratch_mb"]:
        yield f"it wrote {written} MB to the scratch space"


@probe
def daemon(_: Mapping[str, Any]) -> Iterator[str]:
    """Leave a process behind that has left its session. The checker looks for it."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    yield from ()


@probe
def spin(_: Mapping[str, Any]) -> Iterator[str]:
    """Keep a core busy. The checker looks whether the quota stopped it."""
    _spin(SPIN_TIME_S)
    yield from ()


def _spin(time_s: float) -> None:
    deadline = time.monotonic() + time_s
    while time.monotonic() < deadline:
        pass


@probe
def together(outside: Mapping[str, Any]) -> Iterator[str]:
    """Use processes, CPU and memory, and keep them. The checker looks how much several boxes get together."""
    count = 0
    with contextlib.suppress(OSError):
        while count < outside["together"]["processes"]:
            if os.fork() == 0:
                time.sleep(600)
            count += 1
    print("processes", count, flush=True)  # noqa: T201  the checker reads it
    _spin(SPIN_TOGETHER_S)
    held = b"x" * (outside["together"]["memory_mb"] << 20)
    print("memory", len(held) >> 20, flush=True)  # noqa: T201  as above
    time.sleep(600)
    yield from ()


def main(arguments: list[str]) -> None:
    """Run the probes, and print a line for each."""
    outside, *names = arguments
    for name in names:
        reached = "; ".join(PROBES[name](json.loads(outside)))
        print(name, reached, flush=True)  # noqa: T201  the checker reads it


if __name__ == "__main__":
    main(sys.argv[1:])
