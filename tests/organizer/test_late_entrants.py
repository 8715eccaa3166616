"""Late entrants and leavers in every format, as docs/leagues.md describes."""

from pathlib import Path
from typing import Any

import pytest

from arena.competition.league.model import Block
from arena.errors import RequestError
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.view.league_standings import compute_league_standings
from tests.organizer.leagues import write_league
from tests.organizer.simulated_league import SimulatedLeague

FORMATS: dict[str, dict[str, Any]] = {
    "season": {"games": 24},
    "round-robin": {"games": None, "passes": 1},
    "gauntlet": {"challenger": "bot0", "tables": None, "games": 24},
    "swiss": {"games": 1, "rounds": 5},
    "knockout": {"games": 1},
    "ladder": {"games": 1, "rounds": 6},
}
TAKING = ("season", "gauntlet", "swiss", "ladder")
WAITING = ("swiss", "knockout", "ladder")
NAMES = [f"bot{number}" for number in range(8)]


def league(folder: Path, name: str, **more: Any) -> SimulatedLeague:
    """Return a league of eight, whose file also lists a ninth."""
    settings = {"format": name, **FORMATS[name], **more}
    return SimulatedLeague(read_league_file(write_league(folder, 9, **settings)), NAMES)


async def play_into(made_up: SimulatedLeague, number: int) -> None:
    """Play until some block of this round is finished."""
    while not made_up.blocks or made_up.blocks[-1].round < number:
        await made_up.play(1)


def rounds_of(name: str, blocks: list[Block]) -> set[int]:
    return {block.round for block in blocks if name in block.names}


@pytest.mark.parametrize("name", TAKING)
async def test_late_entrant_plays_from_next_round(tmp_path, name):
    made_up, undisturbed = league(tmp_path / "late", name), league(tmp_path / "not", name)
    await play_into(made_up, 2)
    await undisturbed.play()

    act = await made_up.amend("add", "bot8")
    await made_up.play()

    assert act.values["round"] == "3"
    assert min(rounds_of("bot8", made_up.blocks)) >= 3
    early = [block for block in made_up.blocks if block.round < 3]
    assert early == [block for block in undisturbed.blocks if block.round < 3]
    assert made_up.is_over


async def test_late_entrant_in_ladder_is_seated_at_once(tmp_path):
    made_up = league(tmp_path, "ladder")
    await play_into(made_up, 2)

    await made_up.amend("add", "bot8")
    await made_up.play()

    assert min(rounds_of("bot8", made_up.blocks)) == 3


async def test_missed_swiss_rounds_count_as_byes(tmp_path):
    """Two byes put it ahead of those with none: with nine at tables of three no other entrant rests."""
    made_up = league(tmp_path, "swiss", bye=1.0)
    await play_into(made_up, 2)
    await made_up.amend("add", "bot8")

    await made_up.play()

    scores = made_up.form.scores(made_up.field, made_up.ledger.history, 3)  # type: ignore[attr-defined]  # the form is a Swiss
    assert scores["bot8"] == 2.0
    assert rounds_of("bot8", made_up.blocks) == {3, 4, 5}


@pytest.mark.parametrize("name", ["round-robin", "knockout"])
async def test_some_formats_refuse_late_entrants_and_say_so(tmp_path, name):
    made_up = league(tmp_path, name)
    await play_into(made_up, 1)

    with pytest.raises(RequestError, match=f"no entrant can join a {name} late"):
        await made_up.amend("add", "bot8")


@pytest.mark.parametrize("name", TAKING)
async def test_joining_is_too_late_when_no_round_is_left(tmp_path, name):
    made_up = league(tmp_path, name)
    await made_up.play()

    with pytest.raises(RequestError, match=r"too late|since must be a round from 1 to 5"):
        await made_up.amend("add", "bot8")


async def test_no_entrant_joins_for_the_play_off(tmp_path):
    made_up = league(tmp_path, "season", play_off=6)
    await made_up.play(12)

    with pytest.raises(RequestError, match="before the play-off"):
        await made_up.amend("add", "bot8")


async def test_no_entrant_is_added_twice(tmp_path):
    made_up = league(tmp_path, "season")
    await play_into(made_up, 2)
    await made_up.amend("add", "bot8")

    for name in ("bot8", "bot3"):
        with pytest.raises(RequestError, match=f"{name} already takes part"):
            await made_up.amend("add", name)


@pytest.mark.parametrize("kind", ["withdraw", "disqualify"])
@pytest.mark.parametrize("name", FORMATS)
async def test_formats_that_wait_drop_leavers_while_others_keep_their_seats(tmp_path, name, kind):
    made_up, undisturbed = league(tmp_path / "left", name), league(tmp_path / "not", name)
    await undisturbed.play()
    await play_into(made_up, 1)

    await made_up.amend(kind, "bot3")
    await made_up.play()

    if name in WAITING:
        assert rounds_of("bot3", made_up.blocks) <= {1}
        assert max(block.round for block in made_up.blocks) > 1
    else:
        assert made_up.blocks == undisturbed.blocks
    assert made_up.is_over


async def test_disqualifying_a_leaver_changes_no_round(tmp_path):
    """It had no seat from round 2 on, and is not in the rest of round 3, which is drawn anew."""
    made_up = league(tmp_path, "swiss", games=2)
    await made_up.play(2)
    await made_up.amend("withdraw", "bot3")
    await play_into(made_up, 3)

    await made_up.amend("disqualify", "bot3")
    await made_up.play()

    assert rounds_of("bot3", made_up.blocks) == {1}
    assert made_up.field.find_departed(4).disqualified == {"bot3"}
    with pytest.raises(RequestError, match="already left"):
        await made_up.amend("disqualify", "bot3")


@pytest.mark.parametrize("name", WAITING)
async def test_round_that_determined_a_later_one_cannot_be_replayed(tmp_path, name):
    made_up = league(tmp_path, name)
    await play_into(made_up, 2)

    with pytest.raises(RequestError, match="drawn from it"):
        await made_up.amend("void", made_up.ledger.history[0].tables[0].match_id)


async def test_only_play_off_blocks_can_be_void_once_play_off_began(tmp_path):
    made_up = league(tmp_path, "season", play_off=6)
    await made_up.play(13)
    regular, play_off = made_up.ledger.history[5], made_up.ledger.history[12]

    with pytest.raises(RequestError, match="drawn from it"):
        await made_up.amend("void", regular.tables[0].match_id)
    await made_up.amend("void", play_off.tables[0].match_id)
    await made_up.play()

    assert [result.attempt for result in made_up.ledger.history][12] == 1
    assert made_up.is_over


@pytest.mark.parametrize("name", ["season", "round-robin", "gauntlet"])
async def test_fixed_schedule_allows_replay_of_every_block(tmp_path, name):
    made_up = league(tmp_path, name)
    await made_up.play()
    blocks = made_up.blocks

    await made_up.amend("void", made_up.ledger.history[0].tables[0].match_id)

    assert not made_up.is_over
    assert await made_up.play() == 1
    assert made_up.blocks == blocks


async def test_entrant_disqualified_after_final_is_no_champion(tmp_path):
    made = league(tmp_path, "knockout")
    await made.play()
    champion = compute_league_standings(made.open_league()).champion
    assert champion is not None

    await made.amend("disqualify", champion.name)

    after = compute_league_standings(made.open_league()).champion
    assert after is not None
    assert after.name != champion.name


async def test_no_entrant_is_withdrawn_from_finished_league(tmp_path):
    made = league(tmp_path, "season")
    await made.play()

    with pytest.raises(RequestError, match="the league is over"):
        await made.amend("withdraw", "bot1")
