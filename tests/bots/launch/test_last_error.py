"""The last error in what a bot wrote."""

import os

import pytest

from arena.bots.launch.output import read_last_error


def test_only_a_file_is_read(tmp_path):
    """A bot may have replaced its file with anything."""
    (tmp_path / "secret").write_text("1 ERROR secret\n")

    assert read_last_error(tmp_path / "secret") == "1 ERROR secret"
    assert read_last_error(tmp_path / "missing") == ""
    assert read_last_error(tmp_path) == ""


@pytest.mark.skipif(os.name != "posix", reason="links and pipes are otherwise there")
def test_links_are_not_followed_and_pipes_not_awaited(tmp_path):
    (tmp_path / "secret").write_text("1 ERROR secret\n")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")

    assert read_last_error(tmp_path / "link") == ""
    assert read_last_error(tmp_path / "pipe") == ""
