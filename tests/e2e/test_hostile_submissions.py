"""Hostile bots are submitted beside honest ones: every escape and flood is held, and the honest bots lose nothing."""

import json
import os
import re
from functools import partial
from pathlib import Path

import pytest

from tests.bots.sandbox.escapes import ATTEMPTS, FLOODS, PRELUDE
from tests.e2e.test_pools import query, wait_until
from tests.e2e.test_submissions import PATIENCE_S, SAMPLES, Site, open_site
from tests.organizer.leagues import league
from tests.support.boxes import skip_without_boxes

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="boxes are there on Linux alone"),
    pytest.mark.timeout(1200),  # it waits for builds, checks and games
]

REFUSED = {
    **{name: PRELUDE + FLOODS[name] for name in ("fork bomb", "memory bomb", "gigabyte of output")},
    "sleeps at start": "import time\ntime.sleep(3600)",
}
"""Programs that keep a bot from playing. tests/bots/sandbox has all floods."""
LEAGUE = """
name = "class"
format = "season"
games = 4
seats = 3
preset = "standard"
submitted_from = {data}

[rules]
max_turns = 12

[pace_settings]
turn_ms = 8000
call_ms = 3000

[[entrants]]
bot = "submitted:honest-bot"

[[entrants]]
bot = "submitted:spy-bot"

[[entrants]]
bot = "submitted:other-bot"
"""


def write_spy(site: Site) -> Path:
    """Write a bot that tries every escape at its start, and plays like a sample afterwards."""
    secret = site.folder / "secret"
    secret.write_text("the organizer's")
    outside = {
        "file": str(secret),
        "own_folder": str(site.data / "submissions"),
        "neighbour_folder": str(site.data),
        "neighbour_pid": os.getpid(),
        "server_pid": site.server.pid,
        "port": int(site.address.rpartition(":")[2]),
        "abstract": "nobody",
        "variable": "ARENA_TOKEN",
        "key": 4711,
        "shared": "twin",
    }
    code = "\n".join((PRELUDE + part).format(outside=outside) for part in ATTEMPTS.values())
    own = (SAMPLES / "honest" / "bot.py").read_text()
    return site.write_bot("spy-bot", "1", code=f"{code}\nsay('all was tried')\n{own}")


def output_of(site: Site, bot: str) -> str:
    """Return what all processes of a bot wrote."""
    return "".join(path.read_text(errors="replace") for path in (site.data / "bots").glob(f"{bot}*.log"))


@pytest.mark.slow
@pytest.mark.long
def test_hostile_bots_harm_nobody_and_leagues_of_submitted_bots_need_no_warning(tmp_path):
    skip_without_boxes()
    with open_site(tmp_path) as site:
        for name in ("honest-bot", "other-bot"):
            site.submit(site.write_bot(name, "1"))
        site.submit(write_spy(site))
        for number, (name, code) in enumerate(REFUSED.items()):
            package = site.write_bot("other-bot", f"2.{number}", code=code.format(outside={}), start_time_s=5)
            told = site.submit(package, code=1)
            assert re.search("does not get far enough|cannot be started|fails the check", told), name
        for bot in ("honest-bot", "spy-bot", "other-bot"):
            wait_until(partial(site.has_played, bot, games=2), PATIENCE_S)
        strikes = [
            json.loads(text)
            for (text,) in query(site.data, "select strikes from match where state = 'ended' and rated")
        ]
        seats = query(site.data, "select distinct bot, version from pool_seat where not is_house")
    lines = output_of(site, "spy-bot").splitlines()
    held = [line for line in lines if line.startswith("held ")]
    assert "all was tried" in lines
    assert len(held) >= 30
    assert [line for line in lines if line.startswith("ESCAPED")] == []
    assert {name for name, _ in seats} == {"honest-bot", "spy-bot", "other-bot"}
    assert {version for _, version in seats} == {"1"}, "a version that is refused never plays"
    assert not [each for match in strikes for each in match if any(each.values())], "nobody forfeits or is late"

    file, data = tmp_path / "league.toml", tmp_path / "league"
    file.write_text(LEAGUE.format(data=json.dumps(str(site.data))))
    assert league("run", file, "--data", data, "--nodes", 1) == 0
    assert league("report", file, "--data", data, "--out", tmp_path / "report") == 0
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert len(report["games"]) == 4
    assert report["faults"] == []
    assert not [note for note in report["notes"] if "sandbox" in note]
    assert "sandbox" not in (tmp_path / "report" / "report.html").read_text()
