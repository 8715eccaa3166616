"""The script that starts a bot: it sets what only the new process can set for itself, then execs the bot's program.

    python -I -S starter.py PARENT NICE [STEP …] -- PROGRAM [ARGUMENT …]

    --group FILE           joins a cgroup: writes its process id to the file
    --mount SOURCE PLACE   shows a file or folder at PLACE, below /run, to itself and what it starts
    --user NUMBER          becomes this user and group, without other groups
    --limit NAME VALUE     sets the soft and the hard RLIMIT_NAME
    --gate DESCRIPTOR      lets the kernel ask before each `connect`, and sends whom it asks through this Unix socket

This script is run, never imported, and uses only the standard library. Running code between fork and exec in the
server's own process would be unsafe, because the server has threads.

On Linux the kernel kills the program when its parent ends, for any reason. Elsewhere a bot outlives a server killed
with SIGKILL until it notices that the connection is gone.
"""

import contextlib
import os
import stat
import sys

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG in linux/prctl.h
_NEW_MOUNTS = 0x00020000  # CLONE_NEWNS in linux/sched.h
_NO_SETUID, _NO_DEVICES, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 4096, 16384, 1 << 18  # MS_… in linux/mount.h
_SIGKILL = 9
_OOM_SCORE = "500"  # from -1000 to 1000: half of the memory counts as used, beside what the program uses
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000  # SCMP_ACT_… in seccomp.h
_CANNOT_START = 126  # a shell's exit code for a program that cannot be run
_PLACES = "/run"


def _end_with_parent(parent: int) -> None:
    """Make the kernel end this process when the thread that started it ends."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415  only needed on Linux

    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, _SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # the parent ended before prctl took effect
        sys.exit(_CANNOT_START)


def _prefer_for_oom_killer() -> None:
    """Let the kernel end this process before the server when the machine runs out of memory. Only on Linux."""
    with (
        contextlib.suppress(OSError),
        open("/proc/self/oom_score_adj", "w", encoding="ascii") as score,  # noqa: PTH123  pathlib takes 10 ms to import
    ):
        score.write(_OOM_SCORE)


def _join_group(file: str) -> None:
    """Join a cgroup with this process."""
    with open(file, "w", encoding="ascii") as members:  # noqa: PTH123  pathlib takes 10 ms to import
        members.write(str(os.getpid()))


def _show_mounts(mounts: list[tuple[str, str]]) -> None:
    """Put an empty folder over /run, for this process only, and show files and folders in it.

    Their owners' folders stay closed: nobody needs the right to pass through them. A source may itself be below /run,
    so all are opened before.
    """
    import ctypes  # noqa: PLC0415  only needed for boxes

    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source: bytes, place: str, kind: bytes, flags: int, options: bytes) -> None:
        if libc.mount(source, place.encode(), kind, flags, options):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), place)

    if libc.unshare(_NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), f"no mount namespace: {os.strerror(ctypes.get_errno())}")
    mount(b"none", "/", b"", _RECURSIVE | _PRIVATE, b"")
    opened = [(os.open(source, os.O_PATH | os.O_CLOEXEC), place) for source, place in mounts]
    mount(b"tmpfs", _PLACES, b"tmpfs", _NO_SETUID | _NO_DEVICES, b"size=64k,mode=755")
    for source, place in opened:
        if stat.S_ISDIR(os.fstat(source).st_mode):
            os.mkdir(place)  # noqa: PTH102  as above
        else:
            os.close(os.open(place, os.O_CREAT | os.O_WRONLY))
        mount(b"/proc/self/fd/%d" % source, place, b"", _BIND | _RECURSIVE, b"")


def _become_user(user: int) -> None:
    """Give up all rights of root. The program may still open its output by a path such as /dev/stderr."""
    for output in (1, 2):
        os.fchown(output, user, user)
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def _gate_connections(gate: int) -> None:
    """Filter `connect`, for this process and what it starts, and send the filter's listener through a socket."""
    import ctypes  # noqa: PLC0415  only needed for boxes
    import socket  # noqa: PLC0415  as above

    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ALLOW)))
    number = library.seccomp_syscall_resolve_name(b"connect")
    faults = (library.seccomp_rule_add(context, ctypes.c_uint32(_NOTIFY), number, 0), library.seccomp_load(context))
    if any(faults):
        raise OSError(-min(faults), f"no filter for connections: {os.strerror(-min(faults))}")
    listener = library.seccomp_notify_fd(context)
    with socket.socket(fileno=gate) as sending:
        socket.send_fds(sending, [b"1"], [listener])
    os.close(listener)


def _set_limit(name: str, value: int) -> None:
    """Set a resource limit, unless a lower one is in force."""
    import resource  # noqa: PLC0415  only needed for boxes

    kind = getattr(resource, f"RLIMIT_{name}")
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _take_steps(parent: int, steps: list[str]) -> None:
    """Take the steps of the command line. The user comes last: only root can mount, and Python may be root's alone."""
    mounts: list[tuple[str, str]] = []
    user: int | None = None
    limits: list[tuple[str, int]] = []
    gate: int | None = None
    while steps:
        match steps:
            case ["--group", file, *steps]:
                _join_group(file)
            case ["--mount", source, place, *steps]:
                mounts.append((source, place))
            case ["--user", number, *steps]:
                user = int(number)
            case ["--limit", name, value, *steps]:
                limits.append((name, int(value)))
            case ["--gate", descriptor, *steps]:
                gate = int(descriptor)
            case _:
                raise ValueError(f"unknown step {steps[0]}")
    for name, limit in limits:
        _set_limit(name, limit)
    if mounts:
        _show_mounts(mounts)
    if gate is not None:
        _gate_connections(gate)
    if user is not None:
        _become_user(user)
        _end_with_parent(parent)  # the kernel forgot the signal with the change of the user


def main(arguments: list[str]) -> None:
    """Set the parent-death signal and the priorities, take the steps, then replace this script with the program."""
    parent, niceness, *rest = arguments
    command = rest[rest.index("--") + 1 :]
    if sys.platform == "win32":
        raise SystemExit("this script does not run on Windows")
    _end_with_parent(int(parent))
    with contextlib.suppress(OSError):  # a bot at normal priority is better than none
        os.nice(int(niceness))
    _prefer_for_oom_killer()
    try:
        _take_steps(int(parent), rest[: rest.index("--")])
        os.execv(command[0], command)  # noqa: S606 - no shell is wanted
    except OSError as error:
        place = f"{error.filename}: " if error.filename and error.filename != command[0] else ""
        sys.stderr.write(f"cannot start {command[0]}: {place}{error.strerror}\n")
        sys.exit(_CANNOT_START)


if __name__ == "__main__":
    main(sys.argv[1:])
