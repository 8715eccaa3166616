"""`arena boxes` begins only beside a server that needs it: no second process may work on the same submissions."""

import pytest

from arena.cli.exit_codes import ExitCode
from arena.cli.main import run


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("", "[submissions] lacks `enabled = true`"),
        ("[submissions]\nenabled = true\n", "[submissions] lacks `runs_boxes = false`"),
        ("[submissions]\nenabled = true\nruns_boxes = false\n", "there is no data folder at"),
    ],
)
def test_settings_of_a_server_that_needs_no_such_process_are_refused(tmp_path, capsys, settings, sentence):
    (tmp_path / "arena.toml").write_text(settings)

    code = run(["boxes", "--config", str(tmp_path / "arena.toml"), "--data", str(tmp_path / "data")])

    assert code == ExitCode.USAGE
    assert sentence in capsys.readouterr().err
