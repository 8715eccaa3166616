"""An invalid league file: every error is reported at once, with its key and its line."""

from pathlib import Path

import pytest

from arena.bots.launch.programs import BotProgram
from arena.errors import NotationError, OptionsError
from arena.fleet.submissions.submitted_programs import SubmittedPrograms
from arena.organizer.file.league_reader import read_league_file, read_league_file_lenient, read_league_text
from tests.organizer.leagues import STEADY

GOOD = """\
name = "test"
format = "season"
games = 12
seats = 3
preset = "standard"

[rules]
max_turns = 60

[[entrants]]
bot = "one.py"

[[entrants]]
bot = "two.py"

[[entrants]]
bot = "three.py"
"""


def write_league_file(folder: Path, text: str) -> Path:
    """Write a league file beside three bots."""
    for name in ("one", "two", "three"):
        (folder / f"{name}.py").write_text(STEADY.format(think=0, nerve=1))
    file = folder / "league.toml"
    file.write_text(text)
    return file


def faults(folder: Path, *changes: tuple[str, str]) -> dict[str, str]:
    """Return the refusals by key after these texts of the valid file are replaced."""
    text = GOOD
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    with pytest.raises(OptionsError) as caught:
        read_league_file(write_league_file(folder, text))
    return {each.field: str(each) for each in caught.value.faults}


def test_valid_file_is_read(tmp_path):
    league = read_league_file(write_league_file(tmp_path, GOOD))

    assert list(league.bots) == ["one", "two", "three"]
    assert league.missing == ()


def test_every_error_is_reported_at_once_with_its_line(tmp_path):
    found = faults(
        tmp_path,
        ("games = 12", 'colour = "red"\nbudget = "a while"'),
        ("season", "marathon"),
        ("seats = 3", "seats = 9"),
        ("standard", "standrad"),
        ("two.py", "gone.py"),
        ("three.py", "one.py"),
    )

    lines = {key: text.partition("(line ")[2].partition(")")[0] for key, text in found.items()}
    assert lines == {
        "colour": "3", "budget": "4", "format": "2", "seats": "5", "preset": "6", "entrants[1].bot": "15",
        "entrants[2]": "17",
    }  # fmt: skip
    assert "unknown key" in found["colour"]
    assert "gone.py" in found["entrants[1].bot"]
    assert "each entrant needs its own name" in found["entrants[2]"]


def test_wrong_type_hides_no_other_errors(tmp_path):
    found = faults(
        tmp_path,
        ("seats = 3", 'seats = "three"'),
        ("max_turns = 60", "max_turns = 1.5\nmax_tuns = 3"),
        ('bot = "two.py"', "bot = 2\nowner = 7\ncolour = true"),
        ('bot = "three.py"', 'name = "three"'),
    )

    assert set(found) == {
        "seats", "rules.max_turns", "max_tuns", "entrants[1].bot", "entrants[1].owner", "entrants[1].colour",
        "entrants[2].bot",
    }  # fmt: skip
    assert "(line 9)" in found["max_tuns"]
    assert "(line 17)" in found["entrants[1].colour"]


@pytest.mark.parametrize(
    "text", ["  ", " the lotto", r"the\nlotto", r"the lotto\u001b[2K", r"the \u202eottol", "the lotto\t"]
)
def test_public_entropy_is_named_in_one_unambiguous_line(tmp_path, text):
    found = faults(tmp_path, ("games = 12", f'games = 12\npublic_entropy = "{text}"'))

    assert list(found) == ["public_entropy"]
    assert "must be one line of printable text, with no blank at either end" in found["public_entropy"]


@pytest.mark.parametrize("entrants", ["entrants = 3", "entrants = [3, 4]", ""])
def test_invalid_entrants_are_named(tmp_path, entrants):
    text = GOOD.partition("[rules]")[0]

    with pytest.raises(OptionsError) as caught:
        read_league_file(write_league_file(tmp_path, text + entrants))

    assert any(each.field.startswith("entrants") for each in caught.value.faults)


def test_missing_key_has_no_value(tmp_path):
    found = faults(tmp_path, ('name = "test"', ""), ('bot = "two.py"', 'owner = "ann"'))

    assert found["name"].startswith("option name is missing: ")
    assert found["entrants[1].bot"].startswith("option entrants[1].bot (line 13) is missing: ")
    assert "None" not in "".join(found.values())


def test_rules_pace_and_seats_are_each_named(tmp_path):
    found = faults(
        tmp_path, ("seats = 3", "seats = 4"), ("max_turns = 60", "max_turns = -1\n[pace_settings]\nturn_ms = 1")
    )

    assert set(found) == {"seats", "max_turns", "turn_ms"}
    assert "(line 10)" in found["turn_ms"]


def test_folder_is_not_a_league(tmp_path):
    with pytest.raises(NotationError, match="and this is a folder"):
        read_league_file(tmp_path)


def test_missing_program_is_tolerated_for_viewing(tmp_path):
    file = write_league_file(tmp_path, GOOD.replace("two.py", "gone.py"))

    league = read_league_file_lenient(file)

    assert list(league.bots) == ["one", "three"]
    assert [each.field for each in league.missing] == ["entrants[1].bot"]
    with pytest.raises(OptionsError, match=r"gone\.py"):
        read_league_file(file)


def test_home_name_with_nul_is_refused_in_one_sentence(tmp_path):
    found = faults(tmp_path, ('"one.py"', r'"~a\u0000b"'))

    assert "an argument cannot contain NUL" in found["entrants[0].bot"]


def test_whole_program_may_be_a_word_of_an_entrants_command(tmp_path):
    """A file name has 255 bytes at most; what is not a file is a command."""
    text = GOOD.replace('"one.py"', f"""\"env python -c '{"x=1;" * 99}'\"\nname = "one\"""")

    league = read_league_file(write_league_file(tmp_path, text))

    program = league.bots["one"].program
    assert isinstance(program, BotProgram)
    assert program.command[-1] == "x=1;" * 99


@pytest.mark.parametrize(
    ("bot", "setting", "is_fixed"),
    [
        ("remote:far", "", True),
        ("remote:far", "fixed_window = false", False),
        ("two.py", "", False),
        ("two.py", "fixed_window = true", True),
    ],
)
def test_windows_are_fixed_if_a_bot_is_remote(tmp_path, bot, setting, is_fixed):
    text = GOOD.replace("two.py", bot).replace("[rules]", f"[pace_settings]\n{setting}\n[rules]")

    assert read_league_file(write_league_file(tmp_path, text)).terms.pace.fixed_window is is_fixed


SERVED = 'name = "class"\nseats = 2\n[[entrants]]\nbot = "remote:ann"\n[[entrants]]\n{}'


@pytest.mark.parametrize(
    ("entrant", "words"),
    [
        ('bot = "bots/mine"', "entrants[1].bot (line 6) must be submitted:NAME or remote:NAME or sample:NAME"),
        ('bot = "python bot.py"', "a server plays no programs of others"),
        ('bot = "sample:honest"\nenvironment = { PYTHONPATH = "/x" }', "environment (line 7) must be none"),
        ('bot = "remote:bob"\n', "leave it out: a server plays what was submitted to it"),
    ],
)
def test_server_runs_no_code_of_an_organizer(tmp_path, entrant, words):
    """Whoever may organize on a server need not be one who may run programs on its machine."""
    head = 'submitted_from = "elsewhere"\n' if entrant.endswith("\n") else ""
    with pytest.raises(OptionsError) as caught:
        read_league_text(head + SERVED.format(entrant), SubmittedPrograms(tmp_path))

    assert words in str(caught.value)


def test_server_sets_variables_inside_boxes(tmp_path):
    entrant = 'bot = "sample:honest"\nenvironment = { NERVE = "2" }'

    league = read_league_text("untrusted = true\n" + SERVED.format(entrant), SubmittedPrograms(tmp_path))

    assert league.bots["honest"].own_program.environment["NERVE"] == "2"
    assert league.bots["honest"].is_boxed
