"""Becomes a bot's program after setting what can only be set from inside the new process.

    python -I -S starter.py PARENT NICE PROGRAM [ARGUMENT …]

It is run, never imported by the arena, and uses the standard library alone. Calls between fork and exec inside the
server's own process would be unsafe, since the server has threads.

On Linux the program is killed when its parent ends, however that happens. Elsewhere a bot outlives a server that was
killed with SIGKILL, until it notices that the connection is gone.
"""

import contextlib
import os
import sys

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG in linux/prctl.h
_SIGKILL = 9
_CANNOT_START = 126  # as a shell says it


def _end_with_parent(parent: int) -> None:
    """Have the kernel end this process when the thread that started it ends."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 - of no use elsewhere

    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, _SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before we asked
        sys.exit(_CANNOT_START)


def main(arguments: list[str]) -> None:
    """Set up this process and turn it into the program."""
    parent, niceness, *command = arguments
    if sys.platform == "win32":
        raise SystemExit("this is not for Windows")
    _end_with_parent(int(parent))
    with contextlib.suppress(OSError):  # a bot at our own priority is better than none
        os.nice(int(niceness))
    try:
        os.execv(command[0], command)  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        sys.exit(_CANNOT_START)


if __name__ == "__main__":
    main(sys.argv[1:])
