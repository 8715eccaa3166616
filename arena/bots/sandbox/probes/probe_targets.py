"""What the probes look for outside their boxes: this process, and things that it makes on this host."""

import contextlib
import ctypes
import os
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from arena.bots.launch.box_limits import BoxLimits

_HOST_FILES: Final = (
    *("/etc/passwd", "/etc/shadow", "/etc/hostname", "/etc/machine-id"),
    *("/root/.ssh", "/var/log", "/sys"),
)
_IPC_CREATE: Final = 0o1600
_IPC_REMOVE: Final = 0


@contextlib.contextmanager
def prepare_targets(folder: Path, limits: BoxLimits) -> Iterator[Mapping[str, Any]]:
    """Make a file, a port, an abstract socket, shared memory and a variable, and yield what tells the probes of them.

    They learn the limits of their boxes too.
    """
    name = f"ARENA_CHECK_{secrets.token_hex(8)}"
    file, shared, key = folder / name, Path("/dev/shm", name), secrets.randbits(30)  # noqa: S108  of this host
    libc = ctypes.CDLL(None)
    file.write_text("secret", encoding="ascii")
    with contextlib.suppress(OSError):  # a host without /dev/shm shares nothing there
        shared.write_text("secret", encoding="ascii")
    memory = libc.shmget(key, 1, _IPC_CREATE)
    os.environ[name] = "secret"
    try:
        with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as abstract:
            abstract.bind(f"\0{name}")
            abstract.listen()
            yield {
                "pid": os.getpid(),
                "file": str(file),
                "host_files": dict(_identify_files()),
                "port": port.getsockname()[1],
                "abstract": name,
                "shared": name,
                "key": key,
                "variable": name,
                "limits": {
                    **{limit: getattr(limits, limit) for limit in ("memory_mb", "processes", "scratch_mb")},
                    "NOFILE": limits.open_files,
                    "FSIZE": limits.file_mb << 20,
                    "CORE": 1,
                },
            }
    finally:
        del os.environ[name]
        libc.shmctl(memory, _IPC_REMOVE, None)
        shared.unlink(missing_ok=True)


def _identify_files() -> Iterator[tuple[str, Sequence[int]]]:
    """Yield files and folders that a box must not show, each with its device and inode numbers."""
    for path in _HOST_FILES:
        with contextlib.suppress(OSError):
            status = Path(path).stat()
            yield path, (status.st_dev, status.st_ino)
