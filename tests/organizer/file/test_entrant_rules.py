"""Entrants by rule: what a league's file becomes, and what is refused."""

import asyncio
import json
from pathlib import Path

import pytest

from arena.bots.submissions.submission import SubmissionState
from arena.errors import ArenaError, OptionsError
from arena.fleet.submissions.submitted_programs import SubmittedPrograms
from arena.organizer.course.cut import make_cut
from arena.organizer.file.entrant_rules import expand_cut, expand_rule
from arena.organizer.file.league_reader import read_league_file
from arena.server.store.open_store import open_store
from arena.text_files import parse_toml
from tests.support.submitted import submit

HEAD = 'name = "class"\nbots = {}\n'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with bots of ann in two pools, one that was withdrawn, and one of a banned owner."""

    async def fill() -> None:
        async with await open_store(tmp_path / "data") as store:
            for owner in ("ann", "eve"):
                await store.owners.add(owner, "", 9)
            for bot, pools in (("bold", ("standard",)), ("calm", ("folk", "standard")), ("deft", ("folk",))):
                await submit(store, "1.0", SubmissionState.ACTIVE, bot=bot, pools=pools)
            await submit(store, "1.1", SubmissionState.REFUSED, bot="bold", pools=("standard",))
            await submit(store, "2.0", SubmissionState.ACTIVE, bot="evil", owner="eve", pools=("standard",))
            (tmp_path / "cut.json").write_bytes(make_cut(await store.submissions.list(), 9e9).as_json())
            await store.bans.ban("eve", "cheated")

    asyncio.run(fill())
    return tmp_path / "data"


def expand(rule: str, data: Path, more: str = "") -> str:
    text = HEAD.format(json.dumps(rule)) + more
    return expand_rule(text, parse_toml(text, "file"), data.parent, lambda other: SubmittedPrograms(other or data))


def taken(text: str) -> list[tuple[str, str]]:
    return [(each["bot"], each["owner"]) for each in parse_toml(text, "file")["entrants"]]


def test_active_versions_of_a_pool_are_taken(data: Path):
    assert taken(expand("active in pool standard", data)) == [
        ("submitted:bold@1.0", "ann"),
        ("submitted:calm@1.0", "ann"),
    ]


def test_versions_of_a_cut_are_taken_for_a_server_too(data: Path):
    """A cut says what was submitted, so a ban since then changes nothing."""
    expected = [(f"submitted:{bot}", owner) for bot, owner in (
        ("bold@1.0", "ann"), ("calm@1.0", "ann"), ("deft@1.0", "ann"), ("evil@2.0", "eve")
    )]  # fmt: skip
    text = HEAD.format('"cut cut.json"')

    assert taken(expand("cut cut.json", data)) == expected
    assert taken(expand_cut(text, parse_toml(text, "file"), data.parent)) == expected


@pytest.mark.parametrize(
    ("league", "way_out"),
    [
        ('bots = "cut cut.json"\n', "leave the bot out by a new cut, to a new file"),
        ('[[entrants]]\nbot = "submitted:evil"\n', "leave the bot out"),
    ],
)
def test_bot_of_a_banned_owner_is_refused_with_the_ways_out(data: Path, league: str, way_out: str):
    file = data.with_name("league.toml")
    file.write_text(f'name = "class"\n{league}')

    with pytest.raises(OptionsError) as refused:
        read_league_file(file, lambda other: SubmittedPrograms(other or data))

    faults = [str(each) for each in refused.value.faults if "submitted:evil" in str(each)]
    assert [each.partition("server: ")[2] for each in faults] == [
        f"cheated; lift the ban with `arena owner unban`, or {way_out}"
    ]


def test_named_entrant_is_not_taken_again(data: Path):
    named = '[[entrants]]\nbot = "submitted:calm"\nowner = "Ann"\nenvironment = { NERVE = "2" }\n'

    text = expand("active in pool standard", data, named)

    assert taken(text) == [("submitted:calm", "Ann"), ("submitted:bold@1.0", "ann")]


def test_text_that_has_its_entrants_stays_as_it_is(data: Path):
    text = expand("active in pool standard", data)

    assert expand_rule(text, parse_toml(text, "file"), data.parent, None) == text


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("active", '"active in pool NAME" or "cut FILE"'),
        ("active in pool chess", "no submitted bot fits this rule"),
        ("cut none.json", "a file that `course cut` wrote"),
        ("cut data", "a file that `course cut` wrote"),
    ],
)
def test_rule_that_takes_nobody_is_refused(data: Path, rule: str, words: str):
    with pytest.raises(ArenaError, match=words):
        expand(rule, data)


def test_server_reads_no_file_for_a_rule(data: Path):
    text = HEAD.format('"cut cut.json"')

    with pytest.raises(ArenaError, match="must be"):
        expand_rule(text, parse_toml(text, "file"), None, lambda _: SubmittedPrograms(data))
