"""Builds the sample bots in other languages and runs their own tests: the work of `make bots`.

    python -m tests.sample_bots.other_languages [LANGUAGE...]

A language is a folder of `sample_bots` with a `bot.toml`; `sample_bots/languages.toml` says what it needs. A language
whose programs are not installed is named and left out. The exit code is 1 if a build or a test fails.
"""

import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from arena.bots.launch.manifest import MANIFEST_NAME, read_manifest
from arena.bots.launch.programs import resolve_command

if sys.platform != "win32":
    import fcntl

FOLDER = Path(__file__).parents[2] / "sample_bots"


@dataclass(frozen=True)
class Language:
    """A sample bot in another language."""

    folder: Path
    needs: tuple[str, ...]
    """The programs that have to be installed."""
    test: tuple[str, ...]
    """The command that runs the bot's own tests, after the build."""

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.name

    @property
    def missing(self) -> list[str]:
        """The programs that are not installed."""
        return [program for program in self.needs if shutil.which(program) is None]

    @property
    def command(self) -> tuple[str, ...]:
        """The command that starts the bot, in its folder. Raises BotStartError before the build."""
        return resolve_command(read_manifest(self.folder / MANIFEST_NAME).command, self.folder)

    @property
    def is_built(self) -> bool:
        """Whether the program that the bot's command starts is there, with the files that it names."""
        program, *words = read_manifest(self.folder / MANIFEST_NAME).command
        files = [word for word in (program, *words) if "/" in word]
        return all((self.folder / file).is_file() for file in files)

    def build(self) -> None:
        """Run the bot's build command. One process at a time builds a bot, because tests run in parallel.

        Raises CalledProcessError if the command fails.
        """
        path = self.folder / MANIFEST_NAME
        with path.open() as file:
            if sys.platform != "win32":
                fcntl.flock(file, fcntl.LOCK_EX)
            subprocess.run(read_manifest(path).build, cwd=self.folder, check=True)

    def run_tests(self) -> None:
        """Run the bot's own tests. Raises CalledProcessError if they fail."""
        subprocess.run(self.test, cwd=self.folder, check=True)


def list_languages() -> list[Language]:
    """Return the sample bots in other languages, by name."""
    listed = tomllib.loads((FOLDER / "languages.toml").read_text(encoding="utf-8"))
    folders = sorted(path.parent for path in FOLDER.glob(f"*/{MANIFEST_NAME}"))
    entries = [(folder, listed[folder.name]) for folder in folders]
    return [Language(folder, tuple(entry["needs"]), tuple(shlex.split(entry["test"]))) for folder, entry in entries]


def main(names: list[str]) -> int:
    """Build and test the named languages, by default all; return the exit code."""
    outcomes = {}
    for language in list_languages():
        if names and language.name not in names:
            continue
        if language.missing:
            outcomes[language.name] = f"skipped, because {' and '.join(language.missing)} is not installed"
            continue
        try:
            language.build()
            language.run_tests()
        except (OSError, subprocess.CalledProcessError) as error:
            outcomes[language.name] = f"FAILED: {error}"
        else:
            outcomes[language.name] = "built and tested"
    for name, outcome in outcomes.items():
        print(f"bots: {name}: {outcome}", flush=True)
    return int(any(outcome.startswith("FAILED") for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
