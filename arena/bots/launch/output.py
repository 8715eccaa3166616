"""Captures a bot's output: up to a cap in one file, and the last lines in memory. Printed lines are made safe.

A bot that writes more than the cap is throttled; other bots are not affected. The file is always a new one in the
arena's own folder. A file or link that a bot has put there is never opened.
"""

import os
import re
import threading
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.errors import EnvironmentFaultError
from arena.plurals import format_subject

DEFAULT_CAP_BYTES: Final = 10 * 1024 * 1024
"""Default limit of a process's output file."""

TAIL_BYTES: Final = 64 * 1024
"""How many bytes from the end of the output are added to the file if the output exceeds the cap."""

_CHUNK_BYTES: Final = 64 * 1024
_THROTTLE_PAUSE_S: Final = 0.001
"""Pause after each chunk beyond the cap. It limits discarded output to 64 MB a second."""

_MAX_LINE_LENGTH: Final = 4096
_MAX_ECHOED_LINES: Final = 200
"""The most lines echoed from one chunk, so that a bot that writes only line ends costs little."""

_MAX_FILES: Final = 10_000
_ERROR_MARKER: Final = " ERROR "
_ESCAPES: Final = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles, links, the clipboard
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor
    r"|\x1b[ -/]*[0-~]?"
)


def sanitize_for_terminal(text: str) -> str:
    """Return a line without the characters on which a terminal acts: escapes, control and format characters."""
    visible = _ESCAPES.sub("", text).replace("\t", " ")
    return "".join(letter for letter in visible if letter.isprintable())


def read_last_error(path: Path) -> str:
    """Return the last line that the SDK logged as an error in an output file, sanitized; empty if there is none."""
    return next(iter(read_errors(path, TAIL_BYTES)[::-1]), "")


def read_errors(path: Path, size: int = DEFAULT_CAP_BYTES + TAIL_BYTES) -> list[str]:
    """Return the lines that the SDK logged as errors in the last `size` bytes of an output file, sanitized.

    Return none if the file cannot be read.
    """
    try:
        lines = read_end(path, size).splitlines()
    except OSError:
        return []
    return [sanitize_for_terminal(line[:_MAX_LINE_LENGTH]) for line in lines if _ERROR_MARKER in line]


def read_end(path: Path, size: int) -> str:
    """Return the last `size` bytes of an output file as text. Raises OSError."""
    flags = (
        os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    )  # a bot may have replaced the file with a link or a pipe
    with open(os.open(path, flags), "rb") as file:  # noqa: PTH123  a path has no such flags
        file.seek(max(0, file.seek(0, os.SEEK_END) - size))
        return file.read(size).decode("utf-8", "replace")


class OutputCapture:
    """Captures one process's output from a pipe, in its own thread.

    The capture closes `pipe`. The thread calls `echo` with each sanitized line, prefixed by the name, until the cap is
    reached.
    """

    def __init__(
        self,
        pipe: int,
        name: str,
        folder: Path,
        cap_bytes: int = DEFAULT_CAP_BYTES,
        echo: Callable[[str], None] | None = None,
    ) -> None:
        self.path, self._file = _create_file(folder, name)
        self.byte_count = 0
        """Bytes that the process has written."""
        self.dropped_byte_count = 0
        """Bytes beyond the cap that are not in the file."""
        self._name = name
        self._room = cap_bytes
        self._echo = echo
        self._tail = b""
        self._line = b""
        self._lock = threading.Lock()
        self._is_open = True
        self._thread = threading.Thread(target=self._pump, args=(pipe,), name=f"output of {name}", daemon=True)
        self._thread.start()

    def tail(self, line_count: int) -> list[str]:
        """Return the last lines, oldest first, sanitized and cut to 4 096 characters each."""
        with self._lock:
            text = self._tail.decode("utf-8", "replace")
        lines = text.splitlines()[-line_count:] if line_count > 0 else []
        return [sanitize_for_terminal(line[:_MAX_LINE_LENGTH]) for line in lines]

    def drain(self, time_s: float) -> None:
        """Wait until everything that the process wrote is read, at most `time_s` seconds."""
        self._thread.join(time_s)

    def finish(self, time_s: float) -> None:
        """Wait for the rest of the output, append the last part of dropped output if there is any, and close the file.

        Waits at most `time_s` seconds, because a process that left its group may keep the pipe open. A second call has
        no effect.
        """
        self.drain(time_s)
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
            if self.dropped_byte_count:
                end = self._tail[-self.dropped_byte_count :]
                left_out = self.dropped_byte_count - len(end)
                self._write(f"\n[{format_subject(left_out, 'byte')} left out here]\n".encode() + end)
            os.close(self._file)

    def _pump(self, pipe: int) -> None:
        """Read until the other end of the pipe is closed."""
        try:
            while chunk := os.read(pipe, _CHUNK_BYTES):
                with self._lock:
                    is_full = self._store_chunk(chunk)
                if is_full:
                    time.sleep(_THROTTLE_PAUSE_S)
                elif self._echo is not None:
                    self._echo_lines(chunk, self._echo)
            if self._line and self._echo is not None:
                self._echo_lines(b"\n", self._echo)
        finally:
            os.close(pipe)

    def _store_chunk(self, chunk: bytes) -> bool:
        """Write the part that fits below the cap, and remember the last bytes. Return whether the cap is reached."""
        self.byte_count += len(chunk)
        self._tail = (self._tail + chunk)[-TAIL_BYTES:]
        if not self._is_open:
            return True
        fitting = chunk[: self._room]
        self._room -= len(fitting)
        self.dropped_byte_count += len(chunk) - len(fitting)
        self._write(fitting)
        return self._room == 0

    def _echo_lines(self, chunk: bytes, echo: Callable[[str], None]) -> None:
        *lines, rest = (self._line + chunk).split(b"\n")
        self._line = rest[:_MAX_LINE_LENGTH]
        try:
            for line in lines[:_MAX_ECHOED_LINES]:
                echo(f"{self._name}: {sanitize_for_terminal(line[:_MAX_LINE_LENGTH].decode('utf-8', 'replace'))}")
            if len(lines) > _MAX_ECHOED_LINES:
                echo(f"{self._name}: [{format_subject(len(lines) - _MAX_ECHOED_LINES, 'more line')} in {self.path}]")
        except (OSError, ValueError):  # the terminal is closed, which is not the bot's fault
            self._echo = None

    def _write(self, data: bytes) -> None:
        """Write to the file. Bytes refused by a full disk count as dropped."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            self.dropped_byte_count += len(rest)


def output_stem(name: str) -> str:
    """Return how the names of the output files of a bot begin."""
    return re.sub("\0+", "_", "".join(each if _is_plain(each) else "\0" for each in name)).strip(".") or "bot"


def _create_file(folder: Path, name: str) -> tuple[Path, int]:
    """Create a new file in a folder; the folder must not be a link. Return the file's path and descriptor.

    Raises EnvironmentFaultError.
    """
    stem = output_stem(name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        place = _open_folder(folder)
        try:
            for number in range(1, _MAX_FILES):
                file_name = f"{stem}.log" if number == 1 else f"{stem}.{number}.log"
                try:
                    if place is None:
                        return folder / file_name, os.open(folder / file_name, flags, 0o600)
                    return folder / file_name, os.open(file_name, flags, 0o600, dir_fd=place)
                except FileExistsError:  # from an earlier run, or planted: never opened
                    continue
        finally:
            if place is not None:
                os.close(place)
    except OSError as error:
        raise EnvironmentFaultError(f"output of {name} cannot be written to {folder}: {error.strerror}") from error
    raise EnvironmentFaultError(
        f"output of {name} cannot be written to {folder}: it has {_MAX_FILES} files of that name"
    )


def _is_plain(character: str) -> bool:
    """Return whether a character of a name stays in a file's name: letters, their marks and digits of any script.

    They must be in the encoding of file names, which the locale decides.
    """
    try:
        os.fsencode(character)
    except UnicodeEncodeError:
        return False
    return character.isalnum() or character in ".+-" or unicodedata.category(character).startswith("M")


def _open_folder(folder: Path) -> int | None:
    """Open a folder, so that nobody can swap it for another. Return None if the system has no `dir_fd`."""
    if os.open not in os.supports_dir_fd:
        return None
    return os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0))
