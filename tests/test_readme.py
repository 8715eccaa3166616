"""The README tells the truth: its bot plays."""

import re
from pathlib import Path
from typing import Any

from arena.practice import play

README = Path(__file__).parents[1] / "README.md"


def test_the_bot_on_the_first_page_plays_a_game():
    code = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    space: dict[str, Any] = {"__name__": "mybot"}

    exec(code[1], space)
    result = play([space["Cautious"]] * 3, seed=1)

    assert sorted(result.places[0]) == [1, 2, 3]
