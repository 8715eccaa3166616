"""The reference of the command line is what the code says."""

from tools.reference_pages import PAGES, build_pages


def test_pages_are_fresh():
    written = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*")}

    assert written == build_pages(), "run `make generate`, and commit the result"


def test_pages_say_what_users_look_up():
    pages = build_pages()

    assert "\n### arena league plan\n" in pages["commands.md"]
    assert "| `--seats N` | Seats at the table. Default: one for each --bot. |" in pages["commands.md"]
    assert "| 77 | boxes do not hold on this machine |" in pages["exit_codes.md"]
    assert "| 77 | the server refused the token |" in pages["exit_codes.md"]
    assert "| `CHEATARENA_PATIENCE` | seconds to dial a server that is gone; 30 by default |" in pages["environment.md"]
    assert "| `ARENA_LOG_LEVEL` | `info` |" in pages["environment.md"]
