"""The process of a league refuses bots that its server cannot start, before anything is played."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.bots.launch.programs import BotProgram
from arena.errors import RequestError
from arena.fleet.leagues.league_calls import LeagueSetting
from arena.organizer.served.league_process import _check_bots


def league_of(*, is_boxed: bool) -> Any:
    program = BotProgram("ann", ("ann",), Path())
    return SimpleNamespace(bots={"ann": SimpleNamespace(program=program, is_boxed=is_boxed)})


@pytest.mark.parametrize(
    ("is_boxed", "said"),
    [
        (True, "ann needs a box, and this server makes none: with `runs_boxes = false`, `arena boxes` runs only"),
        (False, "ann runs without a box, and this server speaks TLS on loopback too"),
    ],
)
def test_bot_that_the_server_cannot_start_is_named_with_the_reason(tmp_path, is_boxed, said):
    can = LeagueSetting(tmp_path, "1.journal", has_boxes=not is_boxed, has_plain_address=is_boxed)

    with pytest.raises(RequestError, match=re.escape(said)):
        _check_bots(league_of(is_boxed=is_boxed), can)
    _check_bots(league_of(is_boxed=not is_boxed), can)
