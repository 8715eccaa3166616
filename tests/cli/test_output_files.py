"""Where `arena compare` writes its answer: files are replaced whole, streams are written to as they are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.compare.options import OutputFiles
from arena.cli.compare.output_files import prepare_files
from arena.cli.output_file import write_file
from arena.errors import EnvironmentFaultError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="streams have paths on POSIX alone")

WRITE_TO_STDOUT = """\
from pathlib import Path
from arena.cli.compare.options import OutputFiles
from arena.cli.compare.output_files import prepare_files
from arena.cli.output_file import write_file
files = OutputFiles(markdown=Path({path!r}))
print("first")
prepare_files(files)
write_file(files.markdown, "answer\\n")
print("last")
"""


def run_writer(path, stdout):
    return subprocess.run(
        [sys.executable, "-c", WRITE_TO_STDOUT.format(path=str(path))],
        stdout=stdout, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param("/dev/stdout", marks=pytest.mark.slow), "/dev/fd/1", None], ids=str)
def test_file_behind_stdout_is_appended_to_and_never_truncated(tmp_path, name):
    out = tmp_path / "out.txt"
    out.write_text("kept\n")
    with out.open("a") as stdout:
        ended = run_writer(name or out, stdout)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert out.read_text() == "kept\nfirst\nanswer\nlast\n"


def test_unread_or_full_stream_is_no_error(tmp_path, capsys):
    reading, writing = os.pipe()
    os.close(reading)

    write_file_to(writing)
    os.close(writing)
    assert capsys.readouterr().err == ""

    if Path("/dev/full").exists():
        full = os.open("/dev/full", os.O_WRONLY)
        write_file_to(full)
        os.close(full)
        assert "No space left on device" in capsys.readouterr().err


def write_file_to(descriptor):
    write_file(Path(f"/dev/fd/{descriptor}"), "answer\n")


def test_pipe_is_not_opened_before_there_is_an_answer(tmp_path):
    """Opening it would wait for a reader, and closing it would signal end of file to that reader."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    prepare_files(OutputFiles(markdown=pipe))

    assert pipe.is_fifo()


def test_refused_path_creates_no_folders(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(EnvironmentFaultError, match="cannot be written"):
        prepare_files(
            OutputFiles(markdown=tmp_path / "new" / "deep" / "answer.md", junit=tmp_path / "file" / "answer.xml")
        )
    with pytest.raises(EnvironmentFaultError, match="cannot be written"):
        prepare_files(OutputFiles(markdown=tmp_path / "new" / ("long" * 100)))

    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_folders_are_created_for_the_answer(tmp_path):
    path = tmp_path / "new" / "answer.md"
    prepare_files(OutputFiles(markdown=path))

    write_file(path, "answer\n")

    assert path.read_text() == "answer\n"
