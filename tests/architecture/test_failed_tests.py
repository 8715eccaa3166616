"""`make test-again` tries a few failed tests again, and never many or none."""

import json
from pathlib import Path

import pytest

from tools.failed_tests import main


@pytest.mark.parametrize(
    ("failed", "status", "said"),
    [
        (["tests/a.py::test_one"], 0, "failed, to be tried once more: tests/a.py::test_one"),
        (["tests/a.py::test_one", "tests/b.py::test_two"], 0, "tests/b.py::test_two"),
        (["a", "b", "c"], 1, "3 tests failed, and at most 2 are tried again"),
        ([], 1, "no test is known to have failed"),
    ],
)
def test_only_a_few_failed_tests_are_tried_again(tmp_path: Path, capsys, failed, status, said):
    cache = tmp_path / "lastfailed"
    cache.write_text(json.dumps(dict.fromkeys(failed, True)))

    assert main(["--most", "2", "--cache", str(cache)]) == status
    assert said in capsys.readouterr().out


def test_without_a_run_there_is_nothing_to_try(tmp_path: Path, capsys):
    assert main(["--most", "2", "--cache", str(tmp_path / "missing")]) == 1
    assert "no test is known to have failed" in capsys.readouterr().out
