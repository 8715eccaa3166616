"""The guide to leagues, as an organizer follows it: plan, seal, play, publish, check."""

import re
import shutil
from typing import Final

import pytest

from tests.guides.reader import ROOT, Reader

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SHORT_TRIAL: Final = """\
python -c '
from functools import partial
from arena.cli.league import plan
from arena.cli.main import main
plan.run_trial = partial(plan.run_trial, most_s=3.0)
main()' league plan league.toml"""
"""The trial of a plan, which otherwise keeps all cores busy for a minute."""


def test_leagues(home):
    shutil.copytree(ROOT / "sample_bots" / "python" / "honest", home / "bots" / "mine")
    places = {"python3 verify": "cd site && python3 verify", "arena league plan league.toml": SHORT_TRIAL}
    file = home / "league.toml"
    with Reader("docs/leagues.md", home, places) as reader:
        reader.write(file, {"games = 400": "games = 8", "max_turns = 300": "max_turns = 20"})
        reader.enter()
        assert (home / "report" / "report.html").is_file()

        shutil.rmtree(home / "site")
        reader.write(home / "entropy.toml", words="public_entropy")
        file.write_text((home / "entropy.toml").read_text() + file.read_text().replace("autumn", "spring"))
        [line] = re.findall(r"cheatarena league spring: \w+", reader.run("arena league seal league.toml"))
        reader.enter()
        reader.run("arena league run league.toml; arena league publish league.toml")
        places |= {"cheatarena league autumn: 59b3…": line}
        assert "NO" not in reader.enter()

        reader.leave("arena league amend league.toml void", "each amendment has its own test in tests/organizer")
        reader.leave("arena league plan week.toml", "tests/organizer/test_dated_league_guide.py plays this week")
        reader.leave("arena league amend week.toml extend", "as the other amendments")
        reader.leave("export ARENA_TOKEN", "tests/e2e/test_league_on_server.py plays one beside pools")
