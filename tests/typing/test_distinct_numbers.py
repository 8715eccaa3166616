"""The type checker tells the whole numbers of a match apart: none passes for another one, nor a bare int for any."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """\
from arena.match.feed.codec import Codec
from arena.match.referee.inputs import Reject
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId, StreamSequence
from arena.match.game import Seat

def use(
    codec: Codec, instant: Instant, entrant: EntrantIndex, prompt: PromptId, sequence: StreamSequence,
    seat: Seat, pause_us: int, now_s: float,
) -> None:
    Reject(at=instant, now=instant, entrant=entrant, prompt_id=prompt, action_id=1, reason="malformed")
    Reject(at=Instant(instant + pause_us), now=instant, entrant=entrant, prompt_id=prompt, action_id=1, reason="")
    codec.encode_header(1, entrant)
    codec.encode_withdrawal(prompt)
    codec.encode_message(b"", sequence, b"")

    Reject(at=pause_us, now=instant, entrant=entrant, prompt_id=prompt, action_id=1, reason="")  # "at"
    Reject(at=now_s, now=instant, entrant=entrant, prompt_id=prompt, action_id=1, reason="")  # "at"
    Reject(at=instant + pause_us, now=instant, entrant=entrant, prompt_id=prompt, action_id=1, reason="")  # "at"
    Reject(at=instant, now=sequence, entrant=entrant, prompt_id=prompt, action_id=1, reason="")  # "now"
    Reject(at=instant, now=instant, entrant=seat, prompt_id=prompt, action_id=1, reason="")  # "entrant"
    Reject(at=instant, now=instant, entrant=entrant, prompt_id=sequence, action_id=1, reason="")  # "prompt_id"
    codec.encode_header(1, seat)  # "encode_header"
    codec.encode_header(1, 0)  # "encode_header"
    codec.encode_withdrawal(sequence)  # "encode_withdrawal"
    codec.encode_message(b"", prompt, b"")  # "encode_message"
"""
"""Correct uses, then swapped numbers. A swapped line ends with the word that its error names."""


@pytest.mark.slow
def test_swapped_numbers_do_not_type_check(tmp_path: Path):
    """Every swap is an error of its own, in the argument where it is made, and every correct use passes."""
    program = tmp_path / "swaps.py"
    program.write_text(PROGRAM, encoding="utf-8")
    checker = [sys.executable, "-m", "mypy", "--no-error-summary", str(program)]

    output = subprocess.run(checker, cwd=ROOT, capture_output=True, check=False, text=True).stdout

    errors = [line for line in output.splitlines() if ": error: " in line]
    swaps = [(number, line) for number, line in enumerate(PROGRAM.splitlines(), start=1) if "# " in line]
    assert [int(error.split(":")[1]) for error in errors] == [number for number, _ in swaps], output
    for error, (_, line) in zip(errors, swaps, strict=True):
        assert line.rpartition("# ")[2] in error
        assert error.endswith("[arg-type]")
