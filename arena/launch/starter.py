"""The script that starts a bot: it sets what only the new process can set for itself, then execs the bot's program.

    python -I -S starter.py PARENT NICE PROGRAM [ARGUMENT …]

This script is run, never imported, and uses only the standard library. Running code between fork and exec in the
server's own process would be unsafe, because the server has threads.

On Linux the kernel kills the program when its parent ends, for any reason. Elsewhere a bot outlives a server killed
with SIGKILL until it notices that the connection is gone.
"""

import contextlib
import os
import sys

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG in linux/prctl.h
_SIGKILL = 9
_CANNOT_START = 126  # a shell's exit code for a program that cannot be run


def _end_with_parent(parent: int) -> None:
    """Make the kernel end this process when the thread that started it ends."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415  only needed on Linux

    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, _SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # the parent ended before prctl took effect
        sys.exit(_CANNOT_START)


def main(arguments: list[str]) -> None:
    """Set the parent-death signal and the priority, then replace this script with the program."""
    parent, niceness, *command = arguments
    if sys.platform == "win32":
        raise SystemExit("this script does not run on Windows")
    _end_with_parent(int(parent))
    with contextlib.suppress(OSError):  # a bot at normal priority is better than none
        os.nice(int(niceness))
    try:
        os.execv(command[0], command)  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        sys.exit(_CANNOT_START)


if __name__ == "__main__":
    main(sys.argv[1:])
