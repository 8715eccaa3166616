"""The bot in the README plays, and the messages of the guide to troubles exist."""

import re
from pathlib import Path
from typing import Any

from arena.practice import play

README = Path(__file__).parents[1] / "README.md"


def test_bot_on_the_first_page_plays_a_game():
    code = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    space: dict[str, Any] = {"__name__": "mybot"}

    exec(code[1], space)
    result = play([space["Cautious"]] * 3, seed=1)

    assert sorted(result.places[0]) == [1, 2, 3]


def test_snippets_of_both_readmes_import_the_bot_of_the_first_page():
    """Both are saved as mybot.py, so the snippets of one can import the bot of the other."""
    text = (README.parent / "sample_bots" / "README.md").read_text(encoding="utf-8")

    assert re.findall(r"from mybot import (\w+)", text) == ["Cautious"]
    assert "class Cautious(Bot)" in text
    assert "class Cautious(Bot)" in README.read_text(encoding="utf-8")


def test_messages_that_the_guide_explains_exist():
    """The words of each message that do not vary are found in the source."""
    text = (README.parent / "docs" / "troubles.md").read_text(encoding="utf-8")
    first_cells = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    messages = [words for cell in first_cells for words in re.findall("`([^`]+)`", cell)]
    parts = {part.strip() for words in messages for part in re.split(r"…|\w+\(\)", words) if len(part.strip()) > 5}
    folders = (README.parent / "arena", README.parent / "sdk" / "cheatarena")
    source = "".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py"))

    assert len(first_cells) == 7
    assert len(parts) > 7
    assert {part for part in parts if part not in source} == set()
