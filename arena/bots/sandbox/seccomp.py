"""The system calls that no program in a box may make: as a filter for the kernel, and as a profile for containers.

The filter refuses what reaches deep into the kernel, or around the namespaces of the box, and what no bot needs. The
library libseccomp knows the numbers of the calls on each machine; it is loaded when it is needed. Each refused call
fails with EPERM, with two exceptions: `clone3`, whose flags a filter cannot see, fails with ENOSYS, so that the C
library uses `clone` instead; and calls that write files to the disk seem to succeed.
"""

import ctypes
import errno
import json
import os
from collections.abc import Iterator
from functools import cache
from typing import Final

from arena.errors import IsolationError

MISSING: Final = "the library libseccomp is missing (install the package libseccomp2)"

_REFUSED: Final = (
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup"),
    *("bpf", "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie", "quotactl", "quotactl_fd"),
    *("keyctl", "add_key", "request_key"),
    *("mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at"),
    *("unshare", "setns"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module"),
    *("reboot", "swapon", "swapoff", "acct", "syslog", "vhangup", "iopl", "ioperm", "modify_ldt"),
    *("settimeofday", "clock_settime", "clock_settime64", "clock_adjtime", "adjtimex", "stime"),
    *("sethostname", "setdomainname", "personality", "uselib", "ustat", "sysfs", "nfsservctl", "vm86", "vm86old"),
    *("mbind", "set_mempolicy", "migrate_pages", "move_pages"),
    *("inotify_init", "inotify_init1"),  # tell who opens the files of the system, on the host and in other boxes
)
_NOTHING_TO_DO: Final = ("sync", "syncfs", "fsync", "fdatasync", "sync_file_range", "sync_file_range2")
"""Calls that seem to succeed. All that a program in a box can write is in memory. But the host's disk would do
something for each call, also for files that can only be read, and the server's journal would wait behind a flood."""
_NOTIFY_COMMAND: Final = 1026
"""F_NOTIFY of `fcntl` in linux/fcntl.h, the older way to watch a folder."""
_LOW_BITS: Final = 0xFFFFFFFF
"""What the kernel reads of a command. A filter sees the bits above too."""
_MS_SYNC: Final = 4
_NEW_NAMESPACES: Final = (
    0x00020000,  # CLONE_NEWNS
    0x02000000,  # CLONE_NEWCGROUP
    0x04000000,  # CLONE_NEWUTS
    0x08000000,  # CLONE_NEWIPC
    0x10000000,  # CLONE_NEWUSER
    0x20000000,  # CLONE_NEWPID
    0x40000000,  # CLONE_NEWNET
)
"""Flags of `clone` in linux/sched.h. `clone` knows no flag for a new time namespace, only `unshare` and `clone3` do."""
_ALLOWED_FAMILIES: Final = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6 in sys/socket.h of Linux
"""Families that the network namespace of a box covers, and whose unread bytes count for the box. Others, such as
AF_VSOCK, reach past it, and unread messages of AF_NETLINK are memory that no control group bounds."""

_ALLOW: Final = 0x7FFF0000  # SCMP_ACT_… and SCMP_CMP_… in seccomp.h
_ERRNO: Final = 0x00050000
_EQUAL: Final = 4
_GREATER: Final = 6
_MASKED_EQUAL: Final = 7
_OPERATORS: Final = {_EQUAL: "SCMP_CMP_EQ", _GREATER: "SCMP_CMP_GT", _MASKED_EQUAL: "SCMP_CMP_MASKED_EQ"}
_UNKNOWN: Final = -1


class _Comparison(ctypes.Structure):
    """`struct scmp_arg_cmp` in seccomp.h."""

    _fields_ = (
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("datum_a", ctypes.c_uint64),
        ("datum_b", ctypes.c_uint64),
    )


@cache
def build_filter() -> bytes:
    """Return the filter as the kernel's program. Raises IsolationError if the library is missing or too old."""
    library = _load_library()
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ALLOW)))
    if context.value is None:
        raise IsolationError(["the library libseccomp cannot make a filter"])
    try:
        for call, error, comparisons in _list_rules():
            number = library.seccomp_syscall_resolve_name(call.encode())
            if number == _UNKNOWN:  # a call newer than the library, or of another machine
                continue
            array = (_Comparison * len(comparisons))(*comparisons)
            action = ctypes.c_uint32(_ERRNO | error)
            fault = library.seccomp_rule_add_array(context, action, number, ctypes.c_uint(len(comparisons)), array)
            if fault and -fault != errno.EDOM:  # EDOM: this machine has no such call
                raise IsolationError([f"the library libseccomp refuses a rule for {call}: {os.strerror(-fault)}"])
        return _export(library, context)
    finally:
        library.seccomp_release(context)


def describe_filter() -> str:
    """Return the same rules as JSON that podman and docker read.

    Source of the form: the runtime specification of the Open Container Initiative, "Linux Container Configuration",
    section "Seccomp".
    """
    rules = [
        {
            "names": [call],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": error,
            "args": [
                {"index": each.arg, "op": _OPERATORS[each.op], "value": each.datum_a, "valueTwo": each.datum_b}
                for each in comparisons
            ],
        }
        for call, error, comparisons in _list_rules()
    ]
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules})


def _list_rules() -> Iterator[tuple[str, int, list[_Comparison]]]:
    """Yield each filtered call with its error, or 0 if it seems to succeed, and what its arguments have to be."""
    for call in _REFUSED:
        yield call, errno.EPERM, []
    yield "clone3", errno.ENOSYS, []
    for call in _NOTHING_TO_DO:
        yield call, 0, []
    yield "msync", 0, [_Comparison(2, _MASKED_EQUAL, _MS_SYNC, _MS_SYNC)]
    for call in ("fcntl", "fcntl64"):
        yield call, errno.EPERM, [_Comparison(1, _MASKED_EQUAL, _LOW_BITS, _NOTIFY_COMMAND)]
    for flag in _NEW_NAMESPACES:
        yield "clone", errno.EPERM, [_Comparison(0, _MASKED_EQUAL, flag, flag)]
    for family in range(max(_ALLOWED_FAMILIES)):
        if family not in _ALLOWED_FAMILIES:
            yield "socket", errno.EPERM, [_Comparison(0, _EQUAL, family, 0)]
    yield "socket", errno.EPERM, [_Comparison(0, _GREATER, max(_ALLOWED_FAMILIES), 0)]


def _load_library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError as error:
        raise IsolationError([MISSING]) from error
    library.seccomp_init.restype = ctypes.c_void_p
    return library


def _export(library: ctypes.CDLL, context: ctypes.c_void_p) -> bytes:
    """Return the program of a filter."""
    file = os.memfd_create("filter")
    try:
        if fault := library.seccomp_export_bpf(context, file):
            raise IsolationError([f"the library libseccomp cannot write its filter: {os.strerror(-fault)}"])
        size = os.lseek(file, 0, os.SEEK_CUR)
        return os.pread(file, size, 0)
    finally:
        os.close(file)
