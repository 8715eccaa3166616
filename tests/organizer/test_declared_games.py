"""A bot whose bot.toml names its games never sits at a table of another game."""

import pytest

from arena.bots.launch.program_sets import check_declared_games
from arena.bots.launch.programs import RemoteBot, find_bot
from arena.errors import OptionError
from tests.organizer.leagues import league, write_league


def test_league_with_bot_of_another_game_is_not_sealed(tmp_path, capsys):
    file = write_league(tmp_path / "bots", bots=3, games=4)
    file.write_text(file.read_text() + '\n[[entrants]]\nbot = "sample:set_chaser"\n')

    assert league("seal", file, "--data", tmp_path / "data") == 64
    assert "bot.toml says: set_chaser plays cheater" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("kind", ["add", "replace"])
def test_bot_of_another_game_does_not_join_a_league_later(tmp_path, capsys, kind):
    file, data = write_league(tmp_path / "bots", bots=4, games=4), tmp_path / "data"
    assert league("seal", file, "--data", data) == 0
    other = 'bot = "sample:set_chaser"\nname = "bot3"'
    text = file.read_text()
    if kind == "add":
        file.write_text(f"{text}\n[[entrants]]\n{other.replace('bot3', 'late')}")
    else:
        file.write_text(text.replace('bot = "bot3.py"', other))

    name = "late" if kind == "add" else "bot3"
    assert league("amend", file, kind, name, "--reason", "better", "--data", data) == 64

    assert f"bot.toml says: {name} plays cheater" in " ".join(capsys.readouterr().err.split())
    assert league("amend", file, "withdraw", "bot3", "--reason", "nothing was added", "--data", data) == 0


def test_bot_of_several_games_plays_each_and_silence_is_no_refusal(tmp_path):
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "bot.toml").write_text('name = "both"\ngames = ["cheat", "cheater"]')
    programs = {"both": find_bot(str(tmp_path)), "script": find_bot(str(tmp_path / "bot.py")), "ann": RemoteBot("ann")}

    for game in ("cheat", "cheater"):
        check_declared_games(programs, game)
    with pytest.raises(OptionError, match=r", got 'chess'; bot\.toml says: both plays cheat and cheater$"):
        check_declared_games(programs, "chess")
