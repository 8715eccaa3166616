"""The home folder of somebody who reads a guide."""

import re
from pathlib import Path

import pytest

from tests.guides.reader import ROOT


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with the bot of the first page, saved as mybot.py."""
    (folder := tmp_path / "home").mkdir()
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    (folder / "mybot.py").write_text(code[1])
    return folder
