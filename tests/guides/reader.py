"""Somebody who types the blocks of a guide, in order, on a machine whose outside is a stand-in."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Container, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self

ROOT: Final = Path(__file__).parents[2]
_BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SETTINGS: Final = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TIMEOUT_S: Final = 240
_STAND_INS: Final[Mapping[str, str]] = {
    "sudo": 'while [ "${1#-}" != "$1" ]; do [ "$1" = -u ] && shift; shift; done; exec "$@"',
    "systemd-run": 'while [ "${1#-}" != "$1" ]; do shift; done; exec "$@"',
}
"""Programs of the outside that run the rest of their words."""
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Reader:
    """Types the blocks of a guide, beginning in the folder `home`. A block that is left at the end is an error.

    Folder and exported variables last from one block to the next, as in a terminal. On exit, what still runs is ended.
    """

    def __init__(self, guide: str, home: Path, places: Mapping[str, str] = NOTHING, absent: str = "") -> None:
        """`places` are texts of the guide, such as paths and addresses, and what stands for them on this machine.

        `absent` names programs of the outside, which only note their calls.
        """
        self.home = home
        text = (ROOT / guide).read_text(encoding="utf-8")
        self._left = [found[1] for found in _BLOCK.finditer(text)]
        self._settings = [found[1] for found in _SETTINGS.finditer(text)]
        self._places = places
        self._running: list[subprocess.Popen[bytes]] = []
        self._calls = home.parent / "calls"
        self._terminal = home.parent / "terminal"
        """The variables after the last block, as `export -p` prints them."""
        programs = home.parent / "bin"
        programs.mkdir(exist_ok=True)
        for name in (*_STAND_INS, *absent.split()):
            line = f'echo "{name} $*" >> {shlex.quote(str(self._calls))}\n{_STAND_INS.get(name, "")}'
            (programs / name).write_text(f"#!/bin/sh\n{line}\n")
            (programs / name).chmod(0o755)
        path = os.pathsep.join((str(programs), str(Path(sys.executable).parent), os.environ["PATH"]))
        self.environment = {**os.environ, "HOME": str(home), "PATH": path}

    @property
    def calls(self) -> list[str]:
        """How the programs of the outside were called."""
        return self._calls.read_text().splitlines() if self._calls.exists() else []

    def enter(self, *, codes: Container[int] = (0,), **values: object) -> str:
        """Type the next block, with these values in place of its words in capitals, and return what it printed.

        It must end with one of these exit codes.
        """
        return self.run(self._next(values), codes)

    def enter_first_line(self) -> str:
        """Type the first line of the next block, of which the others stay, and return what it printed."""
        first, _, self._left[0] = self._left[0].partition("\n")
        return self.run(self._put_in_place(first))

    def run(self, script: str, codes: Container[int] = (0,)) -> str:
        """Run what the guide tells in words, and return what it printed."""
        kept = f"export -p > {shlex.quote(str(self._terminal))}"
        done = subprocess.run(
            [*self._shell(), f"{script}\n{kept}"], cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_TIMEOUT_S, check=False,
        )  # fmt: skip
        assert done.returncode in codes, f"{script}\n{done.stdout}"
        return done.stdout

    def ask(self, command: str) -> Any:
        """Run a command with --json, and return what it printed."""
        command = f"{command} --json 2>/dev/null"
        return json.loads(self.run(command))

    def start(self, awaited: str, **values: object) -> str:
        """Type the next block, which goes on beside the others, and return its line with `awaited`."""
        return self.run_beside(self._next(values), awaited)

    def start_unit(self, unit: Path, awaited: str) -> str:
        """Start what a unit of systemd starts, and return its line with `awaited`."""
        [command] = re.findall(r"^ExecStart=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
        return self.run_beside(self._put_in_place(command), awaited)

    def run_beside(self, script: str, awaited: str) -> str:
        """Run what goes on beside the others, and return its line with `awaited`."""
        log = self.home.parent / f"log-{len(self._running)}"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*self._shell(), script], cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        self._running.append(process)
        until = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < until:
            lines = log.read_text(encoding="utf-8").splitlines()
            if line := next((line for line in lines if awaited in line), None):
                return line
            assert process.poll() is None, f"{script}\n{lines}"
            time.sleep(0.1)
        raise AssertionError(f"no {awaited!r} after\n{script}\n{lines}")

    def write(self, path: Path, changes: Mapping[str, str] = NOTHING, *, words: str = "") -> None:
        """Write the guide's first block of settings that has these words to a file, with other texts for some."""
        text = self._put_in_place(next(text for text in self._settings if words in text))
        for old, new in changes.items():
            assert old in text, f"no {old} in {text}"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")

    def leave(self, first: str, why: str) -> None:
        """Pass over the next block, which begins with these words, for a reason."""
        assert why
        script = self._next({})
        assert script.startswith(first), script

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self._running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._running:
            process.wait(30)
        assert error is not None or self._left == [], f"blocks that nobody typed: {self._left}"

    def _shell(self) -> list[str]:
        """Return a shell in the terminal of the last block; its script follows."""
        restored = '[ ! -e "$0" ] || . "$0"; cd "$PWD"; eval "$1"'
        return ["bash", "-euc", restored, str(self._terminal)]

    def _next(self, values: Mapping[str, object]) -> str:
        assert self._left, "the guide has no further block"
        script = self._put_in_place(self._left.pop(0))
        for word, value in values.items():
            assert re.search(rf"\b{word}\b", script), f"no {word} in {script}"
            script = re.sub(rf"\b{word}\b", str(value), script)
        return script

    def _put_in_place(self, text: str) -> str:
        for words, place in self._places.items():
            text = text.replace(words, place)
        return text
