"""The guide of people who train bots, or study games that were played."""

import re
import subprocess
import sys

import pytest

from tests.guides.reader import ROOT, Reader

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SHORT = {
    "rank_lock --save": "rank_lock 1 --save",
    "--games 100": "--games 1 --set max_turns=40",
    "--games 20": "--games 1 --set max_turns=40",
}


def test_learning(home):
    with Reader("docs/learning.md", home, SHORT) as reader:
        assert "mean reward against players that play at random" in reader.enter()
        assert "net" in reader.enter()
        assert re.search(r"games\.csv: 2 matches, \d+ decisions", reader.enter())

    pytest.importorskip("polars", reason="the project does without it")
    (program,) = re.findall(
        r"^```python\n(import polars.*?)^```$", (ROOT / "docs" / "learning.md").read_text(), re.MULTILINE | re.DOTALL
    )
    told = subprocess.run([sys.executable, "-c", program], cwd=home, capture_output=True, text=True, check=True).stdout
    assert "answers_a_lie" in told
