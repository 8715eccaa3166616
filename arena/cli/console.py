"""Writes results to stdout and everything else to stderr.

Messages may quote text from a bot's author, so control characters are removed from them. Letters that the encoding of a
stream does not have are replaced, because no exit code may depend on a terminal.
"""

import codecs
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper, UnsupportedOperation
from typing import Any, Final, TextIO

from arena.bots.launch.output import sanitize_for_terminal


class _NamedStdout(TextIOWrapper):
    """A stdout whose failed writes raise OSError with the file name "stdout"."""

    def write(self, text: str, /) -> int:
        with self._name_errors():
            return super().write(text)

    def flush(self) -> None:
        with self._name_errors():
            super().flush()

    @contextmanager
    def _name_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = "stdout"
            raise


_REPLACING: Final = "arena.replacing"
"""Name of the error handler that stdout and stderr have."""
_SIGNS: Final = {
    "±": "+-",
    "\N{EN DASH}": "-",
    "\N{MINUS SIGN}": "-",
    "─": "-",
    "·": ".",
    "…": "~",
    "●": "*",
} | dict.fromkeys("├┼┤", "|")
"""What the arena's own signs become in an encoding that lacks them. Any other letter becomes a question mark."""


def _replace_letters(error: UnicodeError) -> tuple[str, int]:
    """Return a substitute for letters that an encoding lacks, and where they end."""
    assert isinstance(error, UnicodeEncodeError), "stdout and stderr are only written"
    return "".join(_SIGNS.get(letter, "?") for letter in error.object[error.start : error.end]), error.end


def prepare_streams() -> None:
    """Keep the encodings of `sys.stdout` and `sys.stderr` from failing a write.

    `sys.stdout` is replaced, so that the OSError of a failed write to it has "stdout" as its file name.
    """
    codecs.register_error(_REPLACING, _replace_letters)
    if isinstance(sys.stderr, TextIOWrapper):
        sys.stderr.reconfigure(errors=_REPLACING)
    old = sys.stdout
    if isinstance(old, TextIOWrapper):
        sys.stdout = _NamedStdout(
            encoding=old.encoding,
            errors=_REPLACING,
            line_buffering=old.line_buffering,
            write_through=old.write_through,
            buffer=old.detach(),  # the last argument, because it makes `old` unusable
        )
        vars(sys)["__stdout__"] = sys.stdout  # libraries ask this stream for the width of the terminal


def discard_stdout() -> None:
    """Redirect stdout to the null device, where the remaining results are discarded."""
    _redirect_to_devnull(sys.stdout)


def _redirect_to_devnull(stream: TextIO) -> None:
    with suppress(UnsupportedOperation):  # a stream in memory has no descriptor to redirect
        number = stream.fileno()
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, number)
        os.close(devnull)


@contextmanager
def discard_unread() -> Iterator[None]:
    """Let the body print. If the reader closes the pipe, the rest is discarded, and the exit code does not change."""
    try:
        yield
    except BrokenPipeError:
        discard_stdout()


@contextmanager
def keep_verdict() -> Iterator[None]:
    """Let the body print a verdict. If stdout is closed or full, the command's exit code does not change."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        discard_stdout()
        if not isinstance(error, BrokenPipeError):
            print_status(f"the answer cannot be written to stdout: {error.strerror}")


def settle_streams() -> None:
    """Flush all output, and discard what cannot be written. Otherwise Python would exit with 120 at the end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _redirect_to_devnull(stream)


def print_status(line: str) -> None:
    """Print a message that is not a result to stderr, without control characters.

    Any thread may call this function, because each message is a single write.
    """
    try:
        sys.stderr.write("\n".join(map(sanitize_for_terminal, line.split("\n"))) + "\n")
        sys.stderr.flush()
    except BrokenPipeError:  # the reader has closed the pipe
        _redirect_to_devnull(sys.stderr)
    except OSError:  # the disk is full, but it may have room for the next message
        pass


def discard_status(line: str) -> None:
    """Do nothing. Quiet runs use this function instead of `print_status`."""


def print_json(value: Any) -> None:
    """Print one JSON document to stdout: indented on a terminal, on one line otherwise.

    Programs read it, so letters are escaped instead of replaced if the encoding is not UTF-8.
    """
    indent = 2 if sys.stdout.isatty() else None
    has_all_letters = (sys.stdout.encoding or "utf-8").lower().startswith("utf")  # a stream in memory has no encoding
    with discard_unread():
        print(json.dumps(value, indent=indent, ensure_ascii=not has_all_letters), flush=True)
