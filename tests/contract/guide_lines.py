"""Runs the lines with which the guide generates code, as it prints them: the work of `make guide-lines`.

    python -m tests.contract.guide_lines [LANGUAGE...]

The lines of each language run in a scratch folder that has only `proto`. A language whose programs are not installed is
named and left out. The exit code is 1 if a line fails, or if the file that the guide promises is not written.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.contract.guide import ROOT, LanguageLines, list_language_lines

JAVASCRIPT_PROOF = Path(__file__).with_name("javascript_proof.cjs")
RUST_SAMPLE = ROOT / "sample_bots" / "rust"
MAX_OUTPUT_LINES = 30
"""How many lines of a failed command are printed."""


def main(names: list[str]) -> int:
    """Run the lines of the named languages, by default of all; return the exit code."""
    chosen = [lines for lines in list_language_lines() if not names or lines.language in names]
    with ThreadPoolExecutor(2) as pool:
        outcomes = pool.map(try_language, chosen)
        failed = False
        for lines, outcome in zip(chosen, outcomes, strict=True):
            print(f"guide: {lines.language}: {outcome}", flush=True)
            failed |= outcome.startswith("FAILED")
    return int(failed)


def try_language(lines: LanguageLines) -> str:
    """Run the lines of one language, and return how it went."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    missing = [program for program in lines.needs if shutil.which(program, path=path) is None]
    if missing:
        return f"skipped, because {' and '.join(missing)} is not installed"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "proto", folder / "proto")
        if lines.language == "Rust":
            _share_rust_builds(folder)
        ended = subprocess.run(
            ["sh", "-ec", lines.script],
            cwd=folder,
            env=os.environ | {"PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if ended.returncode:
            return "\n".join(("FAILED:", *ended.stdout.splitlines()[-MAX_OUTPUT_LINES:]))
        if not (folder / lines.written).is_file():
            return f"FAILED: {lines.written} is not written"
        return _run_proof(folder) if lines.language == "JavaScript" else "generated"


def _run_proof(folder: Path) -> str:
    """Check what the guide says about messages that no generated code reads, and return how it went."""
    shutil.copy(JAVASCRIPT_PROOF, folder)
    proof = subprocess.run(["node", JAVASCRIPT_PROOF.name], cwd=folder, capture_output=True, text=True, check=False)
    return f"FAILED: {proof.stderr}" if proof.returncode else "loaded"


def _share_rust_builds(folder: Path) -> None:
    """Take compiled crates from the sample's folder, because compiling them takes a minute."""
    (RUST_SAMPLE / "target").mkdir(exist_ok=True)
    (folder / "target").symlink_to(RUST_SAMPLE / "target")
    if (RUST_SAMPLE / "Cargo.lock").exists():
        shutil.copy(RUST_SAMPLE / "Cargo.lock", folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
